// event_lines: the second controller of an L2's array: scratchpad lines and lines with events.
//
//   A configured line is in the set of its address, in the way that the region table gives; the cache's controller
//   neither finds nor replaces it. Its state byte differs from those of cacheable lines, and its type byte is a
//   line_code. The metadata of plain scratchpad are the L1s that may have the line, as for cacheable lines; that of a
//   line with events is its tag. Lines with events are never in an L1.
//
// Units     bytes, global addresses.
// Errors    false, or an access_result; then nothing has changed.
// Threads   one.
// Source    CNI (IJPP 2012), section 3; docs/internals/machine.md, 7 and 9.
#pragma once

#include <optional>
#include <span>

#include "machine/cache/l2_private.hpp"
#include "machine/cni/region_table.hpp"
#include "machine/cni/responses.hpp"
#include "machine/map/address_map.hpp"

namespace tess::machine {

/// What lines with events need of their network interface.
class event_host {
 public:
  virtual ~event_host() = default;
  /// These bytes have changed: L1s drop them, sleepers on them are notified.
  virtual void changed(std::uint64_t address, std::size_t bytes) = 0;
  /// Has the list of jobs room for one more? Commands have fewer places than other jobs.
  [[nodiscard]] virtual bool has_room(interface_job const& for_this) const = 0;
  virtual void take(interface_job const& job) = 0;
};

class event_lines : private ring_memory {
 public:
  using line_code = registers::cni::line_code;
  struct line_view {
    std::uint64_t address = 0;
    line_code code = registers::cni::cacheable;
    std::uint64_t tag = 0;
  };
  /// The source of a store: another tile, the own hart, or the own interface with an acknowledgement.
  enum class by : std::uint8_t { other_tile, own_hart, acknowledgement };

  event_lines(l2_private& in, region const& own, region_table const& regions, event_host& host)
      : l2_(in), lines_(in.array()), own_(own), regions_(regions), host_(host) {}

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
  [[nodiscard]] event_line take_out(line_index line);
  void put_back(line_index line, event_line const& changed);
  /// The array's line for an address that is not configured yet; no_line: impossible.
  [[nodiscard]] line_index place_for(std::uint64_t address) const noexcept;
  /// Do all lines of [address, end) have locations, or can they get them?
  [[nodiscard]] bool has_places(std::uint64_t address, std::uint64_t end) const;
  void become(std::uint64_t address, line_code code);

  // ring_memory
  [[nodiscard]] bool put(std::uint64_t address, std::span<std::byte const> item) override;
  [[nodiscard]] bool get(std::uint64_t address, std::span<std::byte> item) override;
  [[nodiscard]] bool may_send(std::uint64_t address, std::uint64_t bytes) const override;

  l2_private& l2_;
  cache_array& lines_;
  region own_;
  region_table const& regions_;
  event_host& host_;
};

}  // namespace tess::machine
