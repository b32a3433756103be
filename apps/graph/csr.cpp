// csr: edges sorted into rows by counting, then each row by target; all steps by several threads.
#include "graph/csr.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/error.hpp"
#include "graph/large_memory.hpp"
#include "graph/parallel.hpp"
#include "graph/sort_rows.hpp"

namespace graph {

namespace {

constexpr auto relaxed = std::memory_order_relaxed;

// The part of [0, size) that a thread works on.
struct range {
  std::uint64_t begin;
  std::uint64_t end;
};
range share(std::uint64_t size, unsigned thread, unsigned threads) noexcept {
  return {part_begin(size, thread, threads), part_begin(size, thread + 1, threads)};
}

// An array whose pages the threads that fill it touch first.
template <class T>
class shared_array {
 public:
  shared_array() = default;
  explicit shared_array(std::uint64_t size)
      : elements_(
            static_cast<T*>(take_large_memory(std::max<std::uint64_t>(size, 1) * sizeof(T))),
            [bytes = std::max<std::uint64_t>(size, 1) * sizeof(T)](T* memory) { give_large_memory(memory, bytes); }) {}
  [[nodiscard]] T* get() const noexcept { return elements_.get(); }
  T& operator[](std::uint64_t i) const noexcept { return elements_.get()[i]; }

 private:
  std::shared_ptr<T[]> elements_;
};

// What the spans of csr_rows lie in.
struct row_memory {
  shared_array<std::uint64_t> offsets;
  shared_array<std::uint32_t> targets;
  shared_array<double> weights;
};

std::pair<csr_rows, std::shared_ptr<void const>> share_rows(row_memory memory, std::uint64_t vertices, bool weighted) {
  std::uint64_t const entries = memory.offsets[vertices];
  csr_rows rows{{memory.offsets.get(), vertices + 1}, {memory.targets.get(), entries}, {}};
  if (weighted) rows.weights = {memory.weights.get(), entries};
  return {rows, std::make_shared<row_memory>(std::move(memory))};
}

// counts[v + 1] becomes the begin of row v, and counts[0] 0: the slot that filling advances, as in `loading`. Returns
// the sum.
std::uint64_t number_rows(std::span<std::uint64_t> counts, unsigned threads) {
  std::vector<std::uint64_t> sums(threads + 1);
  on_threads(threads, [&](unsigned t) {
    auto const [begin, end] = share(counts.size(), t, threads);
    std::uint64_t sum = 0;
    for (std::uint64_t i = begin; i < end; ++i) sum += counts[i];
    sums[t + 1] = sum;
  });
  for (unsigned t = 0; t < threads; ++t) sums[t + 1] += sums[t];
  on_threads(threads, [&](unsigned t) {
    auto const [begin, end] = share(counts.size(), t, threads);
    std::uint64_t sum = sums[t];
    for (std::uint64_t i = begin; i < end; ++i) counts[i] = std::exchange(sum, sum + counts[i]);
  });
  return sums[threads];
}

// An entry of a row while the rows are made.
struct plain_entry {
  static constexpr bool knows_edge = false;
  std::uint32_t word = 0;

  plain_entry(std::uint32_t target, std::uint64_t) noexcept : word(target) {}
  [[nodiscard]] std::uint32_t target() const noexcept { return word; }
  bool operator<(plain_entry const& other) const noexcept { return word < other.word; }
};
// With weights it knows its edge: entries with the same target are in the order of the edges.
template <class Word>
struct numbered_entry {
  static constexpr bool knows_edge = true;
  static constexpr unsigned half = sizeof(Word) * 4;
  Word word = 0;

  numbered_entry(std::uint32_t target, std::uint64_t edge) noexcept : word(Word{target} << half | edge) {}
  [[nodiscard]] std::uint32_t target() const noexcept { return static_cast<std::uint32_t>(word >> half); }
  [[nodiscard]] std::uint64_t edge() const noexcept {
    return static_cast<std::uint64_t>(word & ((Word{1} << half) - 1));
  }
  bool operator<(numbered_entry const& other) const noexcept { return word < other.word; }
};

// The edges of make_csr, the rules, and the rows while they grow.
template <class Entry>
class row_maker {
 public:
  row_maker(std::uint64_t vertices, std::span<std::uint32_t const> sources, std::span<std::uint32_t const> targets,
            std::span<double const> weights, csr_rules const& rules)
      : vertices_(vertices),
        sources_(sources),
        targets_(targets),
        weights_(weights),
        rules_(rules),
        threads_(threads_for(rules.threads)) {}

  csr make() {
    begins_ = shared_array<std::uint64_t>(vertices_ + 1);
    std::span<std::uint64_t> const counts(begins_.get(), vertices_ + 1);
    on_threads(threads_, [&](unsigned t) {
      auto const [begin, end] = share(counts.size(), t, threads_);
      std::fill(counts.begin() + static_cast<std::ptrdiff_t>(begin), counts.begin() + static_cast<std::ptrdiff_t>(end),
                0);
    });
    each_end([&](std::span<end_of_edge const> ends) {
      for (end_of_edge const& e : ends) __builtin_prefetch(&counts[e.source + std::uint64_t{1}], 1);
      for (end_of_edge const& e : ends) std::atomic_ref(counts[e.source + std::uint64_t{1}]).fetch_add(1, relaxed);
    });
    // Slot v + 1 has the count of row v, becomes its begin, and its end once the row is filled.
    std::uint64_t const entries = number_rows(counts, threads_);
    entries_ = shared_array<Entry>(entries);
    each_end([&](std::span<end_of_edge const> ends) {
      std::array<std::uint64_t, ends_at_once> slots;
      for (end_of_edge const& e : ends) __builtin_prefetch(&counts[e.source + std::uint64_t{1}], 1);
      for (std::size_t i = 0; i < ends.size(); ++i) {
        slots[i] = std::atomic_ref(counts[ends[i].source + std::uint64_t{1}]).fetch_add(1, relaxed);
        __builtin_prefetch(&entries_[slots[i]], 1);
      }
      for (std::size_t i = 0; i < ends.size(); ++i) entries_[slots[i]] = Entry(ends[i].target, ends[i].edge);
    });
    tidy();
    return compact();
  }

 private:
  struct end_of_edge {
    std::uint32_t source;
    std::uint32_t target;
    std::uint64_t edge;
  };
  static constexpr std::size_t ends_at_once = 64;

  // f(ends) for the entries of rows, some at once: what each of them reads or writes misses caches, but together they
  // wait once. The first pass refuses self-loops, too.
  template <class F>
  void each_end(F const& f) {
    on_threads(threads_, [&](unsigned t) {
      auto const [begin, end] = share(sources_.size(), t, threads_);
      std::array<end_of_edge, ends_at_once> ends;
      std::size_t filled = 0;
      for (std::uint64_t i = begin; i < end; ++i) {
        std::uint32_t const u = sources_[i], v = targets_[i];
        if (u == v && rules_.self_loops == self_loops_rule::drop) continue;
        if (u == v && rules_.self_loops == self_loops_rule::refuse) refuse(i, "a self-loop", "two different ends");
        ends[filled++] = {u, v, i};
        if (u != v && !rules_.directed) ends[filled++] = {v, u, i};
        if (filled + 2 <= ends_at_once) continue;
        f(std::span(ends).first(filled));
        filled = 0;
      }
      f(std::span(ends).first(filled));
    });
  }

  // Sorts rows; kept_ has their lengths once entries with the same target are one.
  void tidy() {
    kept_ = shared_array<std::uint64_t>(vertices_ + 1);
    std::atomic<std::uint64_t> next{0};
    std::atomic<std::uint64_t> loops{0};
    on_threads(threads_, [&](unsigned) {
      constexpr std::uint64_t rows_at_once = 1024;
      std::uint64_t found = 0;
      for (std::uint64_t first; (first = next.fetch_add(rows_at_once, relaxed)) < vertices_;) {
        std::uint64_t const last = std::min(first + rows_at_once, vertices_);
        if constexpr (!Entry::knows_edge) {
          static_assert(sizeof(Entry) == sizeof(std::uint32_t));
          auto* const targets = reinterpret_cast<std::uint32_t*>(entries_.get());
          sort_rows({begins_.get() + first, begins_.get() + last + 1}, targets, vertices_);
        }
        for (std::uint64_t v = first; v < last; ++v) found += tidy_row(v);
      }
      loops.fetch_add(found, relaxed);
    });
    kept_[vertices_] = 0;
    self_loops_ = loops;
  }

  std::uint64_t tidy_row(std::uint64_t v) {
    Entry* const begin = entries_.get() + begins_[v];
    Entry* const end = entries_.get() + begins_[v + 1];
    if constexpr (Entry::knows_edge) std::sort(begin, end);
    std::uint64_t loops = 0;
    std::uint64_t kept = 0;
    for (Entry const* e = begin; e != end; ++e) {
      if (e != begin && e->target() == (e - 1)->target()) {
        if constexpr (Entry::knows_edge)
          if (rules_.duplicates == duplicates_rule::refuse)
            refuse(e->edge(), "an edge that is there already", "each edge once");
        continue;
      }
      ++kept;
      if (e->target() == v) ++loops;
    }
    kept_[v] = kept;
    return loops;
  }

  // The weight of edges with the same ends, in the order of the input.
  double merge(Entry const* begin, Entry const* end) const
    requires Entry::knows_edge
  {
    double merged = weights_[begin->edge()];
    for (Entry const* e = begin + 1; e != end; ++e) {
      double const weight = weights_[e->edge()];
      switch (rules_.duplicates) {
        case duplicates_rule::smallest:
          merged = std::min(merged, weight);
          break;
        case duplicates_rule::last:
          merged = weight;
          break;
        case duplicates_rule::sum:
          merged += weight;
          break;
        case duplicates_rule::first:
        case duplicates_rule::refuse:
          break;
      }
    }
    if (!std::isfinite(merged))
      refuse(begin->edge(), "edges with the same ends whose weights add up to infinity", "a finite sum");
    return merged;
  }

  // The rows, with one entry for each target.
  csr compact() {
    row_memory made;
    made.offsets = std::move(kept_);
    std::uint64_t const entries = number_rows({made.offsets.get(), vertices_ + 1}, threads_);
    made.targets = shared_array<std::uint32_t>(entries);
    if (!weights_.empty()) made.weights = shared_array<double>(entries);
    on_threads(threads_, [&](unsigned t) {
      auto const [first, last] = share(vertices_, t, threads_);
      Entry const* const end = entries_.get() + begins_[last];
      Entry const* e = entries_.get() + begins_[first];
      for (std::uint64_t to = made.offsets[first], v = first; v < last; ++v)
        for (Entry const* const row_end = entries_.get() + begins_[v + 1]; e != row_end; ++to) {
          Entry const* const run = e;
          while (++e != row_end && e->target() == run->target()) {
          }
          made.targets[to] = run->target();
          if constexpr (Entry::knows_edge) {
            if (weights_.empty()) continue;
            constexpr std::ptrdiff_t ahead = 32;
            if (end - run > ahead) __builtin_prefetch(&weights_[run[ahead].edge()]);
            made.weights[to] = merge(run, e);
          }
        }
    });
    entries_ = {};
    csr result;
    result.directed = rules_.directed;
    result.self_loops = self_loops_;
    std::tie(result.out, result.out_memory) = share_rows(std::move(made), vertices_, !weights_.empty());
    return result;
  }

  [[noreturn]] static void refuse(std::uint64_t edge, char const* what, char const* expected) {
    throw input_error("edge", edge + 1, what, expected);
  }

  std::uint64_t vertices_;
  std::span<std::uint32_t const> sources_;
  std::span<std::uint32_t const> targets_;
  std::span<double const> weights_;
  csr_rules rules_;
  unsigned threads_;
  shared_array<std::uint64_t> begins_;
  shared_array<std::uint64_t> kept_;
  shared_array<Entry> entries_;
  std::uint64_t self_loops_ = 0;
};

// The rows of the opposite direction: sources come in order, so that a row that one thread fills is sorted.
// Each thread fills the rows of its own share of the targets.
std::pair<csr_rows, std::shared_ptr<void const>> transposed(csr_rows const& rows, unsigned threads) {
  std::uint64_t const vertices = rows.vertices();
  row_memory made;
  made.offsets = shared_array<std::uint64_t>(vertices + 1);
  std::fill_n(made.offsets.get(), vertices + 1, 0);
  on_threads(threads, [&](unsigned t) {
    auto const [begin, end] = share(rows.entries(), t, threads);
    for (std::uint64_t i = begin; i < end; ++i) std::atomic_ref(made.offsets[rows.targets[i]]).fetch_add(1, relaxed);
  });
  std::uint64_t const entries = number_rows({made.offsets.get(), vertices + 1}, threads);
  made.targets = shared_array<std::uint32_t>(entries);
  bool const weighted = !rows.weights.empty();
  if (weighted) made.weights = shared_array<double>(entries);
  auto const next = shared_array<std::uint64_t>(vertices);
  std::copy_n(made.offsets.get(), vertices, next.get());
  on_threads(threads, [&](unsigned t) {
    auto const [first, last] = share(vertices, t, threads);
    for (std::uint64_t u = 0; u < vertices; ++u) {
      std::span<std::uint32_t const> const all = rows.neighbours(static_cast<std::uint32_t>(u));
      auto const begin = threads == 1 ? all.begin() : std::lower_bound(all.begin(), all.end(), first);
      std::uint64_t edge = rows.offsets[u] + static_cast<std::uint64_t>(begin - all.begin());
      for (auto v = begin; v != all.end() && *v < last; ++v, ++edge) {
        std::uint64_t const slot = next[*v]++;
        made.targets[slot] = static_cast<std::uint32_t>(u);
        if (weighted) made.weights[slot] = rows.weights[edge];
      }
    }
  });
  return share_rows(std::move(made), vertices, weighted);
}

}  // namespace

csr make_csr(std::uint64_t vertices, std::span<std::uint32_t const> sources, std::span<std::uint32_t const> targets,
             std::span<double const> weights, csr_rules const& rules) {
  if (weights.empty() && rules.duplicates != duplicates_rule::refuse)
    return row_maker<plain_entry>(vertices, sources, targets, weights, rules).make();
  if (sources.size() <= std::uint64_t{1} << 32U)
    return row_maker<numbered_entry<std::uint64_t>>(vertices, sources, targets, weights, rules).make();
  return row_maker<numbered_entry<unsigned __int128>>(vertices, sources, targets, weights, rules).make();
}

void transpose(csr& graph, unsigned threads) {
  if (!graph.directed || !graph.in.offsets.empty()) return;
  std::tie(graph.in, graph.in_memory) = transposed(graph.out, threads_for(threads));
}

csr without_directions(csr const& graph, unsigned threads) {
  if (!graph.directed) return graph;
  threads = threads_for(threads);
  csr both = graph;
  transpose(both, threads);
  // Each row of the result merges two sorted rows; the first pass counts, the second writes.
  std::uint64_t const vertices = graph.vertices();
  bool const weighted = graph.weighted();
  row_memory made;
  made.offsets = shared_array<std::uint64_t>(vertices + 1);
  auto const merge = [&](std::uint32_t v, auto const& write) {
    std::uint64_t a = both.out.offsets[v], b = both.in.offsets[v];
    std::uint64_t const a_end = both.out.offsets[v + std::uint64_t{1}], b_end = both.in.offsets[v + std::uint64_t{1}];
    while (a != a_end || b != b_end) {
      std::uint64_t const from_a = a == a_end ? vertices : both.out.targets[a];
      std::uint64_t const from_b = b == b_end ? vertices : both.in.targets[b];
      double const weight_a = weighted && from_a <= from_b ? both.out.weights[a] : 0;
      double const weight_b = weighted && from_b <= from_a ? both.in.weights[b] : 0;
      if (from_a == from_b)
        write(from_a, std::min(weight_a, weight_b));
      else
        write(std::min(from_a, from_b), from_a < from_b ? weight_a : weight_b);
      if (from_a <= from_b) ++a;
      if (from_b <= from_a) ++b;
    }
  };
  auto const over_vertices = [&](auto const& f) {
    on_threads(threads, [&](unsigned t) {
      auto const [begin, end] = share(vertices, t, threads);
      for (std::uint64_t v = begin; v < end; ++v) f(static_cast<std::uint32_t>(v));
    });
  };
  over_vertices([&](std::uint32_t v) {
    std::uint64_t count = 0;
    merge(v, [&](std::uint64_t, double) { ++count; });
    made.offsets[v] = count;
  });
  made.offsets[vertices] = 0;
  std::uint64_t const entries = number_rows({made.offsets.get(), vertices + 1}, threads);
  made.targets = shared_array<std::uint32_t>(entries);
  if (weighted) made.weights = shared_array<double>(entries);
  over_vertices([&](std::uint32_t v) {
    std::uint64_t slot = made.offsets[v];
    merge(v, [&](std::uint64_t target, double weight) {
      made.targets[slot] = static_cast<std::uint32_t>(target);
      if (weighted) made.weights[slot] = weight;
      ++slot;
    });
  });
  csr result;
  result.self_loops = graph.self_loops;
  result.names = graph.names;
  std::tie(result.out, result.out_memory) = share_rows(std::move(made), vertices, weighted);
  return result;
}

}  // namespace graph
