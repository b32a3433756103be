// sssp_steps: one step at one place: empties the current bin, and takes what others found.
//
//   `known` is up to date for own vertices; for others it holds the smallest distance sent to their owner.
//   As in bfs_steps, packets are only collected in an inbox; there are two, because a place can be a step ahead.
//
// Shapes    known: [vertices]; offsets: [own vertices + 1]; targets: [entries of own rows].
// Threads   with several workers a large bin is shared by as many tasks, each with bins and packets of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "distributed/packet.hpp"
#include "kernels/sssp.hpp"

namespace kernels {

template <class Distance>
using distance_packet = graph::packet<distance_of<Distance>>;

// The state of one task of a place.
template <class Distance>
struct sssp_worker {
  distance_bins<Distance> bins;
  std::vector<distance_packet<Distance>> open;  // [place]
  Distance lowest_sent;
};

template <class Distance>
struct sssp_state {
  // Filled once by prepare().
  graph::graph_part part;
  tess::global_ptr<weighted_target<Distance>> rows;
  weighted_target<Distance> const* targets = nullptr;
  Distance* known = nullptr;

  std::vector<sssp_worker<Distance>> workers;
  std::vector<distance_of<Distance>> front;
  std::vector<std::atomic<std::uint32_t>> packets_to;  // [place]

  unsigned half = 0;  // the inbox of the current step
  std::vector<distance_of<Distance>> inbox[2];
  tess::counter arrived[2];  // packets

  sssp_result result;

  void prepare(graph::graph_part const& p, Distance const* weights, Distance* all_known);
  void begin(double delta);
  void claim(std::span<distance_of<Distance> const> found);
  void claim_inbox();
};

// Empties the current bin; full packets for other places are sent, the rest stays in `open`.
template <class Distance>
tess::task<void> empty_bin(tess::place_local<sssp_state<Distance>> state, graph::distributed_graph const& g);

// Sends the remaining items for place p: in the report if they fit, else in packets.
template <class Distance>
void hand_out(tess::place_local<sssp_state<Distance>> state, unsigned p, sssp_report<Distance>& report);

}  // namespace kernels
