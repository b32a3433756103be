// shared_pages: memfd_create, mapped with the advice that segments give.
#include "harness/shared_pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <new>

#include "harness/huge_pages.hpp"

namespace bench {

shared_words::shared_words(std::size_t count)
    : bytes_((count * sizeof(std::uint64_t) + huge_page_bytes - 1) / huge_page_bytes * huge_page_bytes) {
  int const file = ::memfd_create("bench", MFD_CLOEXEC);
  if (file < 0) throw std::bad_alloc();
  void* mapped = MAP_FAILED;
  if (::ftruncate(file, static_cast<off_t>(bytes_)) == 0)
    mapped = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  (void)::madvise(mapped, bytes_, MADV_HUGEPAGE);
  std::memset(mapped, 0, bytes_);
  words_ = static_cast<std::uint64_t*>(mapped);
}

shared_words::~shared_words() {
  ::munmap(words_, bytes_);
}

}  // namespace bench
