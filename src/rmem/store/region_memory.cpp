// region_memory: moves between pages and shared memory are done in steps, so that both copies never exist as a whole.
#include "rmem/store/region_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

namespace tess::memd {

namespace {
constexpr std::uint64_t step_bytes = std::uint64_t{2} << 20;
}

region_memory::region_memory(page_allocator& pages, std::uint64_t size, std::vector<extent> extents)
    : pages_(&pages), size_(size), extents_(std::move(extents)) {
  std::uint64_t start = 0;
  for (auto const& e : extents_) {
    starts_.push_back(start);
    start += e.size;
  }
}

std::span<std::byte> region_memory::bytes(std::uint64_t offset, std::uint64_t size) const {
  if (lent_) return {lent_->bytes() + offset, std::min(size, size_ - offset)};
  auto const after = std::ranges::upper_bound(starts_, offset);
  auto const index = static_cast<std::size_t>(after - starts_.begin()) - 1;
  std::uint64_t const within = offset - starts_[index];
  extent const& e = extents_[index];
  return {pages_->at(e.offset + within), std::min({size, size_ - offset, e.size - within})};
}

void region_memory::for_each_written(std::uint64_t step,
                                     std::function<void(std::uint64_t, std::uint64_t)> const& f) const {
  int const file = pages_->file();
  for (std::size_t i = 0; i < extents_.size(); ++i) {
    auto const& [offset, size] = extents_[i];
    for (std::uint64_t at = offset; at < offset + size;) {
      off_t const data = lseek(file, static_cast<off_t>(at), SEEK_DATA);
      if (data < 0 || static_cast<std::uint64_t>(data) >= offset + size) break;
      off_t const hole = lseek(file, data, SEEK_HOLE);
      std::uint64_t const end = hole < 0 ? offset + size : std::min(offset + size, static_cast<std::uint64_t>(hole));
      for (at = static_cast<std::uint64_t>(data); at < end;) {
        std::uint64_t const begin = starts_[i] + at - offset;
        std::uint64_t const now = std::min(end - at, step);
        if (begin < size_) f(begin, std::min(now, size_ - begin));
        at += now;
      }
    }
  }
}

leased_memory* region_memory::lend() {
  if (lent_) return lent_.get();
  auto lent = leased_memory::make(page_allocator::rounded(size_));
  if (!lent) return nullptr;
  for (std::size_t i = 0; i < extents_.size(); ++i) {
    auto const& [offset, size] = extents_[i];
    for (std::uint64_t at = 0; at < size; at += step_bytes) {
      extent const step{offset + at, std::min(step_bytes, size - at)};
      copy_without_holes(pages_->file(), pages_->at(0), step.offset, step.offset + step.size,
                         lent->bytes() + starts_[i] + at);
      pages_->clear(step);
    }
  }
  lent_ = std::move(lent);
  return lent_.get();
}

void region_memory::recall() {
  if (!lent_) return;
  auto const lent = std::move(lent_);
  lent->end();
  for (std::size_t i = 0; i < extents_.size(); ++i) {
    auto const& [offset, size] = extents_[i];
    for (std::uint64_t at = 0; at < size; at += step_bytes) {
      std::uint64_t const begin = starts_[i] + at;
      std::uint64_t const end = begin + std::min(step_bytes, size - at);
      copy_without_holes(lent->file(), lent->bytes(), begin, end, pages_->at(offset + at));
      lent->empty(begin, end - begin);
    }
  }
}

}  // namespace tess::memd
