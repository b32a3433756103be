// owned_region: a region of objects that ends with its owner, unless it is released.
#pragma once

#include <utility>

#include "tess/detail/objects/region.hpp"

namespace tess::detail {

class owned_region {
 public:
  owned_region() = default;
  explicit owned_region(region* r) noexcept : region_(r) {}
  owned_region(owned_region&& other) noexcept : region_(other.release()) {}
  owned_region& operator=(owned_region&& other) noexcept {
    std::swap(region_, other.region_);
    return *this;
  }
  ~owned_region() {
    if (region_ != nullptr) region::end(region_);
  }
  explicit operator bool() const noexcept { return region_ != nullptr; }
  region* operator->() const noexcept { return region_; }
  [[nodiscard]] region* get() const noexcept { return region_; }
  [[nodiscard]] region* release() noexcept { return std::exchange(region_, nullptr); }

 private:
  region* region_ = nullptr;
};

}  // namespace tess::detail
