// range_engine: the ports of the range operations' hardware, a clocked circuit: behind them is the model, or the RTL.
//
//   Streams have valid and ready: an item moves at the edge at which both are set. Outputs depend on registers alone,
//   never on inputs of the same cycle. Each line that was visited is reported as done when nothing of it has to go to
//   memory any more, in any order: by the slot of its command.
//
// Units     global addresses, in bytes; a cycle of the tile's clock for each step().
// Threads   one.
// Source    range operations of Pegasus (DATE 2017) and NEMESYS (MEMSYS 2019), section 3.
#pragma once

#include <cstdint>

namespace tess::machine {

enum class range_operation : std::uint8_t { write_back, invalidate, flush, invalidate_l1s };

struct range_command {
  range_operation operation = range_operation::write_back;
  std::uint64_t first = 0;  ///< Its first byte,
  std::uint64_t last = 0;   ///< and its last; if this is before the first, only the line of the first is visited.
  std::uint32_t tag = 0;    ///< The result says it.
};

/// What is done to a line: `write_back` keeps it, `flush` writes back and drops it. `l1s` is for the whole range, in
/// one step.
enum class line_action : std::uint8_t { write_back, drop, flush, l1s };

struct visited_line {
  line_action action = line_action::write_back;
  std::uint32_t slot = 0;
  std::uint64_t address = 0;  ///< Within the line. l1s: the range's first byte,
  std::uint64_t last = 0;     ///< and its last.
};

class range_engine {
 public:
  /// What the circuit is made for.
  struct parameters {
    std::uint32_t queue_entries = 4;
    std::uint32_t line_cycles = 2;  ///< For each line.
    std::uint32_t line_bytes = 32;
    std::uint32_t slots = 8;        ///< Commands that have begun and not ended.
    std::uint32_t under_way = 255;  ///< Lines of each on their way to memory.
    /// Tags are smaller: one for each command inside, and for a result that waits.
    [[nodiscard]] std::uint32_t tags() const noexcept { return queue_entries + slots + 1; }
  };
  struct inputs {
    bool coherent = false;  ///< Constant: a directory relies on all dirty bytes, so nothing is dropped unwritten.
    bool command_valid = false;
    range_command command;
    bool line_ready = false;
    bool done_valid = false;
    std::uint32_t done_slot = 0;
    bool result_ready = false;
  };
  struct outputs {
    bool command_ready = true;
    bool command_begins = false;  ///< A command leaves the queue at the next edge.
    bool line_valid = false;
    visited_line line;
    bool result_valid = false;
    std::uint32_t result_tag = 0;
    bool quiet = true;  ///< No register changes until an input is valid, so nobody need give it a clock.

    /// Someone has to do something at the next edge.
    [[nodiscard]] bool active() const noexcept { return command_begins || line_valid || result_valid; }
  };

  range_engine() = default;
  range_engine(range_engine const&) = delete;
  range_engine& operator=(range_engine const&) = delete;
  virtual ~range_engine() = default;

  /// An edge of the clock: inputs are taken, and outputs are those of the next cycle.
  virtual void step() = 0;

  inputs in;
  outputs out;
};

}  // namespace tess::machine
