// map: the growth of the hashed map, and the address space of the dense map.
#include "runtime/graphs/map.hpp"

#include <sys/mman.h>

namespace tess::detail {

void hashed_map::next_epoch() noexcept {
  if (++epoch_ != 0) return;
  for (slot& s : slots_) s.epoch = 0;
  for (slot& s : spare_) s.epoch = 0;
  epoch_ = 1;
}

void hashed_map::grow() {
  std::size_t const before = mask_ + 1;
  if (spare_.size() < 2 * before) spare_.resize(2 * before);
  std::swap(slots_, spare_);
  set_slots(2 * before);
  std::uint32_t const old = epoch_;
  next_epoch();
  for (std::size_t i = 0; i < before; ++i)
    if (spare_[i].epoch == old) put(spare_[i].source, spare_[i].units);
}

dense_map::~dense_map() {
  if (slots_ != nullptr) ::munmap(slots_, bytes_);
}

bool dense_map::begin(std::uint64_t segment_bytes) noexcept {
  if (slots_ == nullptr) {
    bytes_ = segment_bytes / granule * sizeof(slot);
    // Half of it is never touched, because objects lie in the upper half of a segment.
    void* const memory =
        ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return false;
    ::madvise(memory, bytes_, MADV_HUGEPAGE);
    slots_ = static_cast<slot*>(memory);
  }
  if (++epoch_ == 0) {
    ::madvise(slots_, bytes_, MADV_DONTNEED);
    epoch_ = 1;
  }
  return true;
}

}  // namespace tess::detail
