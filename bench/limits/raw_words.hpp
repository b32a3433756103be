// raw_words: get, put and fetch_add on 64-bit words by std::atomic_ref, on lines that are hot, in memory, or
// modified by another core.
//
//   All use memory of the caller, so that ours can be measured on the same lines. Random and stolen accesses follow
//   a chain: the word at the start of a line holds, in its low 32 bits, the index of the next line. fetch_add adds to
//   the high bits (chain_step), so that a chain survives any number of walks.
//
// Shapes    words: [lines][words_per_line], 64-byte aligned; only the first word of a line is used.
// Units     ns per operation. put on a chain is one get and one put of the same word: a put has no result to depend on.
// Threads   each measures on its own pinned thread (cpu 0; the owner of stolen lines on cpu 1).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace bench {

enum class word_op { get, put, put_relaxed, fetch_add };

inline constexpr std::size_t words_per_line = 8;

/// The addend of fetch_add on a chain; it leaves the 32 bits with the index of the next line unchanged.
inline constexpr std::uint64_t chain_step = std::uint64_t{1} << 32U;

[[nodiscard]] inline std::size_t next_word(std::uint64_t chain_word) noexcept {
  return static_cast<std::uint32_t>(chain_word) * words_per_line;
}

/// One random cycle through all lines: next[i] is the line after line i.
[[nodiscard]] std::vector<std::uint32_t> random_cycle(std::uint32_t lines, std::uint64_t seed);

/// Writes the cycle into the lines.
void write_chain(std::uint64_t* words, std::vector<std::uint32_t> const& cycle) noexcept;

/// Independent operations on consecutive lines in the L1 of the measuring core. `lines` is a power of two.
[[nodiscard]] double raw_word_hot(word_op op, std::uint64_t* words, std::uint32_t lines, std::uint64_t operations);

/// Along the chain of write_chain(): each address is the result of the previous operation.
[[nodiscard]] double raw_word_random(word_op op, std::uint64_t* words, std::uint64_t operations);

/// Along a chain whose lines another core has just written, all `lines` once per batch; the writing is not timed.
[[nodiscard]] double raw_word_stolen(word_op op, std::uint64_t* words, std::uint32_t lines, std::uint32_t batches);

/// A pinned thread that rewrites the chain on request, which leaves its lines modified in the cache of that core.
class line_owner {
 public:
  line_owner(std::uint64_t* words, std::uint32_t lines, int cpu_rank);
  line_owner(line_owner const&) = delete;
  line_owner& operator=(line_owner const&) = delete;
  ~line_owner();

  /// Returns when the other core has written all lines.
  void write();

 private:
  void serve(std::uint64_t* words, std::vector<std::uint32_t> const& cycle);

  static constexpr std::uint32_t stop = UINT32_MAX;
  alignas(64) std::atomic<std::uint32_t> asked_ = 0;
  alignas(64) std::atomic<std::uint32_t> done_ = 0;
  std::jthread thread_;
};

}  // namespace bench
