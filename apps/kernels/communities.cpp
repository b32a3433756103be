// communities: levels of Louvain at all places, then at place 0; and one level of label propagation.
#include "kernels/communities.hpp"

#include <algorithm>

#include "kernels/coarse_graph.hpp"
#include "kernels/gather_block_array.hpp"

namespace kernels {

namespace {

// A level of many vertices ends when few move: the next one continues with fewer.
constexpr double moves_min = 0.01;

struct communities_state {
  coarse_graph left;           // what is left for place 0
  std::vector<double> totals;  // its vertices' strengths
  unsigned levels = 0;
  unsigned rounds = 0;
};

struct communities_arrays {
  moving_arrays moving;
  tess::global_array<vertex> members;  // of the own vertices: their vertex in the level's graph
  tess::place_local<communities_state> state;

  static tess::task<communities_arrays> make(graph::distributed_graph g) {
    communities_arrays a;
    a.moving = co_await moving_arrays::make(g);
    a.members = co_await tess::global_array<vertex>::make(g.block() * tess::places());
    a.state = co_await tess::place_local<communities_state>::make();
    co_return a;
  }
  static tess::task<void> release(communities_arrays a) {
    co_await tess::place_local<communities_state>::release(a.state);
    co_await tess::global_array<vertex>::release(a.members);
    co_await moving_arrays::release(a.moving);
  }
};

moving_rows rows_of(graph::distributed_graph g, quantised_weights const& w) {
  graph::graph_part const& part = g.part();
  return {g.vertices(),
          g.block(),
          part.first,
          part.count,
          part.out.offsets,
          part.out.targets,
          w.weights.empty() ? nullptr : w.weights.data()};
}

// The strengths of the communities.
std::vector<double> coarse_totals(std::vector<double> const& totals, std::vector<vertex> const& labels,
                                  numbering const& communities) {
  std::vector<double> made(communities.count);
  for (vertex v = 0; v < labels.size(); ++v)
    if (labels[v] == v || totals[v] != 0) made[communities.number[v]] = totals[v];
  return made;
}

// Vertices without edges stay alone: they are no work.
std::uint64_t vertices_with_edges(std::vector<double> const& totals) {
  return static_cast<std::uint64_t>(std::ranges::count_if(totals, [](double strength) { return strength != 0; }));
}

void follow(std::span<vertex> members, std::vector<vertex> const& labels, numbering const& communities) {
  for (vertex& v : members) v = communities.number[labels[v]];
}

// The levels that are too large for one place, at each place.
tess::task<void> spread_levels(graph::distributed_graph g, communities_arrays a, louvain_rules rules,
                               std::optional<graph::edge_weights> w) {
  quantised_weights made = co_await quantise(g, w ? &*w : nullptr);
  moving_rows rows = rows_of(g, made);
  communities_state& s = *a.state;
  s.totals = std::move(made.totals);
  std::span<vertex> const members = a.members.local().first(g.part().count);
  for (vertex i = 0; i < members.size(); ++i) members[i] = g.part().first + i;
  for (bool alone = false; !alone;) {
    alone = vertices_with_edges(s.totals) <= rules.alone_max;
    std::vector<vertex> labels(rows.vertices);
    for (vertex v = 0; v < rows.vertices; ++v) labels[v] = v;
    if (!alone) {
      local_moving moving(a.moving, rows, s.totals,
                          {moving_aim::modularity, rules.resolution, rules.seed + s.levels, moves_min});
      std::uint64_t const moved = co_await moving.run();
      s.rounds += moving.rounds();
      s.levels += moved != 0;
      labels = moving.labels();
      s.totals = moving.totals();
      alone = moved == 0;
    }
    numbering const communities(labels);
    s.totals = coarse_totals(s.totals, labels, communities);
    alone = alone || vertices_with_edges(s.totals) <= rules.alone_max;
    s.left = co_await coarsen(rows, s.left.loops, labels, communities, alone);
    follow(members, labels, communities);
    rows = s.left.rows();
  }
}

// Each label becomes the smallest vertex that has it.
void finish(communities_result& result) {
  std::vector<vertex> smallest(result.labels.size(), UINT32_MAX);
  for (vertex v = 0; v < result.labels.size(); ++v) {
    vertex& label = result.labels[v];
    if (smallest[label] == UINT32_MAX) {
      smallest[label] = v;
      ++result.communities;
    }
    label = smallest[label];
  }
}

}  // namespace

tess::task<communities_result> louvain(graph::distributed_graph g, louvain_rules rules,
                                       std::optional<graph::edge_weights> w) {
  communities_result result;
  communities_arrays const a = co_await communities_arrays::make(g);
  co_await tess::on_all_places(
      [](graph::distributed_graph all, communities_arrays arrays, louvain_rules r,
         std::optional<graph::edge_weights> weights) { return spread_levels(all, arrays, r, weights); },
      g, a, rules, w);
  communities_state& s = *a.state;
  result.labels = co_await gather_block_array(g, a.members);
  result.levels = s.levels;
  result.rounds = s.rounds;
  for (;;) {
    local_moving moving(a.moving, s.left.rows(), s.totals, {moving_aim::modularity, rules.resolution});
    std::uint64_t const moved = co_await moving.run();
    result.rounds += moving.rounds();
    if (moved == 0) break;
    ++result.levels;
    numbering const communities(moving.labels());
    s.totals = coarse_totals(moving.totals(), moving.labels(), communities);
    follow(result.labels, moving.labels(), communities);
    s.left = coarsen_alone(s.left.rows(), s.left.loops, moving.labels(), communities);
  }
  co_await communities_arrays::release(a);
  finish(result);
  co_return result;
}

tess::task<communities_result> propagated_labels(graph::distributed_graph g, std::uint64_t seed,
                                                 std::optional<graph::edge_weights> w) {
  communities_result result;
  communities_arrays const a = co_await communities_arrays::make(g);
  co_await tess::on_all_places(
      [](graph::distributed_graph all, communities_arrays arrays, std::uint64_t random,
         std::optional<graph::edge_weights> weights) -> tess::task<void> {
        quantised_weights const made = co_await quantise(all, weights ? &*weights : nullptr);
        local_moving moving(arrays.moving, rows_of(all, made), made.totals, {moving_aim::majority, 0, random});
        static_cast<void>(co_await moving.run());
        std::copy_n(moving.labels().begin() + all.part().first, all.part().count, arrays.members.local().begin());
        arrays.state->rounds = moving.rounds();
      },
      g, a, seed, w);
  result.labels = co_await gather_block_array(g, a.members);
  result.levels = 1;
  result.rounds = a.state->rounds;
  co_await communities_arrays::release(a);
  finish(result);
  co_return result;
}

}  // namespace kernels
