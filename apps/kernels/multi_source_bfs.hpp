// multi_source_bfs: breadth-first searches from up to 64 Words vertices at once: a bit for each, a row read for all.
//
//   A level goes either way. Push: a vertex that some searches have just reached offers their bits to its neighbours;
//   what a neighbour at another place is offered is collected, each bit once, and sent to its owner. Pull: the bits of
//   all vertices are gathered at all places, and each vertex that a search has not reached takes those of its
//   neighbours. The levels do not depend on places, workers, or the direction.
//
// Shapes    seen, front, next: [vertices of the graph] at every place. seen has, for vertices of other places, the bits
//           that were sent. Between levels that push, `next` is zero, and `front` is zero but for active own vertices.
// Threads   made and released by one task, for all; run_here() by one task of every place.
// Cost      3 * 8 * Words bytes for each vertex of the graph at every place. A level: a reduction, and the exchange of
//           what was sent or the gathering of 8 * Words bytes a vertex.
// Source    Then, Kaufmann, Chirigati, Hoang-Vu, Pham, Kemper, Neumann, Vo, "The More the Merrier: Efficient
//           Multi-Source Graph Traversal" (VLDB 2014).
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "distributed/distributed_graph.hpp"
#include "kernels/outboxes.hpp"
#include "kernels/replicated.hpp"

namespace kernels {

using graph::vertex;

// The edges that searches follow.
enum class search_edges : std::uint8_t { out, in };

template <unsigned Words>
class multi_source_bfs {
 public:
  using bits = std::array<std::uint64_t, Words>;  // [source / 64], source % 64
  static constexpr std::size_t sources_max = std::size_t{64} * Words;

  // A directed graph needs rows of both kinds.
  static tess::task<multi_source_bfs> make(graph::distributed_graph g) {
    multi_source_bfs m;
    m.graph_ = g;
    for (replicated<bits>& buffer : m.buffers_) buffer = co_await replicated<bits>::make(g.vertices(), g.block());
    m.boxes_ = co_await outboxes<offer>::make();
    m.state_ = co_await tess::place_local<state>::make();
    co_return m;
  }
  static tess::task<void> release(multi_source_bfs m) {
    co_await tess::place_local<state>::release(m.state_);
    co_await outboxes<offer>::release(m.boxes_);
    for (replicated<bits> const& buffer : m.buffers_) co_await replicated<bits>::release(buffer);
  }

  // visit.found(worker, own vertex, bits of the sources that have it at this distance, distance from 1), from tasks of
  // all workers; after a distance, visit.end(distance).
  template <class Visit>
  tess::task<void> run_here(std::span<vertex const> sources, search_edges edges, Visit& visit) const {
    search<Visit> one(*this, edges, visit);
    co_await one.run(sources);
  }

 private:
  struct offer {
    vertex to;
    bits from;
  };
  struct state {
    std::vector<bits> seen;
    std::vector<std::uint64_t> active;   // bitmap of own vertices, from the place's first
    std::vector<std::uint64_t> touched;  // the same of all vertices
  };
  struct front_size {
    std::uint64_t vertices = 0;
    std::uint64_t edges = 0;

    friend front_size operator+(front_size a, front_size b) noexcept {
      return {a.vertices + b.vertices, a.edges + b.edges};
    }
  };
  template <class Visit>
  class search;

  graph::distributed_graph graph_;
  replicated<bits> buffers_[2];
  outboxes<offer> boxes_;
  tess::place_local<state> state_;
};

// One batch, from the view of one place.
template <unsigned Words>
template <class Visit>
class multi_source_bfs<Words>::search {
 public:
  search(multi_source_bfs const& all, search_edges edges, Visit& visit)
      : all_(all),
        s_(*all.state_),
        part_(all.graph_.part()),
        rows_(edges == search_edges::out ? part_.out : part_.in),
        back_rows_(edges == search_edges::out ? part_.in : part_.out),
        front_(all.buffers_[0].local()),
        next_(all.buffers_[1].local()),
        own_word_(part_.first / 64),
        own_words_((std::uint64_t{part_.count} + 63) / 64),
        visit_(visit) {}

  tess::task<void> run(std::span<vertex const> sources) {
    begin(sources);
    bool pulled = false;
    front_size front = co_await tess::all_reduce(own_front());
    for (std::uint32_t distance = 1; front.vertices != 0; ++distance) {
      bool const pulls = front.edges > part_.edges / pull_share;
      if (pulls)
        co_await pull(distance);
      else
        co_await push(distance, pulled);
      pulled = pulls;
      visit_.end(distance);
      std::swap(front_, next_);
      which_ = 1 - which_;
      front = co_await tess::all_reduce(own_front());
    }
  }

 private:
  static constexpr auto relaxed = std::memory_order_relaxed;
  // Pulling reads rows until nothing is missing, and writes nothing at random.
  static constexpr std::uint64_t pull_share = 8;
  // With fewer edges, waking another worker takes longer than the level.
  static constexpr std::uint64_t edges_worth_sharing = 8192;
  static constexpr std::uint64_t words_at_once = 16;

  void begin(std::span<vertex const> sources) {
    s_.seen.assign(part_.vertices, bits{});
    s_.active.assign(own_words_, 0);
    s_.touched.assign(part_.vertices / 64 + 1, 0);
    std::ranges::fill(front_, bits{});
    std::ranges::fill(next_, bits{});
    wanted_ = bits{};
    for (std::size_t i = 0; i < sources.size(); ++i) {
      vertex const v = sources[i];
      std::uint64_t const bit = std::uint64_t{1} << (i % 64);
      wanted_[i / 64] |= bit;
      if (!part_.owns(v)) continue;
      front_[v][i / 64] |= bit;
      s_.seen[v][i / 64] |= bit;
      s_.active[(v - part_.first) / 64] |= std::uint64_t{1} << ((v - part_.first) % 64);
    }
  }

  [[nodiscard]] front_size own_front() {
    front_size size;
    for_each_active(0, own_words_, [&](vertex i) {
      ++size.vertices;
      size.edges += rows_.degree(i);
    });
    edges_ = size.edges;
    return size;
  }

  // f(own vertex, from the place's first).
  template <class F>
  void for_each_active(std::uint64_t begin, std::uint64_t end, F const& f) const {
    for (std::uint64_t word = begin; word < end; ++word)
      for (std::uint64_t left = s_.active[word]; left != 0; left &= left - 1)
        f(static_cast<vertex>(word * 64 + static_cast<std::uint64_t>(std::countr_zero(left))));
  }

  // f(worker, begin, end) for pieces of [0, words): by all workers, or by this task.
  template <class F>
  tess::task<void> over(std::uint64_t words, bool shared, F f) {
    if (!shared) {
      f(0, std::uint64_t{0}, words);
      co_return;
    }
    std::atomic<std::uint64_t> at{0};
    co_await tess::forall_chunks(0, tess::workers(), 1, [&](std::uint64_t worker, std::uint64_t) {
      for (;;) {
        std::uint64_t const begin = at.fetch_add(words_at_once, relaxed);
        if (begin >= words) return;
        f(worker, begin, std::min(begin + words_at_once, words));
      }
    });
  }

  tess::task<void> push(std::uint32_t distance, bool pulled) {
    if (pulled) {
      std::ranges::fill(next_, bits{});
      std::fill(front_.begin(), front_.begin() + part_.first, bits{});
      std::fill(front_.begin() + part_.first + part_.count, front_.end(), bits{});
    }
    bool const shared = tess::workers() > 1 && edges_ >= edges_worth_sharing;
    co_await over(own_words_, shared, [this, shared](std::uint64_t, std::uint64_t begin, std::uint64_t end) {
      for_each_active(begin, end, [&](vertex i) {
        bits const from = front_[part_.first + i];
        for (vertex const to : rows_.neighbours(i)) shared ? take<true>(to, from) : take<false>(to, from);
      });
    });
    if (tess::places() > 1) {
      send(0, own_word_);
      send(std::min<std::uint64_t>(own_word_ + own_words_, s_.touched.size()), s_.touched.size());
      for (offer const& o : (co_await all_.boxes_.swap()).messages) take<false>(o.to, o.from);
    }
    co_await over(own_words_, shared, [this, distance](std::uint64_t worker, std::uint64_t begin, std::uint64_t end) {
      for_each_active(begin, end, [&](vertex i) { front_[part_.first + i] = bits{}; });
      for (std::uint64_t word = begin; word < end; ++word) {
        s_.active[word] = s_.touched[own_word_ + word];
        s_.touched[own_word_ + word] = 0;
      }
      for_each_active(begin, end, [&](vertex i) { reach(worker, part_.first + i, distance); });
    });
  }

  template <bool Shared>
  void take(vertex to, bits const& from) {
    bits const& seen = s_.seen[to];
    bits fresh;
    std::uint64_t any = 0;
    for (unsigned k = 0; k < Words; ++k) any |= fresh[k] = from[k] & ~seen[k];
    if (any == 0) return;
    for (unsigned k = 0; k < Words; ++k) add<Shared>(next_[to][k], fresh[k]);
    add<Shared>(s_.touched[to / 64], std::uint64_t{1} << (to % 64));
  }

  template <bool Shared>
  static void add(std::uint64_t& word, std::uint64_t bits_to_set) {
    if constexpr (Shared) {
      std::atomic_ref const shared(word);
      if ((shared.load(relaxed) & bits_to_set) != bits_to_set) shared.fetch_or(bits_to_set, relaxed);
    } else {
      word |= bits_to_set;
    }
  }

  // What vertices of other places were offered.
  void send(std::uint64_t begin, std::uint64_t end) {
    auto& open = all_.boxes_.of_worker(0);
    for (std::uint64_t word = begin; word < end; ++word) {
      for (std::uint64_t left = std::exchange(s_.touched[word], 0); left != 0; left &= left - 1) {
        auto const v = static_cast<vertex>(word * 64 + static_cast<std::uint64_t>(std::countr_zero(left)));
        open[all_.graph_.owner(v)].push_back({v, next_[v]});
        for (unsigned k = 0; k < Words; ++k) s_.seen[v][k] |= next_[v][k];
        next_[v] = bits{};
      }
    }
  }

  void reach(std::uint64_t worker, vertex v, std::uint32_t distance) {
    for (unsigned k = 0; k < Words; ++k) s_.seen[v][k] |= next_[v][k];
    visit_.found(worker, v, next_[v], distance);
  }

  // No place writes the gathered buffer before the reduction that ends the level.
  tess::task<void> pull(std::uint32_t distance) {
    co_await all_.buffers_[which_].gather();
    co_await over(own_words_, tess::workers() > 1,
                  [this, distance](std::uint64_t worker, std::uint64_t begin, std::uint64_t end) {
                    for (std::uint64_t word = begin; word < end; ++word) pull_word(worker, word, distance);
                  });
  }

  void pull_word(std::uint64_t worker, std::uint64_t word, std::uint32_t distance) {
    std::uint64_t active = 0;
    auto const end = static_cast<vertex>(std::min<std::uint64_t>(part_.count, (word + 1) * 64));
    for (auto i = static_cast<vertex>(word * 64); i < end; ++i) {
      vertex const v = part_.first + i;
      bits missing;
      std::uint64_t any = 0;
      for (unsigned k = 0; k < Words; ++k) any |= missing[k] = wanted_[k] & ~s_.seen[v][k];
      bits got{};
      if (any != 0) any = look(back_rows_.neighbours(i), missing, got);
      next_[v] = got;
      if (any == 0) continue;
      active |= std::uint64_t{1} << (i % 64);
      reach(worker, v, distance);
    }
    s_.active[word] = active;
  }

  // The missing bits that some neighbour has; stops when none is missing.
  std::uint64_t look(std::span<vertex const> row, bits const& missing, bits& got) const {
    std::uint64_t any = 0;
    for (vertex const u : row) {
      std::uint64_t left = 0;
      for (unsigned k = 0; k < Words; ++k) {
        got[k] |= front_[u][k] & missing[k];
        left |= got[k] ^ missing[k];
      }
      if (left == 0) break;
    }
    for (unsigned k = 0; k < Words; ++k) any |= got[k];
    return any;
  }

  multi_source_bfs const& all_;
  state& s_;
  graph::graph_part const& part_;
  graph::rows const& rows_;
  graph::rows const& back_rows_;
  std::span<bits> front_;
  std::span<bits> next_;
  unsigned which_ = 0;  // of buffers_: front_
  std::uint64_t own_word_;
  std::uint64_t own_words_;
  std::uint64_t edges_ = 0;  // of the own part of the front
  bits wanted_{};
  Visit& visit_;
};

}  // namespace kernels
