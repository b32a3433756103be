// atomics: common parts of kernels that update single words of other places by atomics, as the GAP Benchmark Suite
// does in one memory: counts of atomics, the number in flight per task, and sets of vertices.
//
// Threads   a vertex_set is made and released by one task, for all; insert() by any task, take() by one of the place.
// Source    Beamer, Asanović, Patterson, "The GAP Benchmark Suite" (2015).
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <vector>

#include "distributed/distributed_graph.hpp"

namespace kernels {

struct atomic_counts {
  std::uint64_t all = 0;
  std::uint64_t remote = 0;  // of them, on words of other places

  friend atomic_counts operator+(atomic_counts const& a, atomic_counts const& b) noexcept {
    return {a.all + b.all, a.remote + b.remote};
  }
};

// Adds up what the tasks of a place took.
class atomic_counter {
 public:
  void add(atomic_counts const& taken) noexcept {
    all_.fetch_add(taken.all, std::memory_order_relaxed);
    remote_.fetch_add(taken.remote, std::memory_order_relaxed);
  }
  [[nodiscard]] atomic_counts value() const noexcept {
    return {all_.load(std::memory_order_relaxed), remote_.load(std::memory_order_relaxed)};
  }

 private:
  std::atomic<std::uint64_t> all_{0};
  std::atomic<std::uint64_t> remote_{0};
};

// How the word operations of a task follow each other: 32 are in flight, or each is awaited before the next.
enum class pace : bool { overlapping, each_awaited };

// tess::overlap at that pace; calls take(k, result).
template <class Issue, class Take>
[[nodiscard]] tess::task<void> word_operations(pace how, std::uint64_t first, std::uint64_t last, Issue issue,
                                               Take take) {
  if (how == pace::overlapping) {
    co_await tess::overlap<32>(first, last, issue, take);
    co_return;
  }
  for (std::uint64_t k = first; k < last; ++k) take(k, co_await issue(k));
}
template <class Issue>
[[nodiscard]] tess::task<void> word_operations(pace how, std::uint64_t first, std::uint64_t last, Issue issue) {
  return word_operations(how, first, last, issue, [](std::uint64_t, auto&&) {});
}

// Vertices by their owners, in two halves: while one is emptied, the other fills.
//
// Shapes    [places][2][block / 64] words, a bit for each vertex.
class vertex_set {
 public:
  static tess::task<vertex_set> make(graph::distributed_graph g) {
    vertex_set s;
    s.graph_ = g;
    s.words_ = g.block() / word_bits;
    s.bits_ = co_await tess::global_array<std::uint64_t>::make(2 * s.words_ * tess::places());
    co_return s;
  }
  static tess::task<void> release(vertex_set s) { return tess::global_array<std::uint64_t>::release(s.bits_); }

  // An atomic at the vertex's owner, to be awaited.
  [[nodiscard]] auto insert(graph::vertex v, unsigned half) const {
    tess::place_id const owner = graph_.owner(v);
    std::uint64_t const i = v - graph_.begin_at(owner);
    return tess::fetch_or(bits_[(std::uint64_t{2} * owner + half) * words_ + i / word_bits],
                          std::uint64_t{1} << i % word_bits);
  }

  // Own vertices of a half that `wanted` accepts; they are removed before their data are read.
  template <class Wanted>
  [[nodiscard]] std::vector<graph::vertex> take(unsigned half, Wanted wanted) const {
    std::vector<graph::vertex> taken;
    std::uint64_t* const words = bits_.local().data() + half * words_;
    auto const first = static_cast<graph::vertex>(graph_.begin_at(tess::here()));
    for (std::uint64_t w = 0; w < words_; ++w) {
      std::atomic_ref word(words[w]);
      std::uint64_t leaving = 0;
      for (std::uint64_t left = word.load(std::memory_order_acquire); left != 0; left &= left - 1) {
        auto const v =
            static_cast<graph::vertex>(first + w * word_bits + static_cast<unsigned>(std::countr_zero(left)));
        if (!wanted(v)) continue;
        leaving |= left & -left;
        taken.push_back(v);
      }
      // Pairs with insert(): an insertion after the removal means that the vertex's data changed after it.
      if (leaving != 0) word.fetch_and(~leaving, std::memory_order_acq_rel);
    }
    return taken;
  }

 private:
  static constexpr std::uint64_t word_bits = 64;

  graph::distributed_graph graph_;
  tess::global_array<std::uint64_t> bits_;
  std::uint64_t words_ = 0;
};

}  // namespace kernels
