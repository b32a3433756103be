// bfs_bellman_ford: distances from a root, by messages that every node relaxes (BF).
//
//   As many rounds as the root's eccentricity, each of two sweeps: received messages are put into the box; a node whose
//   distance falls sends a distance greater by one to all its neighbours.
//
// Source   IMSuite (JPDC 2015), bfsBellmanFord.
#include "imsuite/program.hpp"

namespace imsuite {
namespace {

struct bfs_bellman_ford {
  static constexpr kernel which = kernel::bfs_bellman_ford;

  struct node {
    std::int32_t distance = infinity;
    std::vector<std::int32_t> neighbors;
    std::vector<std::int32_t> box;
    std::vector<std::int32_t> next_box;
  };
  struct fields {
    x10::int_array* adj_graph;
    std::int32_t root;

    [[nodiscard]] auto references() const { return std::tuple(adj_graph); }
  };
  using self_t = benchmark<bfs_bellman_ford>;

  static tess::task<fields> make_fields(input const& in, builder&) {
    co_return fields{make_matrix(in.nodes, in.adjacency), in.root};
  }

  static void initialize(self_t* self, std::int32_t i) {
    node& n = self->node(i);
    n.neighbors = neighbors_in(*self->own.adj_graph, self->nodes, i);
    if (i == self->own.root) n.distance = 0;
  }

  // Sends to the neighbours of node i, from its place.
  static tess::task<void> tell_neighbors(self_t* self, std::int32_t i, std::int32_t distance) {
    for (std::int32_t const j : self->node(i).neighbors)
      co_await send(self, j, distance, [](node& n, std::int32_t d) { n.next_box.push_back(d); });
  }

  static std::int32_t eccentricity(input const& in) {
    std::int32_t most = 0;
    for (std::int32_t const d : distances_from(in, in.root))
      if (d != infinity) most = std::max(most, d);
    return most;
  }

  static tess::task<void> run(self_t* self, input const& in) {
    std::int32_t const rounds = eccentricity(in);
    co_await at_node(self, self->own.root, [](self_t* s, std::int32_t i) { return tell_neighbors(s, i, 1); });
    for (std::int32_t round = 0; round < rounds; ++round) {
      co_await sweep(self, [](self_t* s, std::int32_t i) {
        node& n = s->node(i);
        n.box = std::exchange(n.next_box, {});
      });
      co_await sweep(self, [](self_t* s, std::int32_t i) -> tess::task<void> {
        node& n = s->node(i);
        std::int32_t const least = n.box.empty() ? infinity : std::ranges::min(n.box);
        n.box.clear();
        if (least >= n.distance) co_return;
        n.distance = least;
        co_await tell_neighbors(s, i, least + 1);
      });
    }
  }

  static tess::task<std::string> finish(self_t* self, input const& in, report& out) {
    std::vector<std::int32_t> distance;
    for (std::int32_t i = 0; i < self->nodes; ++i)
      distance.push_back(co_await get(self, i, [](node const& n) { return n.distance; }));
    out.number("reached", std::ranges::count_if(distance, [](std::int32_t d) { return d != infinity; }));
    out.number("farthest", eccentricity(in));
    out.per_node("distance", distance);
    co_return wrong_distances(in, distance);
  }
};

}  // namespace
}  // namespace imsuite

int main(int argc, char** argv) {
  return imsuite::program<imsuite::bfs_bellman_ford>(argc, argv);
}
