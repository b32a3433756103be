// linearizable: decides whether an order of all operations on a word, each between its call and its return, explains
// every value that they returned. Written from the A extension's text, independently of the machine's arithmetic.
//
// Method    depth first, with the visited states: the set of completed operations, and the word. An operation may be
//           next if it was called before any other open one returned.
// Source    J. Wing, C. Gong, "Testing and Verifying Concurrent Objects" (1993).
#pragma once

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <cstring>
#include <functional>
#include <unordered_set>
#include <vector>

namespace tess::machine::test {

enum class what : std::uint8_t { load, store, swap, add, bxor, band, bor, min, max, minu, maxu, cas };

struct operation_done {
  what kind = what::load;
  std::uint64_t offset = 0;  ///< In the word of 8 bytes.
  std::uint64_t bytes = 8;
  std::uint64_t operand = 0;
  std::uint64_t expected = 0;
  std::uint64_t brought = 0;  ///< By a load, zero-extended; by an atomic, sign-extended.
  std::uint64_t called = 0;   ///< Numbers that only grow, of calls and returns together.
  std::uint64_t returned = 0;
};

template <class U, class S>
U after(operation_done const& done, U before) {
  U const with = static_cast<U>(done.operand);
  switch (done.kind) {
    case what::load:
      return before;
    case what::store:
    case what::swap:
      return with;
    case what::add:
      return static_cast<U>(before + with);
    case what::bxor:
      return before ^ with;
    case what::band:
      return before & with;
    case what::bor:
      return before | with;
    case what::min:
      return static_cast<S>(with) < static_cast<S>(before) ? with : before;
    case what::max:
      return static_cast<S>(with) > static_cast<S>(before) ? with : before;
    case what::minu:
      return with < before ? with : before;
    case what::maxu:
      return with > before ? with : before;
    case what::cas:
      return before == static_cast<U>(done.expected) ? with : before;
  }
  return before;
}

/// Applies the operation to the word; false if it would have returned another value.
template <class U, class S>
bool explains_as(operation_done const& done, std::uint64_t& word) {
  U before = 0;
  std::memcpy(&before, reinterpret_cast<char const*>(&word) + done.offset, sizeof before);  // NOLINT
  bool const atomic = done.kind != what::load && done.kind != what::store;
  auto const brings = atomic ? static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<S>(before)))
                             : static_cast<std::uint64_t>(before);
  if (done.kind != what::store && brings != done.brought) return false;
  U const now = after<U, S>(done, before);
  std::memcpy(reinterpret_cast<char*>(&word) + done.offset, &now, sizeof now);  // NOLINT
  return true;
}

inline bool explains(operation_done const& done, std::uint64_t& word) {
  switch (done.bytes) {
    case 1:
      return explains_as<std::uint8_t, std::int8_t>(done, word);
    case 2:
      return explains_as<std::uint16_t, std::int16_t>(done, word);
    case 4:
      return explains_as<std::uint32_t, std::int32_t>(done, word);
    default:
      return explains_as<std::uint64_t, std::int64_t>(done, word);
  }
}

class word_order {
 public:
  static constexpr std::size_t operations_max = 512;
  explicit word_order(std::vector<operation_done> history) : history_(std::move(history)) {}

  /// From a word that is 0.
  bool exists() { return history_.size() <= operations_max && extend({}, 0, history_.size()); }

 private:
  using done_set = std::bitset<operations_max>;
  bool extend(done_set const& done, std::uint64_t word, std::size_t open) {  // NOLINT: as deep as there are operations
    if (open == 0) return true;
    if (!seen_.insert(std::hash<done_set>{}(done) ^ word * 0x9e3779b97f4a7c15U).second) return false;
    std::uint64_t first_return = ~std::uint64_t{0};
    for (std::size_t i = 0; i < history_.size(); ++i) {
      if (!done[i]) first_return = std::min(first_return, history_[i].returned);
    }
    for (std::size_t i = 0; i < history_.size(); ++i) {
      if (done[i] || history_[i].called > first_return) continue;
      std::uint64_t next = word;
      if (!explains(history_[i], next)) continue;
      done_set with = done;
      if (extend(with.set(i), next, open - 1)) return true;
    }
    return false;
  }
  std::vector<operation_done> history_;
  /// 64-bit hashes of states: a collision could only make a correct run fail.
  std::unordered_set<std::uint64_t> seen_;
};

}  // namespace tess::machine::test
