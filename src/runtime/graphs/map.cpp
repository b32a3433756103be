// map: the random rows of the hash, growth, and the address space of the dense map.
#include "runtime/graphs/map.hpp"

#include <sys/mman.h>

namespace tess::detail {

namespace {

constexpr unsigned address_bytes = 6;

std::vector<std::uint32_t> make_rows() {
  std::vector<std::uint32_t> combined(address_bytes * 256);
  std::uint32_t rows[8 * address_bytes];
  std::uint64_t state = 0x9E3779B97F4A7C15u;
  for (std::uint32_t& row : rows) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    row = static_cast<std::uint32_t>(state >> 32);
  }
  for (unsigned b = 0; b < address_bytes; ++b)
    for (unsigned value = 0; value < 256; ++value)
      for (unsigned bit = 0; bit < 8; ++bit)
        if ((value >> bit & 1) != 0) combined[b * 256 + value] ^= rows[8 * b + bit];
  return combined;
}

}  // namespace

hashed_map::hashed_map() : slots_(slots_min) {
  static_assert(bytes == address_bytes);
  static std::vector<std::uint32_t> const rows = make_rows();
  rows_ = rows.data();
}

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
  mask_ = 2 * before - 1;
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
