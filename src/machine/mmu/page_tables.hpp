// page_tables: the page tables of a program, in its tile's memory, and the pages of that memory, as Linux keeps them.
//
//   A page of the program has memory from its first touch on. Its entry is a leaf of the last level, with A set, and D
//   if it may be written, so that harts never write entries. A page without rights keeps its memory: its entry is not
//   valid, but has the number. Pages of memory are given from the lowest address on, those of tables from the highest
//   one; a table stays where it is.
//
//   Entries are read and written without time: what an operating system does is a part of `page_fault_cycles` and
//   `system_call_cycles`. Harts read them with time (hart_translation.cpp).
//
// Units     addresses of the program, physical ones being the machine's global addresses.
// Cost      three reads of the tile's memory for an address; what is not touched costs nothing.
// Threads   one.
// Source    RISC-V Privileged ISA 20211203, 4.3 and 4.4.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "machine/mmu/sv39.hpp"
#include "machine/tile/tile.hpp"

namespace tess::machine {

class page_tables {
 public:
  /// Takes all pages of the window but those below `reserved_bytes`.
  page_tables(tile& at, local_window const& window, kernel const& clock, picoseconds tile_clock_ps,
              std::uint64_t reserved_bytes);
  page_tables(page_tables const&) = delete;
  page_tables& operator=(page_tables const&) = delete;

  /// The physical address of the first table.
  [[nodiscard]] std::uint64_t root() const noexcept { return root_; }
  /// The address's, if its page has memory, whatever its rights.
  [[nodiscard]] std::optional<std::uint64_t> physical(std::uint64_t address) const;
  /// The program's address of a physical one that it has as memory.
  [[nodiscard]] std::optional<std::uint64_t> program_address(std::uint64_t physical) const noexcept;
  /// Gives the address's page memory, which is zero, unless it has some. False: there is none left.
  [[nodiscard]] bool provide(std::uint64_t address, std::uint8_t rights);
  /// The rights of those pages in [begin, end) that have memory.
  void set_rights(std::uint64_t begin, std::uint64_t end, std::uint8_t rights);
  /// Takes the memory of the pages in [begin, end) back.
  void release(std::uint64_t begin, std::uint64_t end);

  /// provide() has failed.
  [[nodiscard]] bool is_exhausted() const noexcept { return exhausted_; }
  [[nodiscard]] std::uint64_t memory_bytes() const noexcept { return (end_ - first_) << sv39::page_shift; }
  /// That programs have now, and tables.
  [[nodiscard]] std::uint64_t pages_taken() const noexcept { return next_ - first_ - free_.size() + (end_ - tables_); }

 private:
  [[nodiscard]] std::uint64_t entry_at(std::uint64_t physical) const;
  void write_entry(std::uint64_t physical, std::uint64_t entry);
  /// The physical address of the last level's entry; nothing: there is no such table.
  [[nodiscard]] std::optional<std::uint64_t> leaf_of(std::uint64_t page) const;
  /// Each entry with memory of pages in [first, end).
  void for_each(std::uint64_t first, std::uint64_t end,
                std::function<void(std::uint64_t at, std::uint64_t entry)> const& visit);
  [[nodiscard]] std::uint64_t global_of(std::uint64_t frame) const {
    return *window_.global(frame << sv39::page_shift);
  }
  /// The number of a page of the window.
  [[nodiscard]] std::optional<std::uint64_t> take_frame() noexcept;
  [[nodiscard]] std::optional<std::uint64_t> take_table() noexcept;

  tile& tile_;
  local_window window_;
  kernel const& clock_;
  clock_domain cycles_;
  std::uint64_t first_;
  std::uint64_t end_;
  std::uint64_t next_;                ///< The first page that was never a program's.
  std::uint64_t tables_;              ///< From here on, they are tables'.
  std::vector<std::uint64_t> free_;   ///< Given back, all zero.
  std::vector<std::uint32_t> owner_;  ///< By page of the window: the program's page + 1.
  std::uint64_t root_;
  bool exhausted_ = false;
};

}  // namespace tess::machine
