// link_set: a set of links, as a flag for each link and a list of the members.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tess::machine {

class link_set {
 public:
  /// A set of numbers below `links`.
  explicit link_set(std::uint32_t links) : contains_(links) {}

  void insert(std::uint32_t link) {
    if (std::exchange(contains_[link], std::uint8_t{1}) == 0) members_.push_back(link);
  }
  void insert(std::span<std::uint32_t const> links) {
    for (std::uint32_t const link : links) insert(link);
  }
  [[nodiscard]] bool contains(std::uint32_t link) const noexcept { return contains_[link] != 0; }
  /// In insertion order.
  [[nodiscard]] std::vector<std::uint32_t> const& members() const noexcept { return members_; }
  void clear() noexcept {
    for (std::uint32_t const link : members_) contains_[link] = 0;
    members_.clear();
  }

 private:
  std::vector<std::uint8_t> contains_;  ///< [link]
  std::vector<std::uint32_t> members_;
};

}  // namespace tess::machine
