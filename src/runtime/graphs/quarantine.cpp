// quarantine: a queue of chunks at each place, bounded by bytes.
#include "runtime/graphs/quarantine.hpp"

#include <cstring>
#include <string>

#include "runtime/job/job.hpp"
#include "tess/detail/objects/region.hpp"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#endif
#endif
#ifndef ASAN_POISON_MEMORY_REGION
#define ASAN_POISON_MEMORY_REGION(memory, bytes) static_cast<void>(0)
#define ASAN_UNPOISON_MEMORY_REGION(memory, bytes) static_cast<void>(0)
#endif

namespace tess::detail {

#if defined(TESS_CHECKED) && TESS_CHECKED

namespace {

constexpr std::uint64_t quarantine_bytes_max = std::uint64_t{1} << 22;
/// As part of a pointer it gives an address that cannot be accessed.
constexpr int dead_byte = 0xDD;

}  // namespace

void quarantine_chunk(chunk* c) noexcept try {
  place_graphs& p = this_place().graphs;
  quarantined_chunk const ended{reinterpret_cast<std::byte*>(c), c->bytes};
  std::memset(ended.begin + sizeof(chunk), dead_byte, ended.bytes - sizeof(chunk));
  ASAN_POISON_MEMORY_REGION(ended.begin + sizeof(chunk), ended.bytes - sizeof(chunk));
  std::lock_guard const lock(p.quarantine_mutex);
  p.quarantine.push_back(ended);
  p.quarantine_bytes += ended.bytes;
  while (p.quarantine_bytes > quarantine_bytes_max) {
    quarantined_chunk const oldest = p.quarantine.front();
    p.quarantine.pop_front();
    p.quarantine_bytes -= oldest.bytes;
    ASAN_UNPOISON_MEMORY_REGION(oldest.begin, oldest.bytes);
    free_chunk(reinterpret_cast<chunk*>(oldest.begin));
  }
} catch (...) {
  // No memory for the queue.
  ASAN_UNPOISON_MEMORY_REGION(reinterpret_cast<std::byte*>(c), c->bytes);
  free_chunk(c);
}

void check_not_quarantined(void const* object, char const* where) {
  place_graphs& p = this_place().graphs;
  std::lock_guard const lock(p.quarantine_mutex);
  for (quarantined_chunk const& d : p.quarantine)
    if (object >= d.begin && object < d.begin + d.bytes)
      throw error(where, "an object of a region that ended",
                  "an object whose call, arena or graph<> still lives; keep() what must last longer");
}

#else

void quarantine_chunk(chunk* c) noexcept {
  free_chunk(c);
}
void check_not_quarantined(void const*, char const*) {}

#endif

void clear_quarantine(place_state& place) noexcept {
  place_graphs& p = place.graphs;
  for ([[maybe_unused]] quarantined_chunk const& d : p.quarantine) ASAN_UNPOISON_MEMORY_REGION(d.begin, d.bytes);
  p.quarantine.clear();
}

}  // namespace tess::detail
