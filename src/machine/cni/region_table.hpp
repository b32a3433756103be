// region_table: the addresses that a tile's process may use through its network interface, and how.
//
//   An entry is a match and a mask, as in a ternary CAM; the first matching entry counts. No entry is smaller than a
//   line.
//
// Cost      a search of all entries.
// Threads   one.
// Source    CNI (IJPP 2012), section 3.1: address region tables.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tess/machine/registers.hpp"

namespace tess::machine {

class region_table {
 public:
  using kind = registers::cni::region_code;
  struct entry {
    std::uint64_t match = 0;
    std::uint64_t mask = 0;
    std::uint64_t code = 0;
    std::uint64_t way = 0;
    bool enabled = false;
  };

  explicit region_table(std::size_t entries) : entries_(entries) {}

  [[nodiscard]] std::span<entry> entries() noexcept { return entries_; }
  /// Sets an entry. False: it is invalid for a cache with so many ways, and is removed.
  bool enable(entry& one, std::uint64_t ways) noexcept;

  /// The first entry that matches the address, or null.
  [[nodiscard]] entry const* find(std::uint64_t address) const noexcept;
  /// May copies read, or write, all lines of [address, address + bytes)?
  [[nodiscard]] bool may_read(std::uint64_t address, std::uint64_t bytes) const noexcept;
  [[nodiscard]] bool may_write(std::uint64_t address, std::uint64_t bytes) const noexcept;

 private:
  std::vector<entry> entries_;
};

}  // namespace tess::machine
