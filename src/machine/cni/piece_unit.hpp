// piece_unit: the ports of the hardware that cuts a copy into packets: a clocked circuit, behind which is the model, or
// the RTL.
//
//   A copy waits in the list of jobs. At its turn its entry goes in; one packet comes out, and then what is left of the
//   copy, which goes back to the end of the list: so short jobs pass. A packet covers one line of the destination, so
//   that it is written at once, and one line of the source if that is read at once.
//   Streams have valid and ready: an item moves at the edge at which both are set. Outputs depend on registers alone.
//
// Units     bytes, global addresses; a cycle of the tile's clock for each step().
// Threads   one.
// Source    CNI (IJPP 2012), section 3.3: RDMA of any alignment, recycling of jobs.
#pragma once

#include <cstdint>

namespace tess::machine {

class piece_unit {
 public:
  struct parameters {
    std::uint32_t line_bytes = 64;
  };
  struct entry {
    std::uint64_t source = 0;
    std::uint64_t destination = 0;
    std::uint32_t bytes = 0;  ///< 1 to 65536.
  };
  struct inputs {
    bool entry_valid = false;
    entry next;
    bool by_lines = false;  ///< The source is read by lines.
    bool packet_ready = false;
    bool rest_ready = false;
  };
  struct outputs {
    bool entry_ready = true;
    bool packet_valid = false;
    entry packet;
    bool rest_valid = false;  ///< Something is left.
    entry rest;
    bool quiet = true;  ///< No register changes until an input is valid.

    [[nodiscard]] bool active() const noexcept { return packet_valid || rest_valid; }
  };

  piece_unit() = default;
  piece_unit(piece_unit const&) = delete;
  piece_unit& operator=(piece_unit const&) = delete;
  virtual ~piece_unit() = default;

  /// An edge of the clock: inputs are taken, and outputs are those of the next cycle.
  virtual void step() = 0;

  inputs in;
  outputs out;
};

}  // namespace tess::machine
