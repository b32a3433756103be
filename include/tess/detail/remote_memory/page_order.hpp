// page_order: the order in which the frames of a page cache are replaced: a linked list of frame numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tess::rmem::detail {

class page_order {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  explicit page_order(std::size_t frames) : links_(frames) {}

  /// The frame to replace first, and the frame after another one.
  [[nodiscard]] std::uint32_t first() const noexcept { return first_; }
  [[nodiscard]] std::uint32_t last() const noexcept { return last_; }
  [[nodiscard]] std::uint32_t next(std::uint32_t i) const noexcept { return links_[i].next; }

  void append(std::uint32_t i) {
    links_[i] = {last_, none};
    (last_ == none ? first_ : links_[last_].next) = i;
    last_ = i;
  }
  void prepend(std::uint32_t i) {
    links_[i] = {none, first_};
    (first_ == none ? last_ : links_[first_].previous) = i;
    first_ = i;
  }
  void remove(std::uint32_t i) {
    link const gone = links_[i];
    (gone.previous == none ? first_ : links_[gone.previous].next) = gone.next;
    (gone.next == none ? last_ : links_[gone.next].previous) = gone.previous;
  }

 private:
  struct link {
    std::uint32_t previous = none;
    std::uint32_t next = none;
  };
  std::vector<link> links_;
  std::uint32_t first_ = none;
  std::uint32_t last_ = none;
};

}  // namespace tess::rmem::detail
