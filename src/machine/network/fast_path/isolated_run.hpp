// isolated_run: simulates packets of the fast path flit by flit from their start, with all other traffic set aside.
//
//   The others cannot be affected: they use none of the same links meanwhile, or the packets would not have been on the
//   fast path.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "machine/network/fast_path/express_packets.hpp"
#include "machine/network/flit_engine.hpp"

namespace tess::machine {

class isolated_run {
 public:
  /// Both must outlive this.
  isolated_run(flit_engine& engine, express_packets& packets)
      : engine_(engine), packets_(packets), events_(engine.shape()) {}

  /// From the start of the first packet to before `cycle`, or with `receive_last` until what arrives in it has arrived.
  /// What is left of the packets then joins the other traffic.
  void replay(std::span<std::uint64_t const> numbers, std::uint64_t cycle, bool receive_last);
  /// Until nothing is left. The packets are not delivered; each has its position among `numbers` as its cookie.
  void run_to_end(std::span<std::uint64_t const> numbers);

 private:
  void begin(std::span<std::uint64_t const> numbers);
  void end();
  /// Queues the packets from numbers[next] on that start in this cycle, and returns the first one that does not.
  template <class F>
  std::size_t start(std::span<std::uint64_t const> numbers, std::size_t next, std::uint64_t cycle, F&& queue);

  flit_engine& engine_;
  express_packets& packets_;
  schedule events_;  ///< Those of the other traffic during a run, otherwise empty.
  std::vector<std::pair<std::uint32_t, router_requests>> suspended_;  ///< Routers with flits of other traffic.
};

}  // namespace tess::machine
