// stream_reader: reads a range of memory ahead, burst by burst, for data arrays and for the list of the linear map.
//
//   Slots are used in turn. A search looks at a burst when it arrives, in any order, and keeps none. A copy keeps them
//   in their slots and takes them in order. Bursts that are under way when another range begins are dropped when they
//   arrive; until then their slots are busy.
//
// Units     offsets in the memory, multiples of 8.
// Threads   one.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "machine/kernel/units.hpp"

namespace tess::machine {

class stream_reader {
 public:
  stream_reader(std::uint32_t slots, std::uint32_t burst_bytes) : slots_(slots), burst_(burst_bytes), of_(slots) {}

  /// From now on [offset, offset + bytes).
  void begin(std::uint64_t offset, std::uint64_t bytes) noexcept {
    next_ = offset;
    end_ = offset + bytes;
    head_ = issue_;
    live_ = 0;
  }

  [[nodiscard]] bool can_issue() const noexcept { return next_ != end_ && ((busy_ | full_) >> issue_ & 1U) == 0; }
  [[nodiscard]] std::uint32_t tag() const noexcept { return issue_; }
  [[nodiscard]] std::uint64_t offset() const noexcept { return next_; }
  [[nodiscard]] std::uint32_t words() const noexcept {
    return static_cast<std::uint32_t>((std::min((next_ & ~(burst_ - 1)) + burst_, end_) - next_) / word_bytes);
  }
  void issued() noexcept {
    of_[issue_].offset = next_;
    of_[issue_].words = words();
    busy_ |= bit(issue_);
    live_ |= bit(issue_);
    next_ += std::uint64_t{words()} * word_bytes;
    issue_ = after(issue_);
  }
  /// An answer: is it needed, from where is it, and how many of its words count?
  [[nodiscard]] bool live(std::uint32_t tag) const noexcept { return (live_ >> tag & 1U) != 0; }
  [[nodiscard]] std::uint64_t offset_of(std::uint32_t tag) const noexcept { return of_[tag].offset; }
  [[nodiscard]] std::uint32_t words_of(std::uint32_t tag) const noexcept { return of_[tag].words; }
  void arrived(std::uint32_t tag) noexcept {
    busy_ &= ~bit(tag);
    live_ &= ~bit(tag);
  }
  void keep(std::uint32_t tag, std::uint64_t const* words) noexcept {
    std::memcpy(of_[tag].data.data(), words, burst_);
    full_ |= bit(tag);
  }
  /// All bursts have been requested, and none is missing.
  [[nodiscard]] bool complete() const noexcept { return next_ == end_ && live_ == 0; }

  [[nodiscard]] bool head_full() const noexcept { return (full_ >> head_ & 1U) != 0; }
  /// The burst in turn, until the next one is taken.
  void take_head() noexcept {
    out_ = of_[head_].data;
    out_words_ = of_[head_].words;
    full_ &= ~bit(head_);
    head_ = after(head_);
  }
  [[nodiscard]] std::uint64_t const* out() const noexcept { return out_.data(); }
  [[nodiscard]] std::uint32_t out_words() const noexcept { return out_words_; }

 private:
  static constexpr std::uint32_t lanes_max = 16;
  struct slot {
    std::uint64_t offset = 0;
    std::uint32_t words = 0;
    std::array<std::uint64_t, lanes_max> data{};
  };
  [[nodiscard]] static std::uint64_t bit(std::uint32_t tag) noexcept { return std::uint64_t{1} << tag; }
  [[nodiscard]] std::uint32_t after(std::uint32_t tag) const noexcept { return tag + 1 == slots_ ? 0 : tag + 1; }

  std::uint32_t slots_;
  std::uint64_t burst_;
  std::vector<slot> of_;
  std::uint64_t next_ = 0;
  std::uint64_t end_ = 0;
  std::uint32_t issue_ = 0;
  std::uint32_t head_ = 0;
  std::uint64_t busy_ = 0;  ///< Slots whose bursts are under way.
  std::uint64_t live_ = 0;  ///< Those of them that are needed.
  std::uint64_t full_ = 0;
  std::array<std::uint64_t, lanes_max> out_{};
  std::uint32_t out_words_ = 0;
};

}  // namespace tess::machine
