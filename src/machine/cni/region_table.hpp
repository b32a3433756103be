// region_table: which addresses the process on a tile may use by its network interface, and how.
//
//   An entry is a match and a mask, as in a ternary CAM; of several that hold an address the first counts. None is
//   smaller than a line.
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
  /// False: it cannot be an entry of a cache with so many ways; it is removed.
  bool enable(entry& one, std::uint64_t ways) noexcept;

  /// The first entry that holds the address, or null.
  [[nodiscard]] entry const* find(std::uint64_t address) const noexcept;
  /// All lines of [address, address + bytes) may be read by copies, or written.
  [[nodiscard]] bool may_read(std::uint64_t address, std::uint64_t bytes) const noexcept;
  [[nodiscard]] bool may_write(std::uint64_t address, std::uint64_t bytes) const noexcept;

 private:
  std::vector<entry> entries_;
};

}  // namespace tess::machine
