// align_unit: the ports of the hardware that moves the bytes of a packet from their places in words of the source to
// those in words of the destination: a clocked circuit, behind which is the model, or the RTL.
//
//   Streams have valid and ready: an item moves at the edge at which both are set. Outputs depend on registers alone.
//
// Units     bytes; a cycle of the tile's clock for each step().
// Threads   one.
// Source    CNI (IJPP 2012), sections 3.3 and 4.1: RDMA of any alignment, the shifter.
#pragma once

#include <cstdint>

namespace tess::machine {

class align_unit {
 public:
  struct parameters {
    std::uint32_t line_bytes = 64;  ///< The longest packet has so many.
    std::uint32_t shifts = 1;       ///< 0: the first byte keeps its place in its word.
  };
  struct inputs {
    bool packet_valid = false;
    std::uint32_t from = 0;   ///< The first byte's place in its word of the source,
    std::uint32_t to = 0;     ///< and of the destination.
    std::uint32_t bytes = 0;  ///< 1 to a line.
    bool word_valid = false;
    std::uint64_t word = 0;
    bool aligned_ready = false;
  };
  struct aligned {
    std::uint64_t word = 0;
    std::uint32_t strobes = 0;  ///< Bit i: byte i is the packet's.
    bool last = false;
  };
  struct outputs {
    bool packet_ready = true;
    bool word_ready = false;
    bool aligned_valid = false;
    aligned next;
    bool quiet = true;  ///< No register changes until an input is valid.

    [[nodiscard]] bool active() const noexcept { return aligned_valid || word_ready; }
  };

  align_unit() = default;
  align_unit(align_unit const&) = delete;
  align_unit& operator=(align_unit const&) = delete;
  virtual ~align_unit() = default;

  /// An edge of the clock: inputs are taken, and outputs are those of the next cycle.
  virtual void step() = 0;

  inputs in;
  outputs out;
};

}  // namespace tess::machine
