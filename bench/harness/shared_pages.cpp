// shared_pages: memfd_create, mapped in the same way as segments.
#include "harness/shared_pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <new>

#include "harness/huge_pages.hpp"

namespace bench {

namespace {
/// MADV_COLLAPSE, which glibc 2.36 does not define; MADV_HUGEPAGE alone gives shared files no huge pages.
constexpr int madvise_collapse = 25;
}  // namespace

shared_words::shared_words(std::size_t count)
    : bytes_((count * sizeof(std::uint64_t) + huge_page_bytes - 1) / huge_page_bytes * huge_page_bytes) {
  int const file = ::memfd_create("bench", MFD_CLOEXEC);
  if (file < 0) throw std::bad_alloc();
  if (::ftruncate(file, static_cast<off_t>(bytes_)) == 0)
    mapped_ = ::mmap(nullptr, bytes_ + huge_page_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  void* memory = MAP_FAILED;
  if (mapped_ != MAP_FAILED) {
    auto const address = reinterpret_cast<std::uintptr_t>(mapped_);
    std::uintptr_t const aligned = (address + huge_page_bytes - 1) / huge_page_bytes * huge_page_bytes;
    memory = ::mmap(static_cast<std::byte*>(mapped_) + (aligned - address), bytes_, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_FIXED, file, 0);
  }
  ::close(file);
  if (memory == MAP_FAILED) {
    if (mapped_ != MAP_FAILED) ::munmap(mapped_, bytes_ + huge_page_bytes);
    throw std::bad_alloc();
  }
  std::memset(memory, 0, bytes_);
  // If the kernel cannot do so, pages stay small, as those of segments do then.
  (void)::madvise(memory, bytes_, MADV_HUGEPAGE);
  (void)::madvise(memory, bytes_, madvise_collapse);
  words_ = static_cast<std::uint64_t*>(memory);
}

shared_words::~shared_words() {
  ::munmap(mapped_, bytes_ + huge_page_bytes);
}

}  // namespace bench
