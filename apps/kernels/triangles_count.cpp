// triangles_count: both forms of counting, each a pass over the turned rows.
#include <algorithm>
#include <array>
#include <atomic>
#include <memory>

#include "kernels/gather_block_array.hpp"
#include "kernels/triangles_parts.hpp"

namespace kernels {

namespace {

using graph::vertex;

// The turned rows of one place: its own ones, or a copy of another place's.
struct panel {
  std::uint64_t first = 0;  // name
  std::uint64_t const* offsets = nullptr;
  vertex const* targets = nullptr;

  [[nodiscard]] std::span<vertex const> row(vertex name) const noexcept {
    std::uint64_t const i = name - first;
    return {targets + offsets[i], targets + offsets[i + 1]};
  }
};

// Room for a copy, which comes while another panel is in use.
struct panel_copy {
  std::unique_ptr<std::uint64_t[]> offsets;
  std::unique_ptr<vertex[]> targets;
  tess::counter arrived;

  void fetch(turned_rows const& from) {
    offsets = std::make_unique_for_overwrite<std::uint64_t[]>(from.rows + 1);
    targets = std::make_unique_for_overwrite<vertex[]>(from.entries);
    tess::get(from.offsets, std::span(offsets.get(), from.rows + 1), arrived);
    if (from.entries != 0) tess::get(from.targets, std::span(targets.get(), from.entries), arrived);
  }
};

}  // namespace

// One run, from the view of one place.
class triangles_count {
 public:
  // `each` may be null: the triangles of each name are not counted.
  explicit triangles_count(triangles const& t, std::uint64_t* each = nullptr)
      : t_(t), part_(t.graph_.part()), s_(*t.state_), keys_(t.keys_.local().data()), each_(each) {}

  tess::task<void> pull() {
    panel_copy copies[2];
    for (unsigned step = 0; step < tess::places(); ++step) {
      panel_copy& now = copies[step % 2];
      co_await now.arrived;
      if (step + 1 < tess::places()) copies[(step + 1) % 2].fetch(s_.turned[place_of(step + 1)]);
      tess::place_id const p = place_of(step);
      panel rows{t_.graph_.begin_at(p), now.offsets.get(), now.targets.get()};
      if (step == 0) rows = own_rows();
      vertex const end = static_cast<vertex>(t_.graph_.end_at(p));
      co_await by_chunks([&](std::uint64_t begin, std::uint64_t stop, vertex_marks& marks) {
        return count_rows(begin, stop, rows, end, marks);
      });
    }
  }

 private:
  [[nodiscard]] tess::place_id place_of(unsigned step) const {
    // Each place starts with itself and continues with its neighbour, so that places do not all read the same one.
    return static_cast<tess::place_id>((tess::here() + step) % tess::places());
  }
  [[nodiscard]] panel own_rows() const noexcept { return {part_.first, s_.offsets, s_.targets}; }

  // f(begin, end, marks) -> triangles, over chunks of the own rows; a task for each worker, with marks of its own,
  // takes them as it can.
  template <class F>
  tess::task<void> by_chunks(F f) {
    s_.next = 0;
    co_await tess::forall_chunks(0, tess::workers(), 1, [&](std::uint64_t, std::uint64_t) { return take_chunks(f); });
  }
  template <class F>
  tess::task<void> take_chunks(F const& f) {
    vertex_marks marks(part_.vertices);
    for (;;) {
      std::uint64_t const begin = s_.next.fetch_add(rows_per_chunk, std::memory_order_relaxed);
      if (begin >= part_.count) co_return;
      std::uint64_t const found = f(begin, std::min<std::uint64_t>(begin + rows_per_chunk, part_.count), marks);
      s_.found.fetch_add(found, std::memory_order_relaxed);
      co_await tess::yield();
    }
  }

  // Edges from own vertices, which have the longer row, to vertices of the panel.
  std::uint64_t count_rows(std::uint64_t begin, std::uint64_t stop, panel const& rows, vertex end,
                           vertex_marks& marks) const {
    std::uint64_t found = 0;
    for (std::uint64_t i = begin; i < stop; ++i) {
      std::span<vertex const> const own = s_.row(i);
      if (own.size() < 2) continue;
      std::span<vertex const> const all = part_.out.neighbours(s_.order[i]);
      auto const from = std::ranges::lower_bound(all, static_cast<vertex>(rows.first));
      auto const to = std::lower_bound(from, all.end(), end);
      if (from == to) continue;
      marks.set(own);
      std::uint64_t const common =
          count_shorter(std::uint64_t{own.size()} << 32 | (part_.first + i), {from, to}, rows, marks);
      if (each_ != nullptr) credit(part_.first + i, common);
      found += common;
      marks.clear(own);
    }
    return found;
  }

  // The neighbours are looked up some at a time, so that the memory's delays overlap: keys, where rows begin, rows.
  std::uint64_t count_shorter(std::uint64_t own_key, std::span<vertex const> neighbours, panel const& rows,
                              vertex_marks const& marks) const noexcept {
    constexpr std::size_t batch = 64;
    std::array<vertex, batch> shorter;
    std::uint64_t found = 0;
    while (!neighbours.empty()) {
      std::size_t const n = std::min(batch, neighbours.size());
      std::size_t kept = 0;
      for (vertex const v : neighbours.first(n)) {
        std::uint64_t const key = keys_[v];
        shorter[kept] = static_cast<vertex>(key);
        __builtin_prefetch(&rows.offsets[shorter[kept] - rows.first]);
        // The edge's other end counts if this row is longer or both are equal. Empty rows have nothing in common.
        kept += key < own_key && key >> 32 != 0;
      }
      for (std::size_t k = 0; k < kept; ++k) __builtin_prefetch(rows.row(shorter[k]).data());
      if (each_ == nullptr)
        for (std::size_t k = 0; k < kept; ++k) found += marks.count(rows.row(shorter[k]));
      else
        for (std::size_t k = 0; k < kept; ++k) found += credit_common(shorter[k], rows.row(shorter[k]), marks);
      neighbours = neighbours.subspan(n);
    }
    return found;
  }

  // Counts the triangles of a neighbour for it and for their third vertices.
  std::uint64_t credit_common(vertex shorter, std::span<vertex const> row, vertex_marks const& marks) const noexcept {
    constexpr std::size_t batch = 256;
    std::array<vertex, batch> thirds;
    std::uint64_t found = 0;
    while (!row.empty()) {
      std::size_t const n = std::min(batch, row.size());
      std::size_t hits = 0;
      // Without a branch, which nobody could predict.
      for (vertex const v : row.first(n)) {
        thirds[hits] = v;
        hits += marks.has(v);
      }
      for (std::size_t k = 0; k < hits; ++k) credit(thirds[k], 1);
      found += hits;
      row = row.subspan(n);
    }
    if (found != 0) credit(shorter, found);
    return found;
  }

  void credit(std::uint64_t name, std::uint64_t found) const noexcept {
    if (tess::workers() == 1)
      each_[name] += found;
    else
      std::atomic_ref(each_[name]).fetch_add(found, std::memory_order_relaxed);
  }

  triangles const& t_;
  graph::graph_part const& part_;
  triangles_state& s_;
  std::uint64_t const* keys_;
  std::uint64_t* each_;
};

tess::task<std::uint64_t> triangles::count(form how) const {
  co_await tess::on_all_places(
      [](triangles t, form f) -> tess::task<void> {
        t.state_->found = 0;
        co_await tess::barrier();
        if (!t.needs_order(f)) {
          t.state_->found = co_await count_flat(t.graph_);
        } else if (f == form::words) {
          triangles_count one(t);
          co_await one.pull();
        } else {
          co_await push_rows(t.state_);
        }
      },
      *this, how);
  std::uint64_t found = 0;
  for (unsigned p = 0; p < tess::places(); ++p)
    found +=
        co_await tess::at(static_cast<tess::place_id>(p), [](triangles t) { return t.state_->found.load(); }, *this);
  co_return found;
}

// Each place counts for all names; then each adds up what all places counted for its own vertices.
tess::task<std::vector<std::uint64_t>> triangles::count_each() const {
  graph::distributed_graph const g = graph_;
  auto const by_name = co_await tess::global_array<std::uint64_t>::make(g.vertices() * tess::places());
  auto const by_vertex = co_await tess::global_array<std::uint64_t>::make(g.block() * tess::places());
  co_await tess::on_all_places(
      [](triangles t, tess::global_array<std::uint64_t> names,
         tess::global_array<std::uint64_t> vertices) -> tess::task<void> {
        graph::graph_part const& part = t.graph_.part();
        t.state_->found = 0;
        co_await tess::barrier();
        triangles_count one(t, names.local().data());
        co_await one.pull();
        co_await tess::barrier();
        if (part.count == 0) co_return;
        std::vector<std::uint64_t> counted(part.count);
        for (unsigned step = 0; step < tess::places(); ++step) {
          std::uint64_t const p = (tess::here() + step) % tess::places();
          co_await tess::get(names[p * names.block() + part.first], std::span(counted));
          for (std::uint64_t i = 0; i < part.count; ++i) vertices.local()[t.state_->order[i]] += counted[i];
        }
      },
      *this, by_name, by_vertex);
  std::vector<std::uint64_t> each = co_await gather_block_array(g, by_vertex);
  co_await tess::global_array<std::uint64_t>::release(by_vertex);
  co_await tess::global_array<std::uint64_t>::release(by_name);
  co_return each;
}

// As GAP's reference implementation, which orders from ten neighbours on average; and with a bound on a row's work.
bool triangles::needs_order(form how) const noexcept {
  constexpr std::uint64_t few_on_average = 10;
  constexpr graph::vertex few = 32;
  return how != form::words || graph_.degree_max() > few || graph_.edges() >= few_on_average * graph_.vertices();
}

tess::task<std::uint64_t> triangles::run(form how) const {
  if (needs_order(how)) co_await orient();
  co_return co_await count(how);
}

}  // namespace kernels
