// huge_pages: memory in 2 MiB pages, touched in advance, so that measurements do not include page walks and faults.
//
// Errors    std::bad_alloc if the kernel has no memory. Without huge pages, small ones are used; that is no error.
// Cost      construction faults every page in; never construct inside a timed part.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace bench {

inline constexpr std::size_t huge_page_bytes = std::size_t{2} << 20U;
inline constexpr std::size_t line_bytes = 64;

/// Zeroed, 2 MiB aligned, present memory.
class huge_mapping {
 public:
  explicit huge_mapping(std::size_t bytes);
  huge_mapping(huge_mapping&& other) noexcept
      : base_(std::exchange(other.base_, nullptr)), size_bytes_(std::exchange(other.size_bytes_, 0)) {}
  huge_mapping& operator=(huge_mapping&& other) noexcept {
    std::swap(base_, other.base_);
    std::swap(size_bytes_, other.size_bytes_);
    return *this;
  }
  ~huge_mapping();

  [[nodiscard]] std::byte* base() const noexcept { return base_; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return size_bytes_; }

 private:
  std::byte* base_ = nullptr;
  std::size_t size_bytes_ = 0;
};

/// A fixed number of zeroed T in huge pages.
template <class T>
  requires std::is_trivially_copyable_v<T>
class huge_array {
 public:
  explicit huge_array(std::size_t count) : mapping_(count * sizeof(T)), values_(make(mapping_, count)) {}

  [[nodiscard]] T* data() const noexcept { return values_.data(); }
  [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
  [[nodiscard]] T& operator[](std::size_t i) const noexcept { return values_[i]; }
  [[nodiscard]] auto begin() const noexcept { return values_.begin(); }
  [[nodiscard]] auto end() const noexcept { return values_.end(); }
  [[nodiscard]] std::span<T> span() const noexcept { return values_; }

 private:
  static std::span<T> make(huge_mapping const& mapping, std::size_t count) noexcept {
    T* const first = reinterpret_cast<T*>(mapping.base());
    std::uninitialized_value_construct_n(first, count);
    return {first, count};
  }

  huge_mapping mapping_;
  std::span<T> values_;
};

}  // namespace bench
