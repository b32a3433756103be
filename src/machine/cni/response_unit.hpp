// response_unit: the ports of the hardware by which lines with events respond to stores: a clocked circuit, behind
// which is the model, or the RTL.
//
//   The cache has read a line and its tag, and offers them with a store. The circuit says what becomes of both, and
//   what is to be sent. On the way it asks for items of rings, which are plain scratchpad, and whether an address may
//   be sent to. Data of items do not pass through it: whoever offers a store keeps its data until the result.
//   Streams have valid and ready: an item moves at the edge at which both are set. Outputs depend on registers alone,
//   never on inputs of the same cycle. Answers are accepted always, and come at a later edge than their question.
//   One store at a time: for each there is one result, after the job that follows from it.
//
// Units     bytes, global addresses; a cycle of the tile's clock for each step().
// Threads   one.
// Source    CNI (IJPP 2012), sections 3.2 and 3.3: event responses, counters, queues; registers.hpp, `cni`.
#pragma once

#include <array>
#include <cstdint>

#include "tess/machine/registers.hpp"

namespace tess::machine {

enum class access_outcome : std::uint8_t {
  done,
  full,   ///< A queue is full: try again, unless it was to be tried once.
  busy,   ///< The list of jobs is full: try again.
  wrong,  ///< Invalid; nothing has changed.
};

class response_unit {
 public:
  static constexpr std::uint32_t line_words = 8;
  using word = std::uint64_t;

  /// What the circuit is made for; 0: no such lines.
  struct parameters {
    std::uint32_t counters = 1;
    std::uint32_t queues = 1;
    std::uint32_t match_queues = 1;
  };
  /// The source of a store: another tile, the own hart, or the own interface with an acknowledgement.
  enum class by : std::uint8_t { other_tile, own_hart, acknowledgement };
  struct access {
    registers::cni::line_code code = registers::cni::cacheable;
    by whom = by::other_tile;
    std::uint32_t offset = 0;  ///< In the line.
    std::uint32_t bytes = 0;   ///< Up to a line.
    word value = 0;            ///< The first word of the data.
    word tag = 0;              ///< The line's,
    std::array<word, line_words> words{};
  };
  /// In a ring: the data of the store are put there; a word is read, and answered; an item becomes the job's data.
  enum class ring_action : std::uint8_t { put, look, take };
  struct ring_access {
    ring_action what = ring_action::put;
    word address = 0;
    std::uint32_t bytes = 0;
  };
  enum class job_kind : std::uint8_t {
    command,  ///< That of the line's words; the one that is stored now is among them.
    notify,   ///< The line's preset word to its addresses.
    add,      ///< 1 is added at `destination`.
    answer,   ///< An item to `destination`.
  };
  enum class item_source : std::uint8_t { store, ring, zeros };
  struct job {
    job_kind kind = job_kind::command;
    word destination = 0;
    // For an answer.
    std::uint32_t bytes = 0;
    item_source item = item_source::store;
    bool tagged = false;  ///< The item's last word becomes the tag.
    word tag = 0;
  };
  struct result {
    access_outcome outcome = access_outcome::done;
    registers::cni::fault why = registers::cni::fault::none;
    // If it is done: the line's tag, and one word of it.
    word tag = 0;
    std::uint32_t number = 0;
    word value = 0;
  };

  struct inputs {
    bool access_valid = false;
    access store;
    // Has the list of jobs room for a command, or for an answer or a notification? It stays until a job takes it.
    bool room_for_command = false;
    bool room_for_event = false;
    bool ring_ready = false;
    bool ring_answer_valid = false;
    bool ring_plain = false;  ///< It is plain scratchpad. If not, nothing has happened there.
    word ring_word = 0;
    bool check_ready = false;
    bool check_answer_valid = false;
    bool check_allowed = false;
    bool job_ready = false;
    bool result_ready = false;
  };
  struct outputs {
    bool access_ready = true;
    bool ring_valid = false;
    ring_access ring;
    bool check_valid = false;  ///< May so many bytes be sent to this address?
    word check_address = 0;
    std::uint32_t check_bytes = 0;
    bool job_valid = false;
    job made;
    bool result_valid = false;
    result ended;
    bool quiet = true;  ///< No register changes until an input is valid, so nobody need give it a clock.

    /// Someone has to do something at the next edge.
    [[nodiscard]] bool active() const noexcept { return ring_valid || check_valid || job_valid || result_valid; }
  };

  response_unit() = default;
  response_unit(response_unit const&) = delete;
  response_unit& operator=(response_unit const&) = delete;
  virtual ~response_unit() = default;

  /// An edge of the clock: inputs are taken, and outputs are those of the next cycle.
  virtual void step() = 0;

  inputs in;
  outputs out;
};

}  // namespace tess::machine
