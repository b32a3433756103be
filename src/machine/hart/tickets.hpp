// tickets: remote word operations that a hart has begun and whose results it has not taken (xBGAS, non-blocking forms).
//
//   A ticket is taken when its operation begins, is answered some time later, and is free again when the program has
//   taken the result. A posted operation has a slot instead, which its answer frees. A ticket whose thread has ended is
//   freed by its answer.
//
// Units     tickets and slots are numbers below `size`.
// Threads   none.
// Source    docs/machine/rae.md.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace tess::machine {

class ticket_table {
 public:
  static constexpr std::uint64_t size = 64;

  [[nodiscard]] bool is_full() const noexcept { return ~taken_ == 0; }
  [[nodiscard]] bool posted_are_full() const noexcept { return ~posted_ == 0; }
  /// The lowest free number; the table must not be full.
  std::uint64_t take() noexcept { return set_lowest(taken_); }
  std::uint64_t post() noexcept { return set_lowest(posted_); }

  void answer(std::uint64_t ticket, std::uint64_t value, bool failed) noexcept {
    std::uint64_t const bit = std::uint64_t{1} << ticket;
    if ((abandoned_ & bit) != 0) return free(bit);
    answered_ |= bit;
    if (failed) failed_ |= bit;
    values_[ticket] = value;
  }
  void answer_posted(std::uint64_t slot) noexcept { posted_ &= ~(std::uint64_t{1} << slot); }

  /// May its result be tested and taken?
  [[nodiscard]] bool is_held(std::uint64_t ticket) const noexcept { return is_in(taken_ & ~abandoned_, ticket); }
  [[nodiscard]] bool is_answered(std::uint64_t ticket) const noexcept { return is_in(answered_, ticket); }
  [[nodiscard]] bool has_failed(std::uint64_t ticket) const noexcept { return is_in(failed_, ticket); }
  /// The old value of the word of an answered ticket; the ticket is free then.
  std::uint64_t redeem(std::uint64_t ticket) noexcept {
    free(std::uint64_t{1} << ticket);
    return values_[ticket];
  }

  /// Is any operation incomplete?
  [[nodiscard]] bool are_under_way() const noexcept { return ((taken_ & ~answered_) | posted_) != 0; }
  /// The thread has ended: nothing will take its tickets.
  void abandon() noexcept {
    abandoned_ = taken_ & ~answered_;
    taken_ = abandoned_;
    answered_ = failed_ = 0;
  }

 private:
  static bool is_in(std::uint64_t set, std::uint64_t ticket) noexcept {
    return ticket < size && (set >> ticket & 1U) != 0;
  }
  static std::uint64_t set_lowest(std::uint64_t& set) noexcept {
    auto const lowest = static_cast<std::uint64_t>(std::countr_one(set));
    set |= std::uint64_t{1} << lowest;
    return lowest;
  }
  void free(std::uint64_t bit) noexcept {
    taken_ &= ~bit;
    answered_ &= ~bit;
    failed_ &= ~bit;
    abandoned_ &= ~bit;
  }

  std::uint64_t taken_ = 0;
  std::uint64_t answered_ = 0;
  std::uint64_t failed_ = 0;     ///< Among the answered: the home has no such word.
  std::uint64_t abandoned_ = 0;  ///< Among the taken: those of a thread that has ended.
  std::uint64_t posted_ = 0;
  std::array<std::uint64_t, size> values_{};
};

}  // namespace tess::machine
