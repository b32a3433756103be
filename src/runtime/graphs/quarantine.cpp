// quarantine: a queue of dead chunks at each place, bounded by bytes.
#include "runtime/graphs/quarantine.hpp"

#include <cstring>
#include <string>

#include "runtime/job/job.hpp"
#include "tess/detail/region.hpp"

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

constexpr std::uint64_t dead_bytes_max = std::uint64_t{1} << 22;
/// Makes pointers that nobody can follow.
constexpr int dead_byte = 0xDD;

}  // namespace

void bury_chunk(chunk* c) noexcept try {
  place_state& p = this_place();
  dead_chunk const dead{reinterpret_cast<std::byte*>(c), c->bytes};
  std::memset(dead.begin + sizeof(chunk), dead_byte, dead.bytes - sizeof(chunk));
  ASAN_POISON_MEMORY_REGION(dead.begin + sizeof(chunk), dead.bytes - sizeof(chunk));
  std::lock_guard const lock(p.dead_mutex);
  p.dead.push_back(dead);
  p.dead_bytes += dead.bytes;
  while (p.dead_bytes > dead_bytes_max) {
    dead_chunk const oldest = p.dead.front();
    p.dead.pop_front();
    p.dead_bytes -= oldest.bytes;
    ASAN_UNPOISON_MEMORY_REGION(oldest.begin, oldest.bytes);
    free_chunk(reinterpret_cast<chunk*>(oldest.begin));
  }
} catch (...) {
  // No memory to remember it.
  ASAN_UNPOISON_MEMORY_REGION(reinterpret_cast<std::byte*>(c), c->bytes);
  free_chunk(c);
}

void check_not_buried(void const* object, char const* who) {
  place_state& p = this_place();
  std::lock_guard const lock(p.dead_mutex);
  for (dead_chunk const& d : p.dead)
    if (object >= d.begin && object < d.begin + d.bytes)
      throw error(who, "an object of a region that ended",
                  "an object whose call, arena or graph<> still lives; keep() what must last longer");
}

#else

void bury_chunk(chunk* c) noexcept {
  free_chunk(c);
}
void check_not_buried(void const*, char const*) {}

#endif

void forget_dead_chunks(place_state& p) noexcept {
  for ([[maybe_unused]] dead_chunk const& d : p.dead) ASAN_UNPOISON_MEMORY_REGION(d.begin, d.bytes);
  p.dead.clear();
}

}  // namespace tess::detail
