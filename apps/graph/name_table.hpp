// name_table: gives names numbers in the order in which they first come, by open addressing.
//
//   Names come in batches: what a look-up will read is fetched for all names of a batch before the first is compared,
//   so that misses of caches overlap. A table of integers that lie close together is an array instead.
//
//   The hash multiplies and folds, as in wyhash (Wang Yi), with a seed that differs between processes: no file can be
//   made whose names all collide.
//
// Shapes    slots: [2^bits] words, upper half the upper half of a name's hash, lower half its number + 1; 0 is empty.
//           The upper bits of the hash are the slot where a search begins, so a larger table has the same order.
// Threads   a table belongs to one thread; a table that does not change may be searched by many.
// Cost      12 to 24 bytes a name beside the name itself.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/edge.hpp"

namespace graph {

inline constexpr std::size_t names_batch = 64;

// The same in a whole process.
struct hash_seed {
  std::uint64_t first;
  std::uint64_t second;
};
[[nodiscard]] hash_seed const& process_seed() noexcept;

namespace detail {

[[nodiscard]] inline std::uint64_t fold(std::uint64_t a, std::uint64_t b) noexcept {
  unsigned __int128 const product = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

template <class Word>
[[nodiscard]] inline std::uint64_t word_at(char const* from) noexcept {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

[[nodiscard]] inline std::uint64_t hash(std::string_view text, hash_seed const& seed) noexcept {
  char const* at = text.data();
  std::size_t rest = text.size();
  std::uint64_t state = seed.second;
  for (; rest > 16; rest -= 16, at += 16)
    state = fold(word_at<std::uint64_t>(at) ^ seed.first, word_at<std::uint64_t>(at + 8) ^ state);
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  if (rest >= 8) {
    a = word_at<std::uint64_t>(at);
    b = word_at<std::uint64_t>(at + rest - 8);
  } else if (rest >= 4) {
    a = word_at<std::uint32_t>(at);
    b = word_at<std::uint32_t>(at + rest - 4);
  } else if (rest > 0) {
    auto const byte = [&](std::size_t i) { return static_cast<std::uint64_t>(static_cast<unsigned char>(at[i])); };
    a = byte(0) << 16U | byte(rest / 2) << 8U | byte(rest - 1);
  }
  return fold(seed.first ^ text.size(), fold(a ^ seed.first, b ^ state));
}

[[nodiscard]] inline std::uint64_t hash(std::int64_t integer, hash_seed const& seed) noexcept {
  return fold(fold(static_cast<std::uint64_t>(integer) ^ seed.first, seed.second), seed.first | 1U);
}

// Most names have 4 to 16 bytes: two overlapping words each.
[[nodiscard]] inline bool equal(std::string_view a, std::string_view b) noexcept {
  std::size_t const n = a.size();
  if (n != b.size()) return false;
  auto const ends_equal = [&]<class Word>(Word) {
    return ((word_at<Word>(a.data()) ^ word_at<Word>(b.data())) |
            (word_at<Word>(a.data() + n - sizeof(Word)) ^ word_at<Word>(b.data() + n - sizeof(Word)))) == 0;
  };
  if (n >= 8 && n <= 16) return ends_equal(std::uint64_t{});
  if (n >= 4 && n < 8) return ends_equal(std::uint32_t{});
  return n == 0 || std::memcmp(a.data(), b.data(), n) == 0;
}

}  // namespace detail

// Texts one after another: the i-th is bytes [offsets[i], offsets[i + 1]).
struct text_names {
  using name = std::string_view;

  std::vector<char> text;
  std::vector<std::int64_t> offsets{0};

  [[nodiscard]] std::uint64_t size() const noexcept { return offsets.size() - 1; }
  [[nodiscard]] name operator[](std::uint64_t i) const noexcept {
    return {text.data() + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
  }
  [[nodiscard]] bool is(std::uint64_t i, name other) const noexcept { return detail::equal((*this)[i], other); }
  void append(name one) {
    text.insert(text.end(), one.begin(), one.end());
    offsets.push_back(static_cast<std::int64_t>(text.size()));
  }
  void fetch_place(std::uint64_t i) const noexcept { __builtin_prefetch(offsets.data() + i); }
  void fetch_name(std::uint64_t i) const noexcept { __builtin_prefetch(text.data() + offsets[i]); }
};

struct integer_names {
  using name = std::int64_t;

  std::vector<std::int64_t> integers;

  [[nodiscard]] std::uint64_t size() const noexcept { return integers.size(); }
  [[nodiscard]] name operator[](std::uint64_t i) const noexcept { return integers[i]; }
  [[nodiscard]] bool is(std::uint64_t i, name other) const noexcept { return integers[i] == other; }
  void append(name one) { integers.push_back(one); }
  void fetch_place(std::uint64_t i) const noexcept { __builtin_prefetch(integers.data() + i); }
  void fetch_name(std::uint64_t) const noexcept {}
};

// The slots of a table, apart from its names.
class name_slots {
 public:
  name_slots() : slots_(std::size_t{1} << bits_) {}

  [[nodiscard]] static std::uint32_t tag_of(std::uint64_t hash) noexcept {
    return static_cast<std::uint32_t>(hash >> 32U);
  }
  // The first slot that is empty, or whose name is_wanted(number) among those with this tag.
  template <class IsWanted>
  [[nodiscard]] std::size_t search(std::uint32_t tag, IsWanted const& is_wanted) const noexcept {
    std::size_t const mask = slots_.size() - 1;
    std::size_t at = begin_of(tag);
    while (slots_[at] != 0 && !(slots_[at] >> 32U == tag && is_wanted(number_at(at)))) at = (at + 1) & mask;
    return at;
  }
  [[nodiscard]] bool is_empty(std::size_t slot) const noexcept { return slots_[slot] == 0; }
  [[nodiscard]] std::uint32_t number_at(std::size_t slot) const noexcept {
    return static_cast<std::uint32_t>(slots_[slot]) - 1;
  }
  void set(std::size_t slot, std::uint32_t tag, std::uint64_t number) noexcept {
    slots_[slot] = std::uint64_t{tag} << 32U | (number + 1);
  }
  void fetch(std::uint32_t tag) const noexcept { __builtin_prefetch(slots_.data() + begin_of(tag)); }
  // The number that a name with this tag probably has; none if the first slots have other tags.
  [[nodiscard]] std::optional<std::uint32_t> guess(std::uint32_t tag) const noexcept {
    std::size_t const mask = slots_.size() - 1;
    std::size_t at = begin_of(tag);
    for (int tries = 0; tries < 6 && slots_[at] != 0; ++tries, at = (at + 1) & mask)
      if (slots_[at] >> 32U == tag) return number_at(at);
    return std::nullopt;
  }

  // Room for so many names: at most two thirds of the slots are used, as long as there are hashes for more slots.
  void reserve(std::uint64_t names) {
    while (bits_ < 32 && names * 3 > slots_.size() * 2) grow();
  }

 private:
  [[nodiscard]] std::size_t begin_of(std::uint32_t tag) const noexcept { return tag >> (32U - bits_); }

  void grow() {
    std::vector<std::uint64_t> const old = std::exchange(slots_, std::vector<std::uint64_t>(slots_.size() * 2));
    ++bits_;
    std::size_t const mask = slots_.size() - 1;
    for (std::uint64_t const slot : old) {
      if (slot == 0) continue;
      std::size_t at = begin_of(static_cast<std::uint32_t>(slot >> 32U));
      while (slots_[at] != 0) at = (at + 1) & mask;
      slots_[at] = slot;
    }
  }

  unsigned bits_ = 10;
  std::vector<std::uint64_t> slots_;
};

struct too_many_names : std::length_error {
  too_many_names() : std::length_error("too many names") {}
};

template <class Names>
class name_table {
 public:
  using name = typename Names::name;

  // The numbers of at most names_batch names; those that are new get the next ones.
  void add(std::span<name const> batch, std::uint32_t* numbers) {
    slots_.reserve(names_.size() + batch.size());
    std::uint32_t tags[names_batch];
    std::size_t const count = batch.size();
    for (std::size_t i = 0; i < count; ++i) {
      tags[i] = name_slots::tag_of(detail::hash(batch[i], seed_));
      slots_.fetch(tags[i]);
    }
    std::optional<std::uint32_t> guesses[names_batch];
    for (std::size_t i = 0; i < count; ++i)
      if ((guesses[i] = slots_.guess(tags[i]))) names_.fetch_place(*guesses[i]);
    for (std::size_t i = 0; i < count; ++i)
      if (guesses[i]) names_.fetch_name(*guesses[i]);
    for (std::size_t i = 0; i < count; ++i) numbers[i] = add_one(batch[i], tags[i]);
  }

  [[nodiscard]] Names const& names() const noexcept { return names_; }
  [[nodiscard]] Names take_names() noexcept { return std::move(names_); }
  [[nodiscard]] name_slots take_slots() noexcept { return std::move(slots_); }

 private:
  std::uint32_t add_one(name one, std::uint32_t tag) {
    std::size_t const slot = slots_.search(tag, [&](std::uint32_t number) { return names_.is(number, one); });
    if (!slots_.is_empty(slot)) return slots_.number_at(slot);
    std::uint64_t const number = names_.size();
    if (number == vertices_count_max) throw too_many_names();
    slots_.set(slot, tag, number);
    names_.append(one);
    return static_cast<std::uint32_t>(number);
  }

  hash_seed seed_ = process_seed();
  Names names_;
  name_slots slots_;
};

// Integers from `least` on, below `least` + `range`.
class integer_array {
 public:
  using name = std::int64_t;

  integer_array() = default;
  integer_array(std::int64_t least, std::uint64_t range) : least_(static_cast<std::uint64_t>(least)), numbers_(range) {}

  void add(std::span<name const> batch, std::uint32_t* numbers) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      std::uint32_t& number = numbers_[static_cast<std::uint64_t>(batch[i]) - least_];
      if (number == 0) {
        names_.append(batch[i]);
        number = static_cast<std::uint32_t>(names_.size());
      }
      numbers[i] = number - 1;
    }
  }

  [[nodiscard]] integer_names const& names() const noexcept { return names_; }
  [[nodiscard]] integer_names take_names() noexcept { return std::move(names_); }

 private:
  std::uint64_t least_ = 0;
  std::vector<std::uint32_t> numbers_;  // + 1; 0 for integers that did not come
  integer_names names_;
};

}  // namespace graph
