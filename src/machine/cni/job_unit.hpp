// job_unit: the ports of the hardware that is the list of jobs: a clocked circuit, behind which is the model, or the
// RTL.
//
//   A job has a number from `put` to `end`. It waits for its turn in the order in which it came; one that comes again
//   after its turn goes to the end. While copies stop, the others pass them. A job that ends while it waits has no
//   turn.
//   Streams have valid and ready: an item moves at the edge at which both are set. Outputs depend on registers alone.
//
// Units     bytes, global addresses; a cycle of the tile's clock for each step().
// Threads   one.
// Source    CNI (IJPP 2012), section 3.3: the job list, a FIFO with recycling.
#pragma once

#include <cstdint>

#include "machine/cni/piece_unit.hpp"

namespace tess::machine {

class job_unit {
 public:
  struct parameters {
    std::uint32_t jobs = 64;
  };
  struct inputs {
    bool put_valid = false;
    bool put_again = false;        ///< A job after its turn, which is always accepted;
    std::uint32_t put_number = 0;  ///< its number.
    bool put_is_copy = false;      ///< A new one is; it gets the number `free`.
    piece_unit::entry put;         ///< What is left of a copy.
    bool end_valid = false;        ///< Always accepted; not while the turn of this job is offered.
    std::uint32_t end_number = 0;
    bool pick = false;         ///< A packet may be sent,
    bool copies_stop = false;  ///< but not of a copy.
    bool turn_ready = false;
  };
  struct outputs {
    bool put_ready = true;
    std::uint32_t free = 0;
    bool copies = false;  ///< Copies wait,
    bool others = false;  ///< and other jobs.
    bool turn_valid = false;
    bool turn_is_copy = false;
    std::uint32_t turn_number = 0;
    piece_unit::entry turn;  ///< What is left of a copy.
    bool quiet = true;       ///< No register changes until an input is valid.

    [[nodiscard]] bool active() const noexcept { return turn_valid; }
  };

  job_unit() = default;
  job_unit(job_unit const&) = delete;
  job_unit& operator=(job_unit const&) = delete;
  virtual ~job_unit() = default;

  /// An edge of the clock: inputs are taken, and outputs are those of the next cycle.
  virtual void step() = 0;

  inputs in;
  outputs out;
};

}  // namespace tess::machine
