// strong_components: trimming, one search forward and backward, then colouring and trimming until no vertex is left.
#include "kernels/strong_components.hpp"

#include <algorithm>
#include <atomic>

#include "kernels/gather_block_array.hpp"
#include "kernels/replicated.hpp"
#include "kernels/spread.hpp"

namespace kernels {

namespace {

using graph::vertex;

constexpr auto relaxed = std::memory_order_relaxed;

// What is known of a vertex: of own ones all, of others at least what this place told their owners.
enum mark : std::uint8_t {
  labelled = 1,
  reached = 2,  // from the pivot
  reaching = 4  // the pivot, and reached from it
};

// A vertex, and what its owner shall know: which of its edges is gone, or a colour.
struct note {
  vertex to;
  vertex value;
};
using turn = spread_turn<note>;

enum lost_edge : vertex { lost_in, lost_out };

struct arrays {
  replicated<std::uint8_t> marks;
  replicated<vertex> colours;
  tess::global_array<vertex> labels;
  outboxes<note> notes;
};

// The vertex with the most pairs of an edge to it and an edge from it.
struct pivot {
  std::uint64_t pairs = 0;
  vertex v = 0;

  // The smaller vertex of equal ones.
  friend pivot better(pivot const& a, pivot const& b) noexcept {
    return a.pairs != b.pairs ? (a.pairs > b.pairs ? a : b) : (a.v < b.v ? a : b);
  }
};

vertex smaller(vertex a, vertex b) {
  return std::min(a, b);
}

// The view of one place.
class component_search {
 public:
  component_search(graph::distributed_graph g, arrays all)
      : g_(g),
        part_(g.part()),
        all_(all),
        marks_(all.marks.local().data()),
        colours_(all.colours.local().data()),
        labels_(all.labels.local().data()),
        ins_(part_.count),
        outs_(part_.count) {}

  tess::task<void> run() {
    std::vector<vertex> single;
    for (vertex i = 0; i < part_.count; ++i) {
      vertex const v = part_.first + i;
      ins_[i] = static_cast<vertex>(part_.in.degree(i));
      outs_[i] = static_cast<vertex>(part_.out.degree(i));
      left_.push_back(v);
      if ((ins_[i] == 0 || outs_[i] == 0) && claim(v, v)) single.push_back(v);
    }
    co_await remove(single);
    if (co_await any_left()) co_await take_component_of_pivot();
    while (co_await any_left()) co_await take_coloured_components();
  }

 private:
  // Sets a mark; whether it was not set.
  [[nodiscard]] bool set(vertex v, mark m) const {
    std::atomic_ref const marks(marks_[v]);
    return (marks.load(relaxed) & m) == 0 && (marks.fetch_or(m, relaxed) & m) == 0;
  }
  [[nodiscard]] bool has(vertex v, mark m) const { return (std::atomic_ref(marks_[v]).load(relaxed) & m) != 0; }

  [[nodiscard]] bool claim(vertex own, vertex label) const {
    if (!set(own, labelled)) return false;
    labels_[own - part_.first] = label;
    return true;
  }

  tess::task<bool> any_left() {
    std::erase_if(left_, [this](vertex v) { return has(v, labelled); });
    co_return co_await tess::all_reduce(std::uint64_t{left_.size()}) != 0;
  }

  // Labelled vertices no longer count as neighbours of those that are left, which become components of one if they
  // have lost all their in-neighbours or all their out-neighbours.
  tess::task<void> remove(std::vector<vertex> const& removed) {
    auto const lose = [this](note n, turn& t) {
      std::vector<vertex>& edges = n.value == lost_in ? ins_ : outs_;
      vertex const before = std::atomic_ref(edges[n.to - part_.first]).fetch_sub(1, relaxed);
      if (before == 1 && claim(n.to, n.to)) t.push(n.to);
    };
    auto const tell = [this, lose](std::span<vertex const> row, lost_edge lost, turn& t) {
      for (vertex const w : row) {
        if (has(w, labelled)) continue;
        if (part_.owns(w))
          lose({w, lost}, t);
        else
          t.send(g_.owner(w), {w, lost});
      }
    };
    co_await spread<note>(
        all_.notes, removed,
        [this, tell](vertex v, turn& t) {
          tell(part_.out.neighbours(v - part_.first), lost_in, t);
          tell(part_.in.neighbours(v - part_.first), lost_out, t);
        },
        lose);
  }

  // Marks what is left and reached from `start` by rows of one kind; only vertices that have the mark `within`, if any.
  tess::task<void> search(vertex start, graph::rows const& rows, mark m, std::uint8_t within) {
    std::vector<vertex> starts;
    if (part_.owns(start) && set(start, m)) starts.push_back(start);
    auto const wanted = [this, within](vertex own) { return within == 0 || has(own, reached); };
    co_await spread<note>(
        all_.notes, starts,
        [this, &rows, m, wanted](vertex v, turn& t) {
          for (vertex const w : rows.neighbours(v - part_.first)) {
            if (has(w, labelled)) continue;
            if (!part_.owns(w)) {
              if (set(w, m)) t.send(g_.owner(w), {w, 0});
            } else if (wanted(w) && set(w, m)) {
              t.push(w);
            }
          }
        },
        [this, m, wanted](note n, turn& t) {
          if (!has(n.to, labelled) && wanted(n.to) && set(n.to, m)) t.push(n.to);
        });
  }

  tess::task<void> take_component_of_pivot() {
    pivot mine{0, static_cast<vertex>(part_.vertices)};
    for (vertex const v : left_)
      mine = better(mine, {std::uint64_t{ins_[v - part_.first]} * outs_[v - part_.first], v});
    pivot const chosen = co_await tess::all_reduce(mine, [](pivot const& a, pivot const& b) { return better(a, b); });
    co_await search(chosen.v, part_.out, reached, 0);
    co_await search(chosen.v, part_.in, reaching, reached);

    std::vector<vertex> members;
    for (vertex const v : left_)
      if (has(v, reaching)) members.push_back(v);
    vertex const least = members.empty() ? static_cast<vertex>(part_.vertices) : members.front();
    vertex const label = co_await tess::all_reduce(least, smaller);
    for (vertex const v : members) static_cast<void>(claim(v, label));
    co_await share(all_.marks);
    co_await remove(members);
  }

  // Everyone learns what the owners have.
  template <class T>
  tess::task<void> share(replicated<T> const& array) {
    if (tess::places() == 1) co_return;
    co_await tess::barrier();
    co_await array.gather();
    co_await tess::barrier();
  }

  // Whether it is smaller than the colour that was known.
  [[nodiscard]] bool lower(vertex v, vertex colour) const {
    std::atomic_ref const known(colours_[v]);
    vertex before = known.load(relaxed);
    while (colour < before)
      if (known.compare_exchange_weak(before, colour, relaxed)) return true;
    return false;
  }

  // Every vertex starts with its own colour again, as what reached it may be gone. For vertices of other places this
  // place keeps the least colour that it has sent, and later the true one.
  tess::task<void> take_coloured_components() {
    for (std::uint64_t v = 0; v < part_.vertices; ++v) colours_[v] = static_cast<vertex>(v);
    co_await spread<note>(
        all_.notes, left_,
        [this](vertex v, turn& t) {
          vertex const colour = std::atomic_ref(colours_[v]).load(relaxed);
          for (vertex const w : part_.out.neighbours(v - part_.first)) {
            if (has(w, labelled) || !lower(w, colour)) continue;
            if (part_.owns(w))
              t.push(w);
            else
              t.send(g_.owner(w), {w, colour});
          }
        },
        [this](note n, turn& t) {
          if (!has(n.to, labelled) && lower(n.to, n.value)) t.push(n.to);
        });
    co_await share(all_.colours);

    std::vector<vertex> roots;
    for (vertex const v : left_)
      if (colours_[v] == v && claim(v, v)) roots.push_back(v);
    co_await spread<note>(
        all_.notes, roots,
        [this](vertex v, turn& t) {
          for (vertex const w : part_.in.neighbours(v - part_.first)) {
            if (has(w, labelled) || colours_[w] != colours_[v]) continue;
            if (part_.owns(w)) {
              if (claim(w, colours_[v])) t.push(w);
            } else if (set(w, labelled)) {
              t.send(g_.owner(w), {w, colours_[v]});
            }
          }
        },
        [this](note n, turn& t) {
          if (claim(n.to, n.value)) t.push(n.to);
        });
    std::vector<vertex> members;
    for (vertex const v : left_)
      if (has(v, labelled)) members.push_back(v);
    co_await share(all_.marks);
    co_await remove(members);
  }

  graph::distributed_graph g_;
  graph::graph_part const& part_;
  arrays all_;
  std::uint8_t* marks_;  // of all vertices, like the colours
  vertex* colours_;
  vertex* labels_;           // of own ones, like the next
  std::vector<vertex> ins_;  // neighbours that are left
  std::vector<vertex> outs_;
  std::vector<vertex> left_;  // own vertices without a label, in their order
};

}  // namespace

tess::task<std::vector<vertex>> strong_components(graph::distributed_graph g) {
  arrays all;
  all.marks = co_await replicated<std::uint8_t>::make(g.vertices(), g.block());
  all.colours = co_await replicated<vertex>::make(g.vertices(), g.block());
  all.labels = co_await tess::global_array<vertex>::make(g.block() * tess::places());
  all.notes = co_await outboxes<note>::make();
  co_await tess::on_all_places(
      [](graph::distributed_graph of, arrays those) -> tess::task<void> {
        component_search one(of, those);
        co_await one.run();
      },
      g, all);
  std::vector<vertex> labels = co_await gather_block_array(g, all.labels);
  co_await outboxes<note>::release(all.notes);
  co_await tess::global_array<vertex>::release(all.labels);
  co_await replicated<vertex>::release(all.colours);
  co_await replicated<std::uint8_t>::release(all.marks);
  co_return labels;
}

}  // namespace kernels
