// dijkstra_routing: every node computes its routing table, asking the others for their neighbours (DR).
//
//   One sweep: Dijkstra's algorithm with a queue that is searched, two expressions for every node that is settled; then
//   the first hops are spread along the shortest-path tree, one expression for every node of it and each of its levels.
//
// Source   IMSuite (JPDC 2015), dijkstraRouting. Its tables give the source itself as the first hop to neighbours; here
//          it is the neighbour.
#include <algorithm>

#include "imsuite/program.hpp"

namespace imsuite {
namespace {

struct dijkstra_routing {
  static constexpr kernel which = kernel::dijkstra_routing;

  struct node {
    std::vector<std::int32_t> neighbors;
    std::vector<route> table;
  };
  struct fields {
    x10::int_array* adj_graph;

    [[nodiscard]] auto references() const { return std::tuple(adj_graph); }
  };
  using self_t = benchmark<dijkstra_routing>;

  static tess::task<fields> make_fields(input const& in, builder&) {
    co_return fields{make_matrix(in.nodes, in.adjacency)};
  }

  static void initialize(self_t* self, std::int32_t i) {
    node& n = self->node(i);
    n.neighbors = neighbors_in(*self->own.adj_graph, self->nodes, i);
    n.table.assign(static_cast<std::size_t>(self->nodes), {});
  }

  static auto neighbors_of(self_t* s, std::int32_t i) {
    return get_object(s, i, [](node const& n) { return make_ints(n.neighbors); });
  }

  struct entry {
    std::int32_t node;
    std::int32_t cost;
    std::int32_t hops;
    std::int32_t parent;
  };

  // The cheapest entry; among equal ones the latest. All entries for its node leave the queue.
  static entry take_cheapest(std::vector<entry>& queue) {
    entry best = queue.back();
    for (std::size_t k = queue.size(); k-- > 0;)
      if (queue[k].cost < best.cost) best = queue[k];
    std::erase_if(queue, [&](entry const& e) { return e.node == best.node; });
    return best;
  }

  // The tree of shortest paths from node i; result: its depth.
  static tess::task<std::int32_t> find_paths(self_t* s, std::int32_t i, x10::int_array const* weight) {
    std::vector<route>& table = s->node(i).table;
    std::vector<std::uint8_t> settled(table.size());
    std::vector<entry> queue{{i, 0, 0, infinity}};
    std::int32_t depth = 0;
    while (!queue.empty()) {
      entry const e = take_cheapest(queue);
      depth = std::max(depth, e.hops);
      table[static_cast<std::size_t>(e.node)] = {e.cost, e.hops, e.parent, infinity};
      settled[static_cast<std::size_t>(e.node)] = 1;
      auto const size =
          co_await get(s, e.node, [](node const& n) { return static_cast<std::int32_t>(n.neighbors.size()); });
      auto const neighbors = co_await neighbors_of(s, e.node);
      for (std::int32_t k = 0; k < size; ++k)
        if (std::int32_t const j = (*neighbors)(k); settled[static_cast<std::size_t>(j)] == 0)
          queue.push_back({j, e.cost + (*weight)(e.node, j), e.hops + 1, e.node});
    }
    co_return depth;
  }

  // The children of the nodes whose first hop is known inherit it, level by level.
  static tess::task<void> spread_first_hops(self_t* s, std::int32_t i, std::int32_t depth) {
    std::vector<route>& table = s->node(i).table;
    auto const row = [&](std::int32_t k) -> route& { return table[static_cast<std::size_t>(k)]; };
    for (std::int32_t const j : s->node(i).neighbors)
      if (row(j).parent == i) row(j).next = j;
    for (std::int32_t level = 0; level < depth; ++level) {
      std::vector<std::int32_t> next(table.size(), infinity);
      for (std::int32_t k = 0; k < s->nodes; ++k) {
        if (row(k).next == infinity) continue;
        auto const neighbors = co_await neighbors_of(s, k);
        for (std::int32_t const j : neighbors->raw)
          if (row(j).parent == k) next[static_cast<std::size_t>(j)] = row(k).next;
      }
      for (std::int32_t k = 0; k < s->nodes; ++k)
        if (next[static_cast<std::size_t>(k)] != infinity) row(k).next = next[static_cast<std::size_t>(k)];
    }
    row(i).next = i;
  }

  struct with_weights {
    x10::int_array* weight;
    [[nodiscard]] auto references() const { return std::tuple(weight); }
  };

  static tess::task<void> run(self_t* self, input const& in) {
    return sweep(self, with_weights{make_ints(in.nodes, in.weights)},
                 [](self_t* s, std::int32_t i, with_weights with) -> tess::task<void> {
                   std::int32_t const depth = co_await find_paths(s, i, with.weight);
                   co_await spread_first_hops(s, i, depth);
                 });
  }

  struct routing_table {
    tess::array<std::int32_t> cost, hops, parent, next;
    [[nodiscard]] auto references() const { return std::tuple(cost, hops, parent, next); }
  };

  static routing_table* table_of(node const& n) {
    auto* const made =
        tess::make<routing_table>(tess::array<std::int32_t>(n.table.size()), tess::array<std::int32_t>(n.table.size()),
                                  tess::array<std::int32_t>(n.table.size()), tess::array<std::int32_t>(n.table.size()));
    for (std::size_t k = 0; k < n.table.size(); ++k) {
      made->cost[k] = n.table[k].cost;
      made->hops[k] = n.table[k].hops;
      made->parent[k] = n.table[k].parent;
      made->next[k] = n.table[k].next;
    }
    return made;
  }

  static tess::task<std::string> finish(self_t* self, input const& in, report& out) {
    std::vector<route> routes;
    std::vector<std::int32_t> cost_sum;
    for (std::int32_t i = 0; i < self->nodes; ++i) {
      auto const table = co_await get_object(self, i, [](node const& n) { return table_of(n); });
      std::int64_t sum = 0;
      for (std::size_t k = 0; k < table->cost.size(); ++k) {
        routes.push_back({table->cost[k], table->hops[k], table->parent[k], table->next[k]});
        if (table->cost[k] != infinity) sum += table->cost[k];
      }
      cost_sum.push_back(static_cast<std::int32_t>(std::min<std::int64_t>(sum, infinity)));
    }
    out.number("routes", std::ranges::count_if(routes, [](route const& r) { return r.cost != infinity; }));
    out.number("longest",
               std::ranges::max(routes, {}, [](route const& r) { return r.hops == infinity ? 0 : r.hops; }).hops);
    out.per_node("cost_sum", cost_sum);
    co_return wrong_routes(in, routes);
  }
};

}  // namespace
}  // namespace imsuite

int main(int argc, char** argv) {
  return imsuite::program<imsuite::dijkstra_routing>(argc, argv);
}
