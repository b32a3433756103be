// nma_unit: the ports of the accelerator's hardware, a clocked circuit: behind them is the model, or the RTL.
//
//   Streams have valid and ready: an item moves at the edge at which both are set. Outputs depend on registers alone,
//   never on inputs of the same cycle. Accesses to memory leave in one stream and must be done in its order; answers
//   may overtake each other, and say by their tag to which read they belong. They are always taken, as are `written`.
//
// Units     offsets in the memory, in bytes; a cycle of the memory's clock for each step().
// Threads   one.
// Source    NEMESYS (MEMSYS 2019), section 3.4; docs/internals/machine.md, 11.
#pragma once

#include <array>
#include <cstdint>

#include "machine/config/description.hpp"

namespace tess::machine {

/// A request whose addresses are translated.
struct nma_job {
  std::uint64_t root = 0;
  std::uint64_t source_base = 0;  ///< The partition that has the graph: [base, end), below 2^40 bytes.
  std::uint64_t source_end = 0;
  std::uint64_t source_shift = 0;  ///< From an address in it to its offset.
  std::uint64_t target = 0;        ///< Offset of the buffer, a multiple of 16,
  std::uint64_t begins = 0;        ///< of its first byte that may have a copy,
  std::uint64_t ends = 0;          ///< and of the first one behind it.
  std::uint64_t final_shift = 0;   ///< From an offset in the buffer to the final address.
  std::uint32_t objects = 0;
  bool hashed = false;
  bool sound = false;  ///< Otherwise it ends as a bad request.
};

struct nma_result {
  registers::graph_fault fault = registers::graph_fault::none;
  std::uint64_t root = 0;   ///< Final address of its copy.
  std::uint64_t bytes = 0;  ///< Used bytes of the buffer, from its target on.
  std::uint64_t objects = 0;
};

/// An access to memory: the words [lane, lane + words) of `data` are written to `offset`; or so many are read, and the
/// answer begins with them.
struct nma_access {
  bool writes = false;
  std::uint32_t tag = 0;
  std::uint64_t offset = 0;
  std::uint32_t words = 0;
  std::uint32_t lane = 0;
  std::uint64_t const* data = nullptr;  ///< A burst; read at the edge.
};

class nma_unit {
 public:
  static constexpr std::uint32_t lanes_max = 16;

  struct inputs {
    // Constant while the unit is in use.
    std::uint64_t map_offset = 0;   ///< A multiple of a burst.
    std::uint64_t map_entries = 0;  ///< In each half: originals, copies.
    std::uint64_t types_address = 0;
    std::uint64_t types_count = 0;

    bool job_valid = false;
    nma_job job;
    bool access_ready = false;
    bool answer_valid = false;
    std::uint32_t answer_tag = 0;
    std::uint64_t const* answer_words = nullptr;
    bool written = false;  ///< A write is in memory.
    bool record_ready = false;
    bool record_answer_valid = false;
    bool record_fault = false;  ///< Outside of all memory.
    /// Size, kind with alignment, and the address of the mask; or one word.
    std::array<std::uint64_t, 3> record_words{};
    bool result_ready = false;
  };
  struct outputs {
    bool job_ready = true;
    bool job_begins = false;  ///< A job leaves the queue at the next edge.
    bool access_valid = false;
    nma_access access;
    bool record_valid = false;
    std::uint64_t record_address = 0;  ///< In the tile's own memory.
    bool record_whole = false;         ///< A record of a type; otherwise a word.
    bool result_valid = false;
    nma_result result;
    bool quiet = true;  ///< No register changes until an input is valid, so nobody need give it a clock.

    /// Someone has to do something at the next edge.
    [[nodiscard]] bool active() const noexcept { return job_begins || access_valid || record_valid || result_valid; }
  };

  nma_unit() = default;
  nma_unit(nma_unit const&) = delete;
  nma_unit& operator=(nma_unit const&) = delete;
  virtual ~nma_unit() = default;

  /// An edge of the clock: inputs are taken, and outputs are those of the next cycle.
  virtual void step() = 0;

  inputs in;
  outputs out;
};

}  // namespace tess::machine
