// local_moving: vertices move, one after the other, to the best of their neighbours' communities; the part that Louvain
// and label propagation have in common.
//
//   The vertices of a block of 64 move one after the other, and each sees the moves before it. A round has up to 16
//   turns; a random word of round and block says in which of them the block moves. The blocks of a turn do not see each
//   other's moves, which the places exchange after it: no result depends on places, workers or timing. A vertex is
//   looked at again after a neighbour left for another community. A graph that is alone at place 0 is one block.
//
// Shapes    per place: labels and totals of all vertices of the level; rows and strengths of the own ones.
// Units     weights are integers in doubles whose sum is below 2^53: sums are exact and have no order (`quantise`).
// Threads   made by one task of every place, which call run() together; moving_arrays by one task, for all.
// Cost      per place 13 bytes for each vertex of the graph, 48 for each own one, 20 for each vertex and worker. A turn
//           costs one exchange and a transfer of its moves to all places, 16 bytes each.
// Source    Blondel et al., "Fast unfolding of communities in large networks" (2008); looking again only where
//           something changed from Ozaki, Tezuka, Inaba, "A simple acceleration method for the Louvain algorithm"
//           (2016); a lone vertex joins another one only if its number is smaller, from Lu, Halappanavar,
//           Kalyanaraman, "Parallel heuristics for scalable community detection" (2015).
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "distributed/edge_weights.hpp"
#include "kernels/exchange.hpp"

namespace kernels {

using graph::vertex;

// The own rows of a graph whose vertices lie in blocks of block() at the places, or all at place 0.
struct moving_rows {
  std::uint64_t vertices = 0;  // at all places
  std::uint64_t block = 64;
  vertex first = 0;
  vertex count = 0;
  std::uint64_t const* offsets = nullptr;
  vertex const* targets = nullptr;
  double const* weights = nullptr;  // one for each target; null: all are 1
  bool alone = false;               // at place 0; no other place takes part

  [[nodiscard]] double weight(std::uint64_t entry) const noexcept { return weights == nullptr ? 1 : weights[entry]; }
};

enum class moving_aim : std::uint8_t {
  modularity,  // the community that gains most by the vertex
  majority     // the community of most neighbours, by weight
};

struct moving_rules {
  moving_aim aim = moving_aim::modularity;
  double resolution = 1;
  std::uint64_t seed = 1;
  double moves_min = 0;  // ends after a round in which no more than this share of the vertices moved
  unsigned rounds_max = 1000;
};

struct community_move {
  vertex v;
  vertex to;
  double strength;
};

struct moves_report {
  std::uint64_t count = 0;
};

// What the places need to exchange moves and marks, for graphs up to the given one.
struct moving_arrays {
  exchange<moves_report> reports;
  tess::global_array<community_move> moves;  // two halves of a block each, in turn
  tess::global_array<std::uint8_t> marks;    // [places][vertices]
  std::uint64_t vertices = 0;
  std::uint64_t block = 0;

  static tess::task<moving_arrays> make(graph::distributed_graph g);
  static tess::task<void> release(moving_arrays a);
};

class local_moving {
 public:
  // totals: the strength of each vertex, which is the sum of its row's weights and of what it contains. Each is in a
  // community of its own.
  local_moving(moving_arrays const& arrays, moving_rows rows, std::vector<double> totals, moving_rules rules);

  // The number of moves.
  [[nodiscard]] tess::task<std::uint64_t> run();

  [[nodiscard]] unsigned rounds() const noexcept { return round_; }
  // The community of every vertex of the level: the number of a vertex.
  [[nodiscard]] std::vector<vertex> const& labels() const noexcept { return labels_; }
  [[nodiscard]] std::vector<double> const& totals() const noexcept { return totals_; }

 private:
  static constexpr vertex block_vertices = 64;

  // What a worker needs.
  struct scratch {
    std::vector<double> weights;  // to each community, from the vertex looked at
    std::vector<vertex> near;     // the communities with a weight, from the first element on
    std::vector<double> shifts;   // of totals, by moves of this block
    std::vector<vertex> shifted;
    std::vector<community_move> moves;
    vertex labels[block_vertices];
  };
  // Vertices that see each other's moves, and their labels.
  struct block_view {
    vertex first;
    vertex count;
    vertex* labels;
  };

  [[nodiscard]] unsigned turn_of(std::uint64_t block) const noexcept;
  void sort_by_turns();
  [[nodiscard]] tess::task<std::uint64_t> play_round();
  [[nodiscard]] tess::task<void> play_turn(unsigned turn);
  void play_block(std::uint64_t block, unsigned turn, scratch& s);
  void play(block_view b, unsigned turn, scratch& s);
  [[nodiscard]] vertex best(vertex v, block_view b, scratch& s) const;
  template <class WeightOf>
  [[nodiscard]] vertex choose(vertex v, vertex from, double own, std::span<vertex const> near, WeightOf weight_of,
                              scratch const& s) const;
  [[nodiscard]] bool may_join(vertex from, vertex to) const noexcept;
  void mark_neighbours(vertex v, vertex to, block_view b, unsigned turn);
  [[nodiscard]] tess::task<std::uint64_t> exchange_moves();
  void apply(std::span<community_move const> moves);
  [[nodiscard]] bool any_marked(std::uint64_t begin, std::uint64_t end) const noexcept;
  [[nodiscard]] tess::task<void> exchange_marks();

  moving_arrays const& arrays_;
  moving_rows const rows_;
  moving_rules const rules_;
  double all_ = 0;  // the sum of the strengths
  std::vector<vertex> labels_;
  std::vector<double> totals_;
  std::vector<std::uint32_t> sizes_;  // of communities, for may_join()
  std::vector<double> strengths_;     // own
  std::vector<std::uint8_t> active_;  // own: to be looked at in this round
  std::uint8_t* marks_;               // of all vertices: 1 + the turn of the last neighbour that left; alone: any
  std::vector<std::uint8_t> alone_marks_;
  std::vector<std::vector<std::uint64_t>> blocks_;  // [turn]
  std::vector<scratch> scratches_;                  // [worker]
  std::vector<community_move> incoming_;
  std::vector<std::uint8_t> incoming_marks_;
  std::atomic<std::uint64_t> next_{0};
  std::uint64_t moved_alone_ = 0;
  unsigned turns_ = 1;
  unsigned round_ = 0;
  unsigned step_ = 0;
};

// Weights of the own entries as integers of which no sum exceeds 2^53, and the strengths of all vertices. `w` may be
// null: all weights are 1, and none are returned.
struct quantised_weights {
  std::vector<double> weights;
  std::vector<double> totals;
};
// One task of every place calls it.
[[nodiscard]] tess::task<quantised_weights> quantise(graph::distributed_graph g, graph::edge_weights const* w);

}  // namespace kernels
