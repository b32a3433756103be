// isolated_run: simulates packets of the fast path flit by flit, in the past, while all other traffic is suspended.
//
//   The result is exact: packets on the fast path have shared no link with other traffic since they were sent.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "machine/network/fast_path/fast_packets.hpp"
#include "machine/network/flit_engine.hpp"

namespace tess::machine {

class isolated_run {
 public:
  /// Both must outlive this.
  isolated_run(flit_engine& engine, fast_packets& packets)
      : engine_(engine), packets_(packets), events_(engine.shape()) {}

  /// Simulates the packets from the start of the first one up to `cycle`, which is not simulated itself; with
  /// `receive_last` its arrivals are. What is left of the packets then joins the other traffic.
  void replay(std::span<std::uint64_t const> numbers, std::uint64_t cycle, bool receive_last);
  /// Simulates the packets until nothing of them is left, without delivering them. Their cookies are their positions in
  /// `numbers`.
  void run_to_end(std::span<std::uint64_t const> numbers);

 private:
  void begin(std::span<std::uint64_t const> numbers);
  void end();
  /// Calls `queue` for the packets from numbers[next] on that start in this cycle. Returns the position after them.
  template <class F>
  std::size_t start(std::span<std::uint64_t const> numbers, std::size_t next, std::uint64_t cycle, F&& queue);

  flit_engine& engine_;
  fast_packets& packets_;
  schedule events_;  ///< During a run that of the other traffic, otherwise empty.
  std::vector<std::pair<std::uint32_t, router_requests>> suspended_;  ///< Requests of other traffic, by router.
};

}  // namespace tess::machine
