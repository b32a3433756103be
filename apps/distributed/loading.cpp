// loading: the three passes, and the processing of rows between and after them.
#include "distributed/loading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <numeric>
#include <vector>

#include "distributed/packet.hpp"
#include "graph/edge_reader.hpp"
#include "graph/error.hpp"
#include "graph/sort_rows.hpp"

namespace graph {

namespace {

struct placed_edge {
  vertex source;
  vertex target;
};

// Adds one and returns the old value. Relaxed: the finish of the pass orders it before the next.
std::uint64_t take_next(std::uint64_t& slot, bool alone) noexcept {
  return alone ? slot++ : std::atomic_ref<std::uint64_t>(slot).fetch_add(1, std::memory_order_relaxed);
}

// Rows come in no order, so nearly each slot and each entry is a cache miss: those of a packet are fetched together.
void count_entries(loading& l, unsigned kind, std::span<vertex const> sources) noexcept {
  bool const alone = tess::workers() == 1;
  std::uint64_t* const counts = l.made[kind].slots + 2;
  for (vertex const v : sources) __builtin_prefetch(counts + (v - l.first), 1);
  for (vertex const v : sources) static_cast<void>(take_next(counts[v - l.first], alone));
}

void fill_entries(loading& l, unsigned kind, std::span<placed_edge const> edges) noexcept {
  bool const alone = tess::workers() == 1;
  growing_rows const& rows = l.made[kind];
  std::uint64_t* const positions = rows.slots + 1;
  for (placed_edge const e : edges) __builtin_prefetch(positions + (e.source - l.first), 1);
  std::uint64_t at[packet<placed_edge>::capacity];
  std::size_t n = 0;
  for (placed_edge const e : edges) {
    at[n] = take_next(positions[e.source - l.first], alone);
    __builtin_prefetch(rows.entries + at[n++], 1);
  }
  n = 0;
  for (placed_edge const e : edges) {
    if (at[n] < rows.capacity)
      rows.entries[at[n]] = e.target;
    else
      l.overfull.store(true, std::memory_order_relaxed);
    ++n;
  }
}

// Sums of this are digests that do not depend on the order. The finalizer of MurmurHash3 (A. Appleby).
std::uint64_t digest_of(unsigned kind, vertex source, vertex target) noexcept {
  std::uint64_t x = (std::uint64_t{source} << 32U | target) + kind * 0x9e3779b97f4a7c15U + 1;
  x = (x ^ x >> 33U) * 0xff51afd7ed558ccdU;
  x = (x ^ x >> 33U) * 0xc4ceb9fe1a85ec53U;
  return x ^ x >> 33U;
}

[[noreturn]] void throw_changed_everywhere(std::string const& path) {
  try {
    throw_changed(path);
  } catch (input_error const& e) {
    throw tess::error(e.what());
  }
}

// Progress of reading, on a terminal, a few times a second; reader 0 reports for all.
class progress {
 public:
  progress(graph_input const& input, bool talks, std::uint64_t readers) : input_(input), talks_(talks) {
    auto const* const file = std::get_if<file_input>(&input.source);
    factor_ = file != nullptr && file->compressed ? 1 : readers;
  }
  ~progress() {
    if (shown_) std::fputs("\r\x1b[K", stderr);
  }
  progress(progress const&) = delete;
  progress& operator=(progress const&) = delete;

  void show(char const* what, std::uint64_t entries) {
    if (!talks_ || std::chrono::steady_clock::now() < next_) return;
    next_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
    std::uint64_t const all = entries * factor_;
    std::string text = fmt::format("\r{}: {}: {} edges", input_.spec, what, all);
    if (input_.edges_count && *input_.edges_count != 0) text += fmt::format(", {}%", all * 100 / *input_.edges_count);
    std::fputs((text + "\x1b[K").c_str(), stderr);
    shown_ = true;
  }

 private:
  graph_input const& input_;
  std::uint64_t factor_ = 1;
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
  bool talks_;
  bool shown_ = false;
};

template <class Visit>
tess::task<void> read_share(loading_everywhere l, char const* what, unsigned worker, Visit visit) {
  std::uint64_t const reader = std::uint64_t{tess::here()} * tess::workers() + worker;
  std::uint64_t const readers = std::uint64_t{tess::places()} * tess::workers();
  try {
    edge_reader edges(*l->input, {reader, readers});
    progress shown(*l->input, l->talks && reader == 0, readers);
    std::vector<edge> batch;
    while (edges.next(batch)) {
      visit(batch);
      shown.show(what, edges.entries_count());
      co_await tess::yield();
    }
    visit.flush();
    l->entries_count.fetch_add(edges.entries_count(), std::memory_order_relaxed);
    std::uint64_t known = l->vertices_count.load(std::memory_order_relaxed);
    while (known < edges.vertices_count() && !l->vertices_count.compare_exchange_weak(known, edges.vertices_count())) {
    }
  } catch (input_error const& e) {
    throw tess::error(e.what());
  }
}

// Calls emit(kind, source, target) for every entry of a row that a batch makes.
template <class Emit>
void for_each_entry(loading const& l, distributed_graph const& g, std::vector<edge> const& batch, Emit const& emit) {
  for (edge const& e : batch) {
    if (std::max(e.source, e.target) >= g.vertices()) throw_changed(l.input->spec);
    if (e.source == e.target) continue;
    emit(0U, e.source, e.target);
    if (l.mirrored)
      emit(0U, e.target, e.source);
    else if (l.kinds == 2)
      emit(1U, e.target, e.source);
  }
}

struct measuring {
  void operator()(std::vector<edge> const&) const noexcept {}
  void flush() const noexcept {}
};

struct send_sources {
  loading_everywhere l;
  unsigned kind;
  void operator()(tess::place_id target, packet<vertex> const& p) const {
    if (target == tess::here()) return count_entries(*l, kind, p.view());
    tess::at_async(
        target,
        [](loading_everywhere there, unsigned k, packet<vertex> const& sources) {
          count_entries(*there, k, sources.view());
        },
        l, kind, p);
  }
};

class counting {
 public:
  counting(loading_everywhere l, distributed_graph const& g) : l_(l), g_(g) {
    for (unsigned k = 0; k < l->kinds; ++k) sources_.emplace_back(tess::places(), send_sources{l, k});
  }
  void operator()(std::vector<edge> const& batch) {
    for_each_entry(*l_, g_, batch, [&](unsigned kind, vertex source, vertex target) {
      digest_ += digest_of(kind, source, target);
      sources_[kind].add(g_.owner(source), source);
    });
  }
  void flush() {
    for (auto& p : sources_) p.flush();
    l_->counted_digest.fetch_add(digest_, std::memory_order_relaxed);
  }

 private:
  loading_everywhere l_;
  distributed_graph g_;
  std::vector<packer<vertex, send_sources>> sources_;
  std::uint64_t digest_ = 0;
};

struct send_edges {
  loading_everywhere l;
  unsigned kind;
  void operator()(tess::place_id target, packet<placed_edge> const& p) const {
    if (target == tess::here()) return fill_entries(*l, kind, p.view());
    tess::at_async(
        target,
        [](loading_everywhere there, unsigned k, packet<placed_edge> const& edges) {
          fill_entries(*there, k, edges.view());
        },
        l, kind, p);
  }
};

class filling {
 public:
  filling(loading_everywhere l, distributed_graph const& g) : l_(l), g_(g) {
    for (unsigned k = 0; k < l->kinds; ++k) edges_.emplace_back(tess::places(), send_edges{l, k});
  }
  void operator()(std::vector<edge> const& batch) {
    for_each_entry(*l_, g_, batch, [&](unsigned kind, vertex source, vertex target) {
      edges_[kind].add(g_.owner(source), {source, target});
    });
  }
  void flush() {
    for (auto& p : edges_) p.flush();
  }

 private:
  loading_everywhere l_;
  distributed_graph g_;
  std::vector<packer<placed_edge, send_edges>> edges_;
};

template <class Make>
tess::task<void> read_all(loading_everywhere l, char const* what, Make make) {
  l->entries_count.store(0, std::memory_order_relaxed);
  co_await tess::forall_chunks(0, tess::workers(), 1, [=](std::uint64_t worker, std::uint64_t) -> tess::task<void> {
    return read_share(l, what, static_cast<unsigned>(worker), make());
  });
}

}  // namespace

tess::task<graph_input> open_here(tess::global_ptr<char> spec, std::uint64_t bytes, file_version version) {
  std::string text(bytes, '\0');
  co_await tess::get(spec, std::span(text));
  try {
    graph_input input = open_graph(text);
    if (!input.version().matches(version)) throw_changed(text);
    co_return input;
  } catch (input_error const& e) {
    throw tess::error(e.what());
  }
}

tess::task<void> read_to_measure(loading_everywhere l) {
  return read_all(l, "looking for vertices", [] { return measuring(); });
}

tess::task<void> read_to_count(loading_everywhere l, distributed_graph g) {
  return read_all(l, "counting", [=] { return counting(l, g); });
}

tess::task<void> read_to_fill(loading_everywhere l, distributed_graph g) {
  return read_all(l, "reading", [=] { return filling(l, g); });
}

void loading::allocate_slots() {
  for (unsigned k = 0; k < kinds; ++k) {
    made[k].offsets = tess::allocate<std::uint64_t>(std::size_t{count} + 2);
    made[k].slots = made[k].offsets.local();
    std::fill_n(made[k].slots, std::size_t{count} + 2, 0U);
  }
}

void loading::number_entries(unsigned kind) {
  growing_rows& rows = made[kind];
  std::partial_sum(rows.slots, rows.slots + count + 2, rows.slots);
  rows.capacity = rows.slots[std::size_t{count} + 1];
}

void loading::allocate_entries(unsigned kind) {
  growing_rows& rows = made[kind];
  rows.targets = tess::allocate<vertex>(std::max<std::uint64_t>(rows.capacity, 1));
  rows.entries = rows.targets.local();
}

tess::task<void> loading::tidy_rows(unsigned kind, std::uint64_t vertices) {
  growing_rows& rows = made[kind];
  if (overfull || !std::is_sorted(rows.slots, rows.slots + count + 1) || rows.slots[count] != rows.capacity)
    throw_changed_everywhere(input->spec);
  co_await tess::forall_chunks(0, count, 4096, [this, kind, vertices, &rows](std::uint64_t begin, std::uint64_t end) {
    std::uint64_t digest = 0;
    for (std::uint64_t i = begin; i < end; ++i) {
      for (std::uint64_t e = rows.slots[i]; e < rows.slots[i + 1]; ++e)
        digest += digest_of(kind, static_cast<vertex>(first + i), rows.entries[e]);
    }
    sort_rows({rows.slots + begin, rows.slots + end + 1}, rows.entries, vertices);
    stored_digest.fetch_add(digest, std::memory_order_relaxed);
  });
  vertex* to = rows.entries;
  std::uint64_t begin = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t const end = rows.slots[i + 1];
    vertex* const row = to;
    to = std::unique_copy(rows.entries + begin, rows.entries + end, to);
    begin = end;
    rows.slots[i + 1] = static_cast<std::uint64_t>(to - rows.entries);
    degree_max = std::max(degree_max, static_cast<vertex>(to - row));
  }
}

void loading::release() {
  for (growing_rows& rows : made) {
    tess::deallocate(rows.targets);
    tess::deallocate(rows.offsets);
    rows = {};
  }
}

}  // namespace graph
