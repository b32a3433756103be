// benchmark: the eight access patterns of CircusTent, each by fetch-and-add and by compare-and-swap, on words of all
// places.
//
//   Every place has two arrays: ARRAY of `elements` words and IDX of `iterations` + 1 positions in ARRAY (ptrchase: in
//   IDX). All operations of a place go to the next one, so a word has one writer; those of ptrchase go to random
//   places.
//
// Units     elements are words of 8 bytes.
// Cost      an operation is awaited before the next one of its task begins, as the suite's blocking calls are.
// Source    CircusTent (PMAM 2020), its SHMEM kernels as published: command line, patterns and operation counts.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tess/tess.hpp"

namespace circustent {

enum class pattern : std::uint8_t { rand, stride1, striden, ptrchase, central, sg, scatter, gather };
enum class amo : std::uint8_t { add, cas };

/// What STRIDE1 and STRIDEN add.
inline constexpr std::uint64_t stride_operand = 0xf;

inline constexpr std::array<std::string_view, 8> pattern_names{"RAND",    "STRIDE1", "STRIDEN", "PTRCHASE",
                                                               "CENTRAL", "SG",      "SCATTER", "GATHER"};

struct benchmark {
  pattern what = pattern::rand;
  amo by = amo::add;

  [[nodiscard]] std::string name() const {
    return std::string(pattern_names[static_cast<std::size_t>(what)]) + (by == amo::add ? "_ADD" : "_CAS");
  }
  /// Atomic operations of an iteration.
  [[nodiscard]] unsigned operations() const noexcept {
    if (what == pattern::sg) return 4;
    return what == pattern::scatter || what == pattern::gather ? 3 : 1;
  }
};
/// Finds a benchmark by name, such as "RAND_ADD"; nothing if there is none.
[[nodiscard]] std::optional<benchmark> named(std::string_view name);

struct shape {
  std::uint64_t elements = 0;    ///< Words in the ARRAY of each place.
  std::uint64_t iterations = 0;  ///< Per place.
  std::uint64_t stride = 1;
  std::uint64_t seed = 1;
  unsigned tasks = 1;  ///< Among which each place's iterations are shared out.

  /// The place that a place's iteration i works on.
  [[nodiscard]] std::uint64_t target(benchmark const& of, std::uint64_t place, std::uint64_t i,
                                     std::uint64_t places) const noexcept;
  /// Initial words of ARRAY and IDX.
  [[nodiscard]] std::uint64_t array_word(std::uint64_t place, std::uint64_t k) const noexcept;
  [[nodiscard]] std::uint64_t index_word(benchmark const& of, std::uint64_t place, std::uint64_t k) const noexcept;
};

/// Both arrays, block by block at each place.
struct arrays {
  tess::global_array<std::uint64_t> array;
  tess::global_array<std::uint64_t> index;

  [[nodiscard]] tess::global_ptr<std::uint64_t> array_at(std::uint64_t place, std::uint64_t k) const noexcept {
    return array[place * array.block() + k];
  }
  [[nodiscard]] tess::global_ptr<std::uint64_t> index_at(std::uint64_t place, std::uint64_t k) const noexcept {
    return index[place * index.block() + k];
  }
};

/// Fills both arrays of this place.
void fill(benchmark const& of, shape const& given, arrays const& all);
/// Runs this place's iterations.
[[nodiscard]] tess::task<void> run(benchmark of, shape given, arrays all);
/// The number of words of this place's arrays that differ from a sequential run; with several tasks only where the
/// order of operations makes no difference.
[[nodiscard]] std::uint64_t wrong_words(benchmark const& of, shape const& given, arrays const& all);

/// Sum over this place's words and their positions; the sums of all places are added.
[[nodiscard]] std::uint64_t checksum(arrays const& all);

}  // namespace circustent
