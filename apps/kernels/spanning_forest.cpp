// spanning_forest: picks, links of components, and what is left, round after round.
#include "kernels/spanning_forest.hpp"

#include <algorithm>
#include <atomic>
#include <tuple>
#include <utility>

#include "kernels/outboxes.hpp"
#include "kernels/replicated.hpp"

namespace kernels {

namespace {

using graph::vertex;

constexpr auto relaxed = std::memory_order_relaxed;

template <class Weight>
struct edge {
  Weight weight;
  vertex u;  // the smaller end
  vertex v;

  friend bool operator<(edge const& a, edge const& b) noexcept {
    return std::tie(a.weight, a.u, a.v) < std::tie(b.weight, b.u, b.v);
  }
};

// Between two components.
template <class Weight>
struct live_edge {
  vertex a;
  vertex b;
  edge<Weight> is;
};

// What component `from` may pick to reach component `to`.
template <class Weight>
struct offer {
  vertex from;
  vertex to;
  edge<Weight> is;
};

// The view of one place.
template <class Weight>
class forest_growth {
 public:
  forest_growth(graph::distributed_graph g, Weight const* weights, replicated<vertex> links,
                outboxes<offer<Weight>> boxes, std::vector<weighted_edge>& made)
      : g_(g),
        part_(g.part()),
        weights_(weights),
        all_links_(links),
        links_(links.local().data()),
        boxes_(boxes),
        made_(made),
        picks_(part_.count) {}

  tess::task<void> run() {
    for (std::uint64_t c = 0; c < part_.vertices; ++c) links_[c] = static_cast<vertex>(c);
    co_await pick_from_rows();
    for (bool first = true; co_await join(); first = false) {
      if (first)
        co_await keep_from_rows();
      else
        co_await keep();
      co_await pick_from_offers();
    }
  }

 private:
  using lightest = live_edge<Weight> const*;

  // f(worker, first, last) for a share of [0, count) each.
  template <class F>
  static tess::task<void> for_workers(std::uint64_t count, F f) {
    std::uint64_t const workers = tess::workers();
    co_await tess::forall_chunks(
        0, workers, 1, [&](std::uint64_t w, std::uint64_t) { f(w, w * count / workers, (w + 1) * count / workers); });
  }

  [[nodiscard]] edge<Weight> entry(std::uint64_t i, std::uint64_t e) const {
    auto const [low, high] = std::minmax(static_cast<vertex>(part_.first + i), vertex{part_.out.targets[e]});
    return {weights_[e], low, high};
  }

  tess::task<void> pick_from_rows() {
    co_await for_workers(part_.count, [this](std::uint64_t, std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i < end; ++i) {
        auto const own = static_cast<vertex>(part_.first + i);
        for (std::uint64_t e = part_.out.offsets[i]; e < part_.out.offsets[i + 1]; ++e) {
          if (part_.out.targets[e] == own) continue;  // a self-loop
          edge<Weight> const is = entry(i, e);
          if (picks_[i].from == picks_[i].to || is < picks_[i].is) picks_[i] = {own, part_.out.targets[e], is};
        }
      }
    });
    for (vertex i = 0; i < part_.count; ++i)
      if (picks_[i].from != picks_[i].to) pickers_.push_back(part_.first + i);
  }

  // Links the components that picked an edge; whether there is one anywhere. Afterwards every link of a component that
  // was there before leads to the one that it is in now.
  tess::task<bool> join() {
    if (co_await tess::all_reduce(std::uint64_t{pickers_.size()}) == 0) co_return false;
    for (vertex const c : pickers_) links_[c] = picks_[c - part_.first].to;
    co_await share_links();
    for (vertex const c : pickers_) {
      vertex const to = links_[c];
      if (links_[to] == c && c < to) {
        links_[c] = c;  // both picked the same edge: the smaller component stays, the other one has the edge
        continue;
      }
      edge<Weight> const& is = picks_[c - part_.first].is;
      made_.push_back({is.u, is.v, static_cast<double>(is.weight)});
    }
    for (std::uint64_t moved = 1; moved != 0;) {
      co_await share_links();
      moved = 0;
      for (vertex const c : pickers_) {
        vertex const farther = links_[links_[c]];
        moved += farther != links_[c];
        links_[c] = farther;
      }
      moved = co_await tess::all_reduce(moved);
    }
    co_return true;
  }

  // All places have changed their links, and none changes them again before all have read.
  tess::task<void> share_links() {
    if (tess::places() == 1) co_return;
    co_await tess::barrier();
    co_await all_links_.gather();
    co_await tess::barrier();
  }

  tess::task<void> keep_from_rows() {
    live_.resize(tess::workers());
    lightest_.resize(part_.vertices);
    co_await for_workers(part_.count, [this](std::uint64_t w, std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i < end; ++i) {
        auto const own = static_cast<vertex>(part_.first + i);
        for (std::uint64_t e = part_.out.offsets[i]; e < part_.out.offsets[i + 1]; ++e) {
          vertex const other = part_.out.targets[e];
          if (own < other && links_[own] != links_[other])
            live_[w].push_back({links_[own], links_[other], entry(i, e)});
        }
      }
    });
  }

  tess::task<void> keep() {
    co_await for_workers(0, [this](std::uint64_t w, std::uint64_t, std::uint64_t) {
      std::erase_if(live_[w], [this](live_edge<Weight>& e) {
        e.a = links_[e.a];
        e.b = links_[e.b];
        return e.a == e.b;
      });
    });
  }

  void consider(vertex component, live_edge<Weight> const& e) {
    std::atomic_ref<lightest> const slot(lightest_[component]);
    lightest known = slot.load(relaxed);
    while ((known == nullptr || e.is < known->is) && !slot.compare_exchange_weak(known, &e, relaxed)) {
    }
  }

  // Offers the lightest edge of this place for each component, and takes the offers for own ones.
  tess::task<void> pick_from_offers() {
    co_await for_workers(0, [this](std::uint64_t w, std::uint64_t, std::uint64_t) {
      for (live_edge<Weight> const& e : live_[w]) {
        consider(e.a, e);
        consider(e.b, e);
      }
    });
    co_await for_workers(0, [this](std::uint64_t w, std::uint64_t, std::uint64_t) {
      auto& open = boxes_.of_worker(w);
      auto const send = [&](vertex from, vertex to, live_edge<Weight> const& e) {
        std::atomic_ref<lightest> const slot(lightest_[from]);
        if (slot.load(relaxed) != &e) return;
        slot.store(nullptr, relaxed);
        open[g_.owner(from)].push_back({from, to, e.is});
      };
      for (live_edge<Weight> const& e : live_[w]) {
        send(e.a, e.b, e);
        send(e.b, e.a, e);
      }
    });
    delivery<offer<Weight>> const got = co_await boxes_.swap();
    pickers_.clear();
    for (offer<Weight> const& o : got.messages) picks_[o.from - part_.first].to = o.from;
    for (offer<Weight> const& o : got.messages) {
      offer<Weight>& pick = picks_[o.from - part_.first];
      if (pick.to == o.from)
        pickers_.push_back(o.from);
      else if (!(o.is < pick.is))
        continue;
      pick = o;
    }
  }

  graph::distributed_graph g_;
  graph::graph_part const& part_;
  Weight const* weights_;
  replicated<vertex> all_links_;
  vertex* links_;  // of a component, to one that it belongs to; itself if to none
  outboxes<offer<Weight>> boxes_;
  std::vector<weighted_edge>& made_;
  std::vector<offer<Weight>> picks_;                  // of own components; to == from: none
  std::vector<vertex> pickers_;                       // own components with a pick
  std::vector<std::vector<live_edge<Weight>>> live_;  // of each worker
  std::vector<lightest> lightest_;                    // of the edges here, for each component
};

template <class Weight>
tess::task<std::vector<weighted_edge>> grow(graph::distributed_graph g, graph::edge_weights weights) {
  using edges_everywhere = tess::place_local<std::vector<weighted_edge>>;
  auto const links = co_await replicated<vertex>::make(g.vertices(), g.block());
  auto const boxes = co_await outboxes<offer<Weight>>::make();
  auto const made = co_await edges_everywhere::make();
  co_await tess::on_all_places(
      [](graph::distributed_graph all, graph::edge_weights w, replicated<vertex> l, outboxes<offer<Weight>> b,
         edges_everywhere into) -> tess::task<void> {
        forest_growth<Weight> one(all, w.local<Weight>(), l, b, *into);
        co_await one.run();
      },
      g, weights, links, boxes, made);
  std::vector<weighted_edge> edges;
  for (unsigned p = 0; p < tess::places(); ++p) {
    std::vector<weighted_edge> const of_place =
        co_await tess::at(static_cast<tess::place_id>(p), [](edges_everywhere from) { return std::move(*from); }, made);
    edges.insert(edges.end(), of_place.begin(), of_place.end());
  }
  co_await edges_everywhere::release(made);
  co_await outboxes<offer<Weight>>::release(boxes);
  co_await replicated<vertex>::release(links);
  co_return edges;
}

}  // namespace

tess::task<forest> spanning_forest(graph::distributed_graph g, graph::edge_weights weights) {
  forest made;
  made.edges = weights.integers() ? co_await grow<std::uint32_t>(g, weights) : co_await grow<double>(g, weights);
  std::ranges::sort(made.edges, {}, [](weighted_edge const& e) { return std::pair(e.u, e.v); });
  for (weighted_edge const& e : made.edges) made.weight += e.weight;
  co_return made;
}

}  // namespace kernels
