// host_memory: an anonymous mapping without reservation, or pages of the fixed heap.
#include "machine/memory/host_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "machine/kernel/fixed_heap.hpp"

namespace tess::machine {

host_memory::host_memory(std::uint64_t bytes, pages of) : size_bytes_(bytes) {
  void* const mapped = fixed_heap::active() ? fixed_heap::take_pages(bytes)
                                            : ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) throw std::system_error{errno, std::generic_category(), "memory of the machine"};
  base_ = static_cast<std::byte*>(mapped);
  if (of == pages::large) static_cast<void>(::madvise(mapped, bytes, MADV_HUGEPAGE));  // small pages are slower
}

host_memory::~host_memory() {
  if (fixed_heap::holds(base_))
    fixed_heap::give_pages(base_, size_bytes_);
  else
    ::munmap(base_, size_bytes_);
}

void host_memory::copy(host_memory const& from) noexcept {
  constexpr std::uint64_t page = 4096;
  for (std::uint64_t at = 0; at < size_bytes_; at += page) {
    std::uint64_t const bytes = std::min(page, size_bytes_ - at);
    // A page that is not there stays so.
    if (std::memcmp(base_ + at, from.base_ + at, bytes) != 0) std::memcpy(base_ + at, from.base_ + at, bytes);
  }
}

void host_memory::discard(std::uint64_t begin, std::uint64_t end) noexcept {
  if (begin < end) ::madvise(base_ + begin, end - begin, MADV_DONTNEED);
}

}  // namespace tess::machine
