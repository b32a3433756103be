// line_register: the bytes of one burst: read once, or written word by word until another burst is needed.
//
// Units     offsets in the memory, multiples of 8.
// Threads   one.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "machine/kernel/units.hpp"

namespace tess::machine {

class line_register {
 public:
  static constexpr std::uint32_t lanes_max = 16;
  /// Adjacent words that have changed.
  struct run {
    std::uint32_t lane = 0;
    std::uint32_t words = 0;
  };

  explicit line_register(std::uint32_t burst_bytes) : lanes_(burst_bytes / word_bytes), mask_(~(burst_bytes - 1ULL)) {}

  void clear() noexcept {
    tagged_ = false;
    valid_ = dirty_ = 0;
  }
  [[nodiscard]] bool has_line(std::uint64_t offset) const noexcept { return tagged_ && (offset & mask_) == line_; }
  [[nodiscard]] bool has(std::uint64_t offset) const noexcept {
    return has_line(offset) && (valid_ >> lane(offset) & 1U) != 0;
  }
  [[nodiscard]] std::uint64_t word(std::uint64_t offset) const noexcept { return words_[lane(offset)]; }
  /// It must have the line.
  void store(std::uint64_t offset, std::uint64_t value) noexcept {
    words_[lane(offset)] = value;
    valid_ |= 1U << lane(offset);
    dirty_ |= 1U << lane(offset);
  }
  /// Another line, of which nothing is known; nothing may be dirty.
  void take(std::uint64_t offset) noexcept {
    line_ = offset & mask_;
    tagged_ = true;
    valid_ = 0;
  }
  /// Words that were stored stay.
  void fill(std::uint64_t const* words) noexcept {
    for (std::uint32_t at = 0; at < lanes_; ++at)
      if ((valid_ >> at & 1U) == 0) words_[at] = words[at];
    valid_ = (1U << lanes_) - 1;
  }
  [[nodiscard]] bool dirty() const noexcept { return dirty_ != 0; }
  [[nodiscard]] run first_run() const noexcept {
    auto const first = static_cast<std::uint32_t>(std::countr_zero(dirty_));
    return {first, static_cast<std::uint32_t>(std::countr_one(dirty_ >> first))};
  }
  void written(run const& one) noexcept { dirty_ &= ~(((1U << one.words) - 1) << one.lane); }
  [[nodiscard]] std::uint64_t line() const noexcept { return line_; }
  [[nodiscard]] std::uint64_t const* words() const noexcept { return words_.data(); }

 private:
  [[nodiscard]] std::uint32_t lane(std::uint64_t offset) const noexcept {
    return static_cast<std::uint32_t>(offset / word_bytes) & (lanes_ - 1);
  }

  std::uint32_t lanes_;
  std::uint64_t mask_;
  std::uint64_t line_ = 0;
  bool tagged_ = false;
  std::uint32_t valid_ = 0;  ///< A bit for each word.
  std::uint32_t dirty_ = 0;
  std::array<std::uint64_t, lanes_max> words_{};
};

}  // namespace tess::machine
