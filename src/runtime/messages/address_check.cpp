// address_check: what a word of a message points to, if it is an address of this process.
#include "tess/detail/address_check.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include "runtime/failures/abort.hpp"
#include "runtime/job/job.hpp"
#include "tess/error.hpp"

namespace tess::detail {

namespace {

/// Addresses of user programs are in this range, numbers of most programs are not.
constexpr std::uint64_t address_min = std::uint64_t{1} << 32;
constexpr std::uint64_t address_max = std::uint64_t{1} << 48;

/// The page has been used, so it is no mere number within a reserved range.
bool is_resident(std::uint64_t address) noexcept {
  static auto const page_bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  unsigned char resident = 0;
  return mincore(reinterpret_cast<void*>(address / page_bytes * page_bytes), 1, &resident) == 0 && (resident & 1) != 0;
}

bool on_own_stack(std::uint64_t address) noexcept {
  thread_local std::uint64_t begin = 0, end = 0;
  pthread_attr_t attributes;
  if (end == 0 && pthread_getattr_np(pthread_self(), &attributes) == 0) {
    void* base = nullptr;
    std::size_t bytes = 0;
    pthread_attr_getstack(&attributes, &base, &bytes);
    pthread_attr_destroy(&attributes);
    begin = reinterpret_cast<std::uint64_t>(base);
    end = begin + bytes;
  }
  return address >= begin && address < end;
}

std::string owner_of(std::uint64_t address) {
  if (on_own_stack(address)) return "the stack of this thread";
  for (unsigned p = the_job->first_place; p < the_job->first_place + the_job->local_places; ++p) {
    auto const begin = reinterpret_cast<std::uint64_t>(the_job->fabric->segment(static_cast<place_id>(p)).base);
    if (address - begin < job.segment_bytes[p])
      return "the memory of place " + std::to_string(p) + ": a task's frame, or what allocate() gave";
  }
  return "the heap or other memory of this process";
}

}  // namespace

void report_addresses(place_id target, travelling_part const& part, std::source_location at) noexcept {
  if (target == self->place) return;
  bool const same_process = target >= the_job->first_place && target < the_job->first_place + the_job->local_places;
  if (part.unchecked && same_process) return;
  constexpr std::size_t bytes_max = 64 * sizeof(std::uint64_t);
  std::size_t const count = std::min(part.count, bytes_max);
  for (std::size_t i = 0; i + sizeof(std::uint64_t) <= count; i += sizeof(std::uint64_t)) {
    if ((part.words >> i / sizeof(std::uint64_t) & 1) == 0) continue;
    std::uint64_t word = 0;
    std::memcpy(&word, static_cast<std::byte const*>(part.bytes) + i, sizeof word);
    if (word < address_min || word >= address_max || !is_resident(word)) continue;
    constexpr unsigned lines_max = 20;
    if (the_job->mistakes.fetch_add(1, std::memory_order_relaxed) >= lines_max) continue;
    std::fprintf(
        stderr,
        "tess: %s: a callable or argument that travels to place %u holds an address, 0x%llx, of %s (byte %zu of "
        "%zu): it means nothing there; expected values, a global_ptr or objects as arguments%s\n",
        to_text(at).c_str(), unsigned{target}, static_cast<unsigned long long>(word), owner_of(word).c_str(), i,
        part.count,
        part.unchecked ? " (tess::unchecked is for places of one process)" : " (tess::unchecked(f) if it is a number)");
  }
}

}  // namespace tess::detail
