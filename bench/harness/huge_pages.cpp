// huge_pages: maps one huge page more than needed, keeps the aligned part, advises the kernel, and touches every page.
#include "harness/huge_pages.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <new>

namespace bench {
namespace {

// The smallest page size: without huge pages, each page of this size faults separately.
constexpr std::size_t small_page_bytes = 4096;

constexpr std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

huge_mapping::huge_mapping(std::size_t bytes) : size_bytes_(round_up(bytes, huge_page_bytes)) {
  std::size_t const mapped_bytes = size_bytes_ + huge_page_bytes;
  void* const mapped =
      ::mmap(nullptr, mapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();

  auto const address = reinterpret_cast<std::uintptr_t>(mapped);
  std::size_t const before_bytes = round_up(address, huge_page_bytes) - address;
  std::size_t const after_bytes = huge_page_bytes - before_bytes;
  base_ = static_cast<std::byte*>(mapped) + before_bytes;
  if (before_bytes > 0) (void)::munmap(mapped, before_bytes);
  if (after_bytes > 0) (void)::munmap(base_ + size_bytes_, after_bytes);

  (void)::madvise(base_, size_bytes_, MADV_HUGEPAGE);
  for (std::size_t at = 0; at < size_bytes_; at += small_page_bytes) {
    *static_cast<std::byte volatile*>(base_ + at) = std::byte{0};
  }
}

huge_mapping::~huge_mapping() {
  if (size_bytes_ > 0) (void)::munmap(base_, size_bytes_);
}

}  // namespace bench
