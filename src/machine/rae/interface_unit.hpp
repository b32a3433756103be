// interface_unit: RAE's network interface as a clocked unit with the ports of rtl/rae/rae_interface.sv. The C++
// pipeline and the hardware are two implementations of it.
//
//   outputs() holds what the unit drives in the current cycle; step() is the clock edge at the end of it. An item of a
//   stream moves in a cycle in which it is valid and its receiver is ready. Nothing that the unit drives depends on
//   that cycle's inputs. If `busy` is false, a step without valid inputs changes nothing, so it may be left out.
//
//   requests   packets of other nodes and of the own one.
//   answers    one for each request.
//   fetches    a main entry wants its line, from the core's caches or from memory.
//   grants     where the line of an entry comes from, when that is decided. From memory, or from the core's caches with
//              the W bit set (`writes`): only the interface has it from now on. Otherwise the entry gets a copy.
//   lines      the bytes of a fetched line.
//   stores     changed lines go to memory. They are offered before any later fetch.
//   claims     others are about to read a line in memory, or to own or write it (`takes`): `claim_done` follows when
//              memory has the current bytes.
//
// Units     bytes; addresses are offsets in the node's partition.
// Threads   one.
// Source    RAE, section 3.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "machine/adapter/transaction.hpp"

namespace tess::machine {

struct interface_parameters {
  std::uint32_t main_entries = 64;
  std::uint32_t sub_entries = 64;
  std::uint32_t queue_entries = 64;
  std::uint32_t packet_cycles = 4;     ///< At least 2.
  std::uint32_t look_up_cycles = 1;    ///< At least 1.
  std::uint32_t operation_cycles = 2;  ///< At least 2.
  std::uint32_t cache_lines = 1024;    ///< A power of two.
  std::uint32_t line_bytes = 64;       ///< A power of two.
  std::uint32_t address_bits = 31;
  bool retain = true;  ///< Lines stay in the interface cache when their entry ends.
  bool merge = true;

  /// Requests in the unit at a time, at most; tags tell them apart.
  [[nodiscard]] constexpr std::uint32_t requests_max() const noexcept {
    constexpr std::uint32_t in_registers = 16;
    return queue_entries + main_entries * sub_entries + in_registers;
  }
  [[nodiscard]] constexpr std::uint32_t tag_bits() const noexcept {
    return static_cast<std::uint32_t>(std::bit_width(requests_max() - 1));
  }
  bool operator==(interface_parameters const&) const = default;
};

/// A packet with an operation on a word.
struct interface_request {
  remote_operation what = remote_operation::read;  ///< One of the first four.
  atomic_operation word = atomic_operation::swap;  ///< For an atomic.
  std::uint8_t size = 3;                           ///< The word has 2^size bytes, at most 8.
  std::uint32_t tag = 0;
  std::uint64_t address = 0;
  std::uint64_t operand = 0;   ///< Or what a store writes.
  std::uint64_t expected = 0;  ///< For a compare-and-swap.
};

struct interface_inputs {
  interface_request const* request = nullptr;  ///< Null: not valid.
  std::byte const* line = nullptr;             ///< The same.
  std::uint32_t line_entry = 0;
  bool grant = false;
  bool grant_from_core = false;
  std::uint32_t grant_entry = 0;
  bool claim = false;
  bool claim_takes = false;
  std::uint64_t claim_line = 0;  ///< Its address.
  bool answer_ready = true;
  bool fetch_ready = true;
  bool store_ready = true;
  bool claim_done_ready = true;
};

struct interface_outputs {
  bool request_ready = true;
  bool line_ready = true;
  bool claim_ready = true;
  bool busy = false;
  std::uint32_t queued = 0;  ///< Requests in the input queue.

  bool answer = false;
  bool answer_wrong = false;  ///< There is no such operation.
  std::uint32_t answer_tag = 0;
  std::uint64_t answer_data = 0;  ///< What was loaded, or the old value.
  bool fetch = false;
  std::uint32_t fetch_entry = 0;
  std::uint64_t fetch_line = 0;
  bool store = false;
  std::uint64_t store_line = 0;
  std::byte const* store_data = nullptr;
  bool claim_done = false;

  // What happened in the previous cycle, for statistics.
  bool hit = false;      ///< A request found its line in the interface cache,
  bool entered = false;  ///< took a main entry,
  bool merged = false;   ///< joined one,
  bool stalled = false;  ///< or waits until one ends.
};

class interface_unit {
 public:
  interface_unit() = default;
  interface_unit(interface_unit const&) = delete;
  interface_unit& operator=(interface_unit const&) = delete;
  virtual ~interface_unit() = default;

  virtual void step(interface_inputs const& in) = 0;
  [[nodiscard]] interface_outputs const& outputs() const noexcept { return outputs_; }
  /// The W bit of a main entry in use.
  [[nodiscard]] virtual bool writes(std::uint32_t entry) noexcept = 0;

  // For observers, without time:

  /// The bytes of a line that only the interface has; null: it does not. A line that was granted and has not come in
  /// yet has no meaning here. Whoever changes the bytes calls changed().
  [[nodiscard]] virtual std::byte* line_of(std::uint64_t line) noexcept = 0;
  virtual void changed(std::uint64_t /*line*/) noexcept {}
  /// The same for all lines of [address, address + bytes).
  virtual void each_line(std::uint64_t address, std::uint64_t bytes,
                         std::function<void(std::span<std::byte>)> call) = 0;

 protected:
  interface_outputs outputs_;
};

}  // namespace tess::machine
