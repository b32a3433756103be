// parameters: the translation of addresses that a hart does, as its machine file says.
//
// Units     entries; cycles of the tile's clock.
#pragma once

#include <cstdint>

namespace tess::machine {

struct mmu_parameters {
  std::uint32_t itlb_entries = 2;  ///< Fully associative, as the next.
  std::uint32_t dtlb_entries = 2;
  std::uint32_t l2_tlb_entries = 0;  ///< For both; 0: there is none.
  std::uint32_t l2_tlb_ways = 1;
  std::uint32_t l2_tlb_cycles = 0;       ///< A look-up takes.
  std::uint32_t walk_cache_entries = 0;  ///< Entries that lead to another table, fully associative.
  std::uint32_t page_fault_cycles = 0;   ///< That the operating system takes to give a page, and to come back.
};

}  // namespace tess::machine
