// replicated: an array with a whole copy at every place; each place computes one block of it.
//
//   A step of an iteration writes the own block of the own copy; after synchronisation gather() gets the other blocks,
//   or the requested parts of them, from the copies of their owners.
//
// Shapes    [size()] at every place, blocks of block() elements.
// Units     elements of T, trivially copyable, zero at first.
// Threads   made and released by one task, for all; gather() by one task of the place.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "kernels/referenced.hpp"
#include "tess/tess.hpp"

namespace kernels {

template <class T>
class replicated {
 public:
  static tess::task<replicated> make(std::uint64_t size, std::uint64_t block) {
    replicated r;
    r.size_ = size;
    r.block_ = block;
    // One block of `size` for each place.
    r.copies_ = co_await tess::global_array<T>::make(size * tess::places());
    co_return r;
  }
  static tess::task<void> release(replicated r) { return tess::global_array<T>::release(r.copies_); }

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] std::span<T> local() const { return {copies_[tess::here() * copies_.block()].local(), size_}; }

  // Element i in the copy of its owner.
  [[nodiscard]] tess::global_ptr<T> at(std::uint64_t i) const noexcept {
    return copies_[i / block_ * copies_.block() + i];
  }

  [[nodiscard]] tess::task<void> gather() const {
    tess::counter done;
    unsigned const places = tess::places();
    for (unsigned step = 1; step < places; ++step) {
      // Each place starts with its neighbour, so that places do not all read the same one.
      auto const p = static_cast<tess::place_id>((tess::here() + step) % places);
      std::uint64_t const begin = std::min(p * block_, size_);
      std::uint64_t const end = std::min(begin + block_, size_);
      if (begin == end) continue;
      tess::get(copies_[p * copies_.block() + begin], local().subspan(begin, end - begin), done);
    }
    co_await done;
  }
  [[nodiscard]] tess::task<void> gather(std::span<element_range const> ranges) const {
    tess::counter done;
    for (auto const [begin, end] : ranges) tess::get(at(begin), local().subspan(begin, end - begin), done);
    co_await done;
  }

 private:
  tess::global_array<T> copies_;
  std::uint64_t size_ = 0;
  std::uint64_t block_ = 1;
};

}  // namespace kernels
