// traversal_unit: the ports of the graph write-back's hardware, a clocked circuit: behind them is the model, or the
// RTL.
//
//   Streams have valid and ready: an item moves at the edge at which both are set. Outputs depend on registers alone,
//   never on inputs of the same cycle. Answers are always taken; one access of each port is under way at a time,
//   besides lines that are written back: they only report that they are in memory.
//
// Units     offsets in the tile's partition, in bytes; a cycle of the tile's clock for each step().
// Threads   one.
// Source    NEMESYS (MEMSYS 2019), section 3.3.
#pragma once

#include <array>
#include <cstdint>

#include "machine/config/description.hpp"

namespace tess::machine {

struct traversal_job {
  std::uint64_t root = 0;  ///< Global address.
  std::uint64_t mark = 1;  ///< An odd number that no traversal before had: marks stay in memory.
};

struct traversal_result {
  registers::graph_fault fault = registers::graph_fault::none;
  std::uint64_t objects = 0;  ///< Including arrays; below 2^40.
  std::uint64_t bytes = 0;    ///< Upper bound on the size of their blocks, one behind the other.
};

/// An access to the L2. `read` and `mark` are answered; a line that is written back is `written` when memory has what
/// the program wrote, which may be at once.
struct traversal_access {
  enum kind_code : std::uint8_t { read, mark, write_back };
  kind_code kind = read;
  std::uint64_t offset = 0;  ///< The line, or the word that becomes the mark.
};

/// An object that is to be continued.
struct traversal_place {
  std::uint64_t object = 0;    ///< Its offset.
  std::uint64_t position = 0;  ///< Index of a word.
};

class traversal_unit {
 public:
  static constexpr std::uint32_t lanes_max = 8;

  /// What the circuit is made for.
  struct parameters {
    std::uint32_t queue_entries = 4;
    std::uint32_t state_cycles = 1;
    std::uint32_t stack_entries = 1024;
    std::uint32_t line_bytes = 32;
    std::uint32_t under_way = 4095;  ///< Lines that are written back at a time.
  };
  struct inputs {
    // Constant while the unit is in use.
    std::uint64_t partition_base = 0;
    std::uint64_t partition_bytes = 0;  ///< Whole lines, below 2^40.
    std::uint64_t types_address = 0;
    std::uint64_t types_count = 0;

    bool job_valid = false;
    traversal_job job;
    bool access_ready = false;
    bool answer_valid = false;
    std::uint64_t const* answer_words = nullptr;  ///< A line, after a read.
    bool written = false;                         ///< A line is in memory.
    bool record_ready = false;
    bool record_answer_valid = false;
    bool record_fault = false;  ///< Outside of all memory.
    /// Size, kind with alignment, and the address of the mask; or one word.
    std::array<std::uint64_t, 3> record_words{};
    bool stack_ready = false;
    bool stack_answer_valid = false;  ///< The entry is there, or here.
    traversal_place stack_place;
    bool result_ready = false;
  };
  struct outputs {
    bool job_ready = true;
    bool job_begins = false;  ///< A job leaves the queue at the next edge.
    bool access_valid = false;
    traversal_access access;
    std::uint64_t mark = 0;  ///< What a mark writes.
    bool record_valid = false;
    std::uint64_t record_address = 0;  ///< In the tile's own memory.
    bool record_whole = false;         ///< A record of a type; otherwise a word.
    bool stack_valid = false;
    bool stack_writes = false;
    std::uint32_t stack_index = 0;
    traversal_place stack_place;
    bool result_valid = false;
    traversal_result result;
    bool quiet = true;  ///< No register changes until an input is valid, so nobody need give it a clock.

    /// Someone has to do something at the next edge.
    [[nodiscard]] bool active() const noexcept {
      return job_begins || access_valid || record_valid || stack_valid || result_valid;
    }
  };

  traversal_unit() = default;
  traversal_unit(traversal_unit const&) = delete;
  traversal_unit& operator=(traversal_unit const&) = delete;
  virtual ~traversal_unit() = default;

  /// An edge of the clock: inputs are taken, and outputs are those of the next cycle.
  virtual void step() = 0;

  inputs in;
  outputs out;
};

}  // namespace tess::machine
