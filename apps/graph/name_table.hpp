// name_table: gives names numbers in the order in which they first come, by open addressing.
//
//   A slot has a whole integer, or a whole text of at most 11 bytes, so that a look-up misses the cache once; of a
//   longer text it has the hash. Names come in batches: what a look-up will read is fetched for all names of a batch
//   before the first is compared, so that misses overlap. A table of integers that lie close together is an array.
//
//   The hash multiplies and folds, as in wyhash (Wang Yi), with a seed that differs between processes: no file can be
//   made whose names all collide.
//
// Shapes    slots: [2^bits], of 16 bytes. The upper bits of the hash are the slot where a search begins.
// Threads   a table belongs to one thread; a table that does not change may be searched by many.
// Cost      24 to 48 bytes a name beside the name itself.
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
#include "graph/large_memory.hpp"

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

// What a slot knows of a name.
struct name_key {
  std::uint64_t low = 0;
  std::uint32_t high = 0;

  [[nodiscard]] static name_key of(std::int64_t integer) noexcept { return {static_cast<std::uint64_t>(integer), 0}; }

  // Up to 11 bytes, and their number above them; or a hash, and what no number of bytes is.
  [[nodiscard]] static name_key of(std::string_view text) noexcept {
    std::size_t const n = text.size();
    if (n > whole_bytes_max) return {detail::hash(text, process_seed()), hashed};
    char const* const at = text.data();
    std::uint32_t const size = static_cast<std::uint32_t>(n) << 24U;
    if (n >= 8) {
      std::uint64_t const last = detail::word_at<std::uint64_t>(at + n - 8);
      std::uint64_t const above = n == 8 ? 0 : last >> (8 * (16 - n));
      return {detail::word_at<std::uint64_t>(at), size | static_cast<std::uint32_t>(above)};
    }
    std::uint64_t low = 0;
    if (n >= 4) {
      std::uint64_t const last = detail::word_at<std::uint32_t>(at + n - 4);
      low = detail::word_at<std::uint32_t>(at) | last << (8 * (n - 4));
    } else {
      for (std::size_t i = 0; i < n; ++i) low |= std::uint64_t{static_cast<unsigned char>(at[i])} << (8 * i);
    }
    return {low, size};
  }

  // Names with this key are equal.
  [[nodiscard]] bool is_whole() const noexcept { return high != hashed; }
  [[nodiscard]] std::uint64_t hash(hash_seed const& seed) const noexcept {
    return detail::fold(detail::fold(low ^ seed.first, high ^ seed.second), seed.first | 1U);
  }
  bool operator==(name_key const&) const noexcept = default;

 private:
  static constexpr std::size_t whole_bytes_max = 11;
  static constexpr std::uint32_t hashed = ~std::uint32_t{0};
};

// Texts one after another: the i-th is bytes [offsets[i], offsets[i + 1]).
struct text_names {
  using name = std::string_view;

  large_vector<char> text;
  large_vector<std::int64_t> offsets{0};

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

  large_vector<std::int64_t> integers;

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
  name_slots() : slots_(std::size_t{1} << bits_, slot{}) {}

  // A name to look for: its key, and where the search begins in a table of any size.
  struct wanted {
    name_key key;
    std::uint64_t hash;
  };
  template <class Name>
  [[nodiscard]] wanted want(Name const& name) const noexcept {
    name_key const key = name_key::of(name);
    return {key, key.hash(seed_)};
  }

  // The first slot that is empty, or that has this name: has_name(number) says it of names with the same hash.
  template <class HasName>
  [[nodiscard]] std::size_t search(wanted const& one, HasName const& has_name) const noexcept {
    std::size_t const mask = slots_.size() - 1;
    std::size_t at = begin_of(one.hash);
    while (slots_[at].number_after != 0 &&
           !(slots_[at].has(one.key) && (one.key.is_whole() || has_name(number_at(at)))))
      at = (at + 1) & mask;
    return at;
  }
  [[nodiscard]] bool is_empty(std::size_t at) const noexcept { return slots_[at].number_after == 0; }
  [[nodiscard]] std::uint32_t number_at(std::size_t at) const noexcept { return slots_[at].number_after - 1; }
  void set(std::size_t at, name_key const& key, std::uint64_t number) noexcept {
    slots_[at] = {static_cast<std::uint32_t>(number + 1), key.high, key.low};
  }
  void fetch(wanted const& one) const noexcept { __builtin_prefetch(&slots_[begin_of(one.hash)]); }
  // The number that a name probably has; none if the first slots have other keys.
  [[nodiscard]] std::optional<std::uint32_t> guess(wanted const& one) const noexcept {
    std::size_t const mask = slots_.size() - 1;
    std::size_t at = begin_of(one.hash);
    for (int tries = 0; tries < 6 && slots_[at].number_after != 0; ++tries, at = (at + 1) & mask)
      if (slots_[at].has(one.key)) return number_at(at);
    return std::nullopt;
  }

  // Room for so many names: at most two thirds of the slots are used.
  void reserve(std::uint64_t names) {
    while (names * 3 > slots_.size() * 2) grow();
  }

 private:
  struct slot {
    std::uint32_t number_after = 0;  // the name's number + 1; 0 if the slot is empty
    std::uint32_t high = 0;
    std::uint64_t low = 0;

    [[nodiscard]] bool has(name_key const& key) const noexcept { return low == key.low && high == key.high; }
  };

  [[nodiscard]] std::size_t begin_of(std::uint64_t hash) const noexcept { return hash >> (64U - bits_); }

  void grow() {
    large_vector<slot> const old = std::exchange(slots_, large_vector<slot>(slots_.size() * 2, slot{}));
    ++bits_;
    std::size_t const mask = slots_.size() - 1;
    for (slot const& each : old) {
      if (each.number_after == 0) continue;
      std::size_t at = begin_of(name_key{each.low, each.high}.hash(seed_));
      while (slots_[at].number_after != 0) at = (at + 1) & mask;
      slots_[at] = each;
    }
  }

  hash_seed seed_ = process_seed();
  unsigned bits_ = 8;
  large_vector<slot> slots_;
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
    name_slots::wanted all[names_batch];
    std::size_t const count = batch.size();
    bool whole = true;
    for (std::size_t i = 0; i < count; ++i) {
      all[i] = slots_.want(batch[i]);
      whole = whole && all[i].key.is_whole();
      slots_.fetch(all[i]);
    }
    if (!whole) fetch_names({all, count});
    for (std::size_t i = 0; i < count; ++i) numbers[i] = add_one(batch[i], all[i]);
  }

  [[nodiscard]] Names const& names() const noexcept { return names_; }
  [[nodiscard]] Names take_names() noexcept { return std::move(names_); }

 private:
  void fetch_names(std::span<name_slots::wanted const> all) {
    std::optional<std::uint32_t> guesses[names_batch];
    for (std::size_t i = 0; i < all.size(); ++i)
      if (!all[i].key.is_whole() && (guesses[i] = slots_.guess(all[i]))) names_.fetch_place(*guesses[i]);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (guesses[i]) names_.fetch_name(*guesses[i]);
  }

  std::uint32_t add_one(name one, name_slots::wanted const& wanted) {
    std::size_t const slot = slots_.search(wanted, [&](std::uint32_t number) { return names_.is(number, one); });
    if (!slots_.is_empty(slot)) return slots_.number_at(slot);
    std::uint64_t const number = names_.size();
    if (number == vertices_count_max) throw too_many_names();
    slots_.set(slot, wanted.key, number);
    names_.append(one);
    return static_cast<std::uint32_t>(number);
  }

  Names names_;
  name_slots slots_;
};

// Integers from `least` on, below `least` + `range`.
class integer_array {
 public:
  using name = std::int64_t;

  integer_array() = default;
  integer_array(std::int64_t least, std::uint64_t range)
      : least_(static_cast<std::uint64_t>(least)), numbers_(range, 0) {}

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
  large_vector<std::uint32_t> numbers_;  // + 1; 0 for integers that did not come
  integer_names names_;
};

}  // namespace graph
