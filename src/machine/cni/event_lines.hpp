// event_lines: the second controller of an L2's array: scratchpad lines and lines with events.
//
//   A configured line is in the set of its address, in the way that the region table gives; the cache's controller
//   neither finds nor replaces it. Its state byte differs from those of cacheable lines, and its type byte is a
//   line_code. The metadata of plain scratchpad are the L1s that may have the line, as for cacheable lines; that of a
//   line with events is its tag. Lines with events are never in an L1. Words that show the tag are kept in the line, so
//   that a load is an ordinary one.
//
//   A store to a line with events goes through the hardware that responds (response_unit), with all its cycles, at
//   once: the simulated tile charges a turn on the bus for it.
//
// Units     bytes, global addresses.
// Errors    false, or an access_result; then nothing has changed.
// Threads   one.
// Source    CNI (IJPP 2012), section 3; docs/internals/machine.md, 7 and 9.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "machine/cache/l2_private.hpp"
#include "machine/cni/interface_job.hpp"
#include "machine/cni/region_table.hpp"
#include "machine/cni/response_unit.hpp"
#include "machine/map/address_map.hpp"

namespace tess::machine {

struct access_result {
  access_outcome outcome = access_outcome::done;
  registers::cni::fault why = registers::cni::fault::none;
};
[[nodiscard]] constexpr access_result wrong(registers::cni::fault why) noexcept {
  return {access_outcome::wrong, why};
}

/// What lines with events need of their network interface.
class event_host {
 public:
  virtual ~event_host() = default;
  /// These bytes have changed: L1s drop them, sleepers on them are notified.
  virtual void changed(std::uint64_t address, std::size_t bytes) = 0;
  /// Has the list of jobs room for a command, or for another job?
  [[nodiscard]] virtual bool has_room(bool for_command) const = 0;
  virtual void take(interface_job const& job) = 0;
};

class event_lines {
 public:
  using line_code = registers::cni::line_code;
  struct line_view {
    std::uint64_t address = 0;
    line_code code = registers::cni::cacheable;
    std::uint64_t tag = 0;
  };
  using by = response_unit::by;

  event_lines(std::unique_ptr<response_unit> responses, l2_private& in, region const& own, region_table const& regions,
              event_host& host);

  [[nodiscard]] bool holds(std::uint64_t address) const noexcept { return own_.holds(address); }
  /// The code of an address's line; cacheable: not configured, or not in the own scratchpad.
  [[nodiscard]] line_code code_of(std::uint64_t address) const noexcept;
  /// The byte of a configured line, without any effect.
  [[nodiscard]] std::byte* at(std::uint64_t address) noexcept;
  /// The L1s that may have the line; null: it is not plain scratchpad.
  [[nodiscard]] std::uint64_t* sharers(std::uint64_t address) noexcept;

  /// Copies [address, address + bytes) if all of it is plain scratchpad.
  [[nodiscard]] bool read(std::uint64_t address, std::span<std::byte> into);
  /// Stores these bytes to plain scratchpad or to a line with events.
  [[nodiscard]] access_result write(std::uint64_t address, std::span<std::byte const> from, by whom);

  // For the operating system.
  [[nodiscard]] bool configure(std::uint64_t address, std::uint64_t bytes, std::uint64_t code);
  [[nodiscard]] std::optional<line_view> examine(std::uint64_t address);
  [[nodiscard]] bool restore(std::uint64_t address, std::uint64_t code, std::uint64_t tag);
  /// The first line with events at or after the address.
  [[nodiscard]] std::optional<line_view> next(std::uint64_t address);

 private:
  static constexpr std::uint8_t configured = 0x80;  ///< The state byte of such lines.

  [[nodiscard]] line_index find(std::uint64_t address) const noexcept;
  [[nodiscard]] bool is_plain(std::uint64_t address, std::uint64_t bytes) const noexcept;
  [[nodiscard]] access_result store_event(line_index line, std::uint64_t address, std::span<std::byte const> from,
                                          by whom);
  /// What the hardware asks for at this edge; its answer comes at the next one.
  void serve_ring(std::span<std::byte const> stored);
  [[nodiscard]] interface_job job_of(std::span<std::byte const> stored) const;
  /// The words of a restored line that show its tag.
  void show_tag(line_index line, std::uint64_t tag);
  void change(line_index line, std::uint64_t tag);
  /// The array's line for an address that is not configured yet; no_line: impossible.
  [[nodiscard]] line_index place_for(std::uint64_t address) const noexcept;
  /// Do all lines of [address, end) have locations, or can they get them?
  [[nodiscard]] bool has_places(std::uint64_t address, std::uint64_t end) const;
  void become(std::uint64_t address, line_code code);

  std::unique_ptr<response_unit> responses_;
  std::array<std::byte, registers::cni::line_bytes> item_{};  ///< That came from a ring.
  l2_private& l2_;
  cache_array& lines_;
  region own_;
  region_table const& regions_;
  event_host& host_;
};

}  // namespace tess::machine
