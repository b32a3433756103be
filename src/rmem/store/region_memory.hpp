// region_memory: where the bytes of one region are: in the server's pages, or in shared memory while they are lent.
//
// Threads  one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "rmem/store/leased_memory.hpp"
#include "rmem/store/page_allocator.hpp"

namespace tess::memd {

class region_memory {
 public:
  /// `extents` are of `pages` and hold `size` bytes; the caller frees them.
  region_memory(page_allocator& pages, std::uint64_t size, std::vector<extent> extents);

  [[nodiscard]] std::vector<extent> const& extents() const { return extents_; }
  /// The contiguous bytes from `offset` on, at most `size`.
  [[nodiscard]] std::span<std::byte> bytes(std::uint64_t offset, std::uint64_t size) const;
  /// Calls f(offset, size) for everything that was ever written, in steps of at most `step`; the rest is zeros.
  void for_each_written(std::uint64_t step, std::function<void(std::uint64_t, std::uint64_t)> const& f) const;

  [[nodiscard]] bool is_lent() const { return lent_ != nullptr; }
  /// Moves the bytes to shared memory unless they are there; null if the system has none.
  [[nodiscard]] leased_memory* lend();
  /// Ends all leases and moves the bytes back.
  void recall();

 private:
  page_allocator* pages_;
  std::uint64_t size_;
  std::vector<extent> extents_;
  std::vector<std::uint64_t> starts_;  // of each extent within the region
  std::unique_ptr<leased_memory> lent_;
};

}  // namespace tess::memd
