// bfs_steps: the inner loops. Shared: tasks of several workers claim vertices at the same time.
#include "kernels/bfs_steps.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace kernels {

namespace {

constexpr auto relaxed = std::memory_order_relaxed;

// With fewer edges, waking another worker takes longer than the level.
constexpr std::uint64_t edges_worth_sharing = 16384;
constexpr std::uint64_t vertices_at_once = 64;
constexpr std::uint64_t words_at_once = 64;

bool test(std::uint64_t const* bitmap, vertex v) noexcept {
  return ((bitmap[v / word_bits] >> (v % word_bits)) & 1U) != 0;
}

// Relaxed everywhere: a level's claims are read after the exchange or the finish that ends it.
template <bool Shared>
bool set_first(std::uint64_t* bitmap, vertex v) noexcept {
  std::uint64_t& word = bitmap[v / word_bits];
  std::uint64_t const bit = std::uint64_t{1} << (v % word_bits);
  if constexpr (Shared) {
    std::atomic_ref<std::uint64_t> const shared(word);
    return (shared.load(relaxed) & bit) == 0 && (shared.fetch_or(bit, relaxed) & bit) == 0;
  } else {
    if ((word & bit) != 0) return false;
    word |= bit;
    return true;
  }
}

template <bool Shared>
bool claim(vertex& parent, vertex u) noexcept {
  if constexpr (Shared) {
    std::atomic_ref<vertex> const shared(parent);
    vertex nobody = unreached;
    return shared.load(relaxed) == unreached && shared.compare_exchange_strong(nobody, u, relaxed);
  } else {
    if (parent != unreached) return false;
    parent = u;
    return true;
  }
}

// Vertices found by one task. A single task writes to the queue itself; otherwise each adds a buffer at a time.
template <bool Shared>
class found_vertices {
 public:
  explicit found_vertices(bfs_state& s) noexcept : s_(s), queue_(s.queue), tail_(Shared ? 0 : s.tail) {}
  ~found_vertices() {
    flush();
    if constexpr (!Shared) {
      s_.tail = tail_;
      s_.found_edges += edges_;
    }
  }
  found_vertices(found_vertices const&) = delete;
  found_vertices& operator=(found_vertices const&) = delete;

  void push(vertex v, std::uint64_t edges) noexcept {
    edges_ += edges;
    if constexpr (Shared) {
      if (tail_ == buffer_.size()) flush();
      buffer_[tail_++] = v;
    } else {
      queue_[tail_++] = v;
    }
  }

 private:
  void flush() noexcept {
    if constexpr (Shared) {
      if (tail_ == 0) return;
      std::uint64_t const at = std::atomic_ref(s_.tail).fetch_add(tail_, relaxed);
      std::copy_n(buffer_.begin(), tail_, queue_ + at);
      std::atomic_ref(s_.found_edges).fetch_add(std::exchange(edges_, 0), relaxed);
      tail_ = 0;
    }
  }

  bfs_state& s_;
  vertex* queue_;
  std::uint64_t tail_;
  std::uint64_t edges_ = 0;
  std::array<vertex, Shared ? 512 : 1> buffer_;
};

void send_packet(tess::place_local<bfs_state> state, unsigned p, parent_packet& full) {
  state->packets_to[p].fetch_add(1, relaxed);
  tess::at_async(
      static_cast<tess::place_id>(p),
      [](tess::place_local<bfs_state> there, unsigned half, parent_packet const& pairs) {
        bfs_state& s = *there;
        tess::place_atomic([&] { s.inbox[half].insert(s.inbox[half].end(), pairs.items, pairs.items + pairs.count); });
        s.arrived[half].acknowledge();
      },
      state, state->half, full);
  full.count = 0;
}

// Alone: there is no other place, and the loop is that of a shared-memory kernel.
template <bool Shared, bool Alone>
void expand_range(tess::place_local<bfs_state> state, graph::distributed_graph const& g, bfs_bitmaps maps,
                  std::uint64_t begin, std::uint64_t end, std::vector<parent_packet>& open) {
  bfs_state& s = *state;
  graph::graph_part const part = s.part;
  vertex* const parents = s.parents;
  vertex const* const queue = s.queue;
  found_vertices<Shared> found(s);
  std::uint64_t pairs = 0;
  for (std::uint64_t i = begin; i < end; ++i) {
    vertex const u = queue[i];
    for (vertex const v : part.out.neighbours(u - part.first)) {
      vertex const own = v - part.first;
      if (Alone || own < part.count) {
        if (claim<Shared>(parents[own], u)) found.push(v, part.out.degree(own));
      } else if (set_first<Shared>(maps.sent, v)) {
        unsigned const p = g.owner(v);
        parent_packet& to = open[p];
        to.items[to.count++] = {v, u};
        ++pairs;
        if (to.count == parent_packet::capacity) send_packet(state, p, to);
      }
    }
  }
  if (pairs != 0) s.pairs.fetch_add(pairs, relaxed);
}

struct look_up_result {
  std::uint64_t size = 0;
  std::uint64_t edges = 0;
};

// A word belongs to one task, which assembles it in a register.
look_up_result look_up_words(bfs_state& s, bfs_bitmaps maps, std::uint64_t begin, std::uint64_t end) noexcept {
  look_up_result found;
  graph::graph_part const part = s.part;
  std::uint64_t const* const now = maps.now;
  for (std::uint64_t word = begin; word < end; ++word) {
    std::uint64_t bits = 0;
    for (std::uint64_t bit = 0; bit < word_bits; ++bit) {
      std::uint64_t const i = word * word_bits + bit;
      if (s.parents[i] != unreached) continue;
      for (vertex const u : part.in.neighbours(i)) {
        if (!test(now, u)) continue;
        s.parents[i] = u;
        bits |= std::uint64_t{1} << bit;
        found.edges += part.out.degree(i);
        break;
      }
    }
    maps.next[maps.own_begin + word] = bits;
    found.size += static_cast<std::uint64_t>(std::popcount(bits));
  }
  return found;
}

}  // namespace

void bfs_state::prepare(graph::graph_part const& p, std::span<vertex> own_parents, std::span<vertex> own_queue) {
  part = p;
  words = (p.count + word_bits - 1) / word_bits;
  parents = own_parents.data();
  queue = own_queue.data();
  open.assign(tess::workers(), std::vector<parent_packet>(tess::places()));
  packets_to = std::vector<std::atomic<std::uint32_t>>(tess::places());
}

void bfs_state::claim_pairs(std::span<parent_edge const> pairs_here) noexcept {
  found_vertices<false> found(*this);
  for (auto const [child, parent_vertex] : pairs_here) {
    std::uint64_t const i = child - part.first;
    if (claim<false>(parents[i], parent_vertex)) found.push(child, part.out.degree(i));
  }
}

void bfs_state::claim_inbox() noexcept {
  claim_pairs(inbox[half]);
  inbox[half].clear();
}

void bfs_state::advance() noexcept {
  level_begin = level_end;
  level_end = tail;
  level_edges = found_edges;
  found_edges = 0;
  half = 1 - half;
  pairs.store(0, relaxed);
}

tess::task<void> expand(tess::place_local<bfs_state> state, graph::distributed_graph const& g, bfs_bitmaps maps) {
  bfs_state& s = *state;
  std::uint64_t const begin = s.level_begin;
  std::uint64_t const end = s.level_end;
  if (tess::workers() == 1 || s.level_edges < edges_worth_sharing) {
    if (tess::places() == 1)
      expand_range<false, true>(state, g, maps, begin, end, s.open[0]);
    else
      expand_range<false, false>(state, g, maps, begin, end, s.open[0]);
    co_return;
  }
  std::atomic<std::uint64_t> next{begin};
  co_await tess::forall_chunks(0, tess::workers(), 1, [&](std::uint64_t worker, std::uint64_t) {
    for (;;) {
      std::uint64_t const from = next.fetch_add(vertices_at_once, relaxed);
      if (from >= end) return;
      expand_range<true, false>(state, g, maps, from, std::min(from + vertices_at_once, end), s.open[worker]);
    }
  });
}

void hand_out(tess::place_local<bfs_state> state, unsigned p, bfs_report& report) {
  bfs_state& s = *state;
  report.pairs_count = 0;
  for (std::vector<parent_packet>& of_worker : s.open) {
    parent_packet& rest = of_worker[p];
    if (rest.count == 0) continue;
    if (report.pairs_count + rest.count <= bfs_report::pairs_max) {
      std::copy_n(rest.items, rest.count, report.few + report.pairs_count);
      report.pairs_count += rest.count;
      rest.count = 0;
    } else {
      send_packet(state, p, rest);
    }
  }
  report.packets_for_you = s.packets_to[p].exchange(0, relaxed);
}

tess::task<bfs_front> look_up(bfs_state& state, bfs_bitmaps maps) {
  if (tess::workers() == 1) {
    look_up_result const r = look_up_words(state, maps, 0, state.words);
    co_return bfs_front{r.size, r.edges};
  }
  std::atomic<std::uint64_t> size{0};
  std::atomic<std::uint64_t> edges{0};
  co_await tess::forall_chunks(0, state.words, words_at_once, [&](std::uint64_t begin, std::uint64_t end) {
    look_up_result const r = look_up_words(state, maps, begin, end);
    size.fetch_add(r.size, relaxed);
    edges.fetch_add(r.edges, relaxed);
  });
  co_return bfs_front{size.load(relaxed), edges.load(relaxed)};
}

void queue_to_bitmap(bfs_state const& state, bfs_bitmaps maps) noexcept {
  std::fill_n(maps.now + maps.own_begin, state.words, 0U);
  for (std::uint64_t i = state.level_begin; i < state.level_end; ++i) {
    vertex const v = state.queue[i];
    maps.now[v / word_bits] |= std::uint64_t{1} << (v % word_bits);
  }
}

void append_to_queue(bfs_state& state, std::uint64_t const* bitmap, std::uint64_t own_begin) noexcept {
  std::uint64_t tail = state.level_end;
  std::uint64_t level_edges = 0;
  for (std::uint64_t word = own_begin; word < own_begin + state.words; ++word) {
    for (std::uint64_t bits = bitmap[word]; bits != 0; bits &= bits - 1) {
      auto const v = static_cast<vertex>(word * word_bits + static_cast<std::uint64_t>(std::countr_zero(bits)));
      state.queue[tail++] = v;
      level_edges += state.part.out.degree(v - state.part.first);
    }
  }
  state.level_begin = state.level_end;
  state.level_end = state.tail = tail;
  state.level_edges = level_edges;
  state.found_edges = 0;
}

void bitmap_to_queue(bfs_state& state, bfs_bitmaps maps) noexcept {
  // The queue starts over: its contents are levels that were finished before.
  state.level_end = 0;
  append_to_queue(state, maps.now, maps.own_begin);
}

tess::task<void> forget(bfs_state& state, bfs_bitmaps maps, std::uint64_t all_words) {
  std::fill_n(maps.sent, all_words, 0U);
  std::uint64_t const padded = state.words * word_bits;
  co_await tess::forall_chunks(0, padded, std::max<std::uint64_t>(padded / tess::workers(), 1),
                               [&](std::uint64_t begin, std::uint64_t end) {
                                 std::fill(state.parents + begin, state.parents + end, unreached);
                               });
  // The vertices that pad the last word count as reached: look_up() passes over them.
  std::fill(state.parents + state.part.count, state.parents + padded, 0U);
  state.level_begin = state.level_end = state.tail = 0;
  state.found_edges = 0;
  state.pairs.store(0, relaxed);
}

}  // namespace kernels
