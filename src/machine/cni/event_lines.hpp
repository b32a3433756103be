// event_lines: the second controller of an L2's array: lines that are scratchpad, and lines that answer to accesses.
//
//   A configured line is in its set by its address, in the way that the region table names; the cache's controller
//   neither finds nor replaces it. Its state byte is not that of a cacheable line, its type byte is a line_code. Of
//   plain scratchpad the metadata says which L1s may have the line, as for cacheable ones; of a line with events they
//   are its tag. Such a line is never in an L1.
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

/// What lines with events need of the interface that they are in.
class event_host {
 public:
  virtual ~event_host() = default;
  /// These bytes have changed: L1s drop them, who sleeps on them looks.
  virtual void changed(std::uint64_t address, std::size_t bytes) = 0;
  /// The list has a place for one more; commands have fewer than other jobs.
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
  /// Who stores: another tile; the own hart; the own interface, with an acknowledgement.
  enum class by : std::uint8_t { other_tile, own_hart, acknowledgement };

  event_lines(l2_private& in, region const& own, region_table const& regions, event_host& host)
      : l2_(in), lines_(in.array()), own_(own), regions_(regions), host_(host) {}

  [[nodiscard]] bool holds(std::uint64_t address) const noexcept { return own_.holds(address); }
  /// What the line of an address is; cacheable: it is not configured, or none of the own scratchpad.
  [[nodiscard]] line_code code_of(std::uint64_t address) const noexcept;
  /// The byte of a configured line. Nothing is counted, nothing happens.
  [[nodiscard]] std::byte* at(std::uint64_t address) noexcept;
  /// Which L1s may have the line; null: it is no plain scratchpad.
  [[nodiscard]] std::uint64_t* sharers(std::uint64_t address) noexcept;

  /// All of [address, address + bytes) is plain scratchpad, and is copied.
  [[nodiscard]] bool read(std::uint64_t address, std::span<std::byte> into);
  /// What a store of these bytes does here, to plain scratchpad or to a line with events.
  [[nodiscard]] access_result write(std::uint64_t address, std::span<std::byte const> from, by whom);

  // The system's view.
  [[nodiscard]] bool configure(std::uint64_t address, std::uint64_t bytes, std::uint64_t code);
  [[nodiscard]] std::optional<line_view> examine(std::uint64_t address);
  [[nodiscard]] bool restore(std::uint64_t address, std::uint64_t code, std::uint64_t tag);
  /// The first line with events at or after the address.
  [[nodiscard]] std::optional<line_view> next(std::uint64_t address);

 private:
  static constexpr std::uint8_t configured = 0x80;  ///< State of such lines.

  [[nodiscard]] line_index find(std::uint64_t address) const noexcept;
  [[nodiscard]] bool is_plain(std::uint64_t address, std::uint64_t bytes) const noexcept;
  [[nodiscard]] access_result store_event(line_index line, std::uint64_t address, std::span<std::byte const> from,
                                          by whom);
  [[nodiscard]] event_line take_out(line_index line);
  void put_back(line_index line, event_line const& changed);
  /// The line of the array that an address without one will have; no_line: it cannot.
  [[nodiscard]] line_index place_for(std::uint64_t address) const noexcept;
  /// All lines of [address, end) have places, or can get them.
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
