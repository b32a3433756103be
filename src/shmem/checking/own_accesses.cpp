// own_accesses: loads, stores and atomics of a program that was compiled by `tess cc --races`: of its own symmetric
// memory, and of others' by the addresses of shmem_ptr.
#include <cstdint>
#include <utility>
#include <vector>

#include "shmem/call.hpp"
#include "shmem/checking/checks.hpp"
#include "shmem/checking/races.hpp"
#include "shmem/checking/report.hpp"
#include "shmem/checking/shadow.hpp"

namespace tess::shmem::checking {

namespace {

/// Another PE's memory, as this one sees it.
bool locate_window(void const* at, std::size_t bytes, location& found) {
  auto const address = static_cast<std::byte const*>(at);
  for (int pe = 0; pe < own.pes; ++pe) {
    auto const in_heap = static_cast<std::size_t>(address - heap_of(pe));
    auto const in_data = static_cast<std::size_t>(address - data_of(pe));
    if (in_heap < own.heap_bytes && bytes <= own.heap_bytes - in_heap)
      found = {pe, true, in_heap};
    else if (in_data < own.data_bytes && bytes <= own.data_bytes - in_data)
      found = {pe, false, in_data};
    else
      continue;
    return true;
  }
  return false;
}

bool find(void const* at, std::size_t bytes, location& found) {
  return locate(at, bytes, own.pe, found) || locate_window(at, bytes, found);
}

void use_own(location const& at, std::size_t bytes, use how, void* from) {
  std::vector<race> found;
  {
    locked const all;
    current_call const outer =
        std::exchange(current, {how == use::read || how == use::atomic_read ? "a load" : "a store", from});
    pe_line& mine = line_of(own.pe);
    use_range(at, bytes, {mine.epoch, static_cast<std::uint16_t>(own.pe), site_of_call(), 0, how, false, false}, found);
    current = outer;
    // Others may wait for it, or fetch it.
    if (how == use::atomic_write || (how == use::write && at.pe != own.pe)) {
      take_snapshot(at.pe);
      if (how == use::atomic_write) release(at);
      ++mine.epoch;
    }
  }
  for (race const& one : found) report_race(one);
}

}  // namespace

}  // namespace tess::shmem::checking

extern "C" {

/// True: it is symmetric memory of a checked job.
[[gnu::visibility("default")]] bool tess_shmem_used(void const* address, std::size_t bytes, int writes, int is_atomic,
                                                    void* from) {
  using namespace tess::shmem;
  using namespace tess::shmem::checking;
  location at;
  if (!sees_accesses || bytes == 0 || !find(address, bytes, at)) return false;
  if (is_atomic != 0)
    use_own(at, bytes, writes != 0 ? use::atomic_write : use::atomic_read, from);
  else
    use_own(at, bytes, writes != 0 ? use::write : use::read, from);
  return true;
}

/// After an atomic for which tess_shmem_used was true.
[[gnu::visibility("default")]] void tess_shmem_seen(void const* address, std::size_t bytes) {
  using namespace tess::shmem;
  using namespace tess::shmem::checking;
  location at;
  if (!sees_accesses || !find(address, bytes, at)) return;
  locked const all;
  acquire(at, bytes, true);
}
}
