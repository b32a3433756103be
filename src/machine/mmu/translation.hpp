// translation: what a hart has for its translation of addresses: TLBs, and the state of its walk of the page tables.
//
//   An entry of a TLB of the first level is a condition for the entries of its page in the tables in front of the L1s
//   (hart_memory.hpp): a hit of those is a hit of the TLB, too. Pages may have any number of entries in the TLBs, but
//   none that differs from the page tables: whoever changes those calls drop(), as a system does SFENCE.VMA.
//
// Threads   one.
// Source    the PTW of the Rocket core, a public generator: it reads entries through the L1-D, and has a cache of those
//           that lead to another table.
#pragma once

#include <cstdint>

#include "machine/mmu/page_tables.hpp"
#include "machine/mmu/parameters.hpp"
#include "machine/mmu/tlb.hpp"

namespace tess::machine {

struct translation {
  translation(mmu_parameters const& of, page_tables& of_program)
      : parameters(of),
        tables(of_program),
        instructions(of.itlb_entries, of.itlb_entries),
        data(of.dtlb_entries, of.dtlb_entries),
        second(of.l2_tlb_entries, of.l2_tlb_ways),
        upper(of.walk_cache_entries, of.walk_cache_entries == 0 ? 1 : of.walk_cache_entries) {}

  /// The physical address; the address itself, which is nowhere, if its page has no memory.
  [[nodiscard]] std::uint64_t physical(std::uint64_t address) const {
    std::uint64_t const page = address >> sv39::page_shift;
    std::uint64_t target = data.find(page);
    if (target == tlb::none) target = instructions.find(page);
    if (target != tlb::none) return target + address % sv39::page_bytes;
    return tables.physical(address).value_or(address);
  }
  /// No TLB has these pages.
  void drop(std::uint64_t begin, std::uint64_t end) noexcept {
    std::uint64_t const first = begin >> sv39::page_shift;
    for (tlb* const one : {&instructions, &data, &second}) one->drop(first, end >> sv39::page_shift);
  }

  mmu_parameters const& parameters;
  page_tables& tables;
  tlb instructions;  ///< Targets are physical addresses of pages.
  tlb data;
  tlb second;
  tlb upper;  ///< From the address of an entry to the table that it leads to. Such entries never change.
  struct {
    std::uint64_t page = tlb::none;  ///< None: no walk is under way.
    unsigned level = 0;
    std::uint64_t table = 0;
    std::uint64_t began = 0;  ///< The cycle.
    bool brought = false;     ///< The line that it waited for has just come: no extra hit time.
  } walk;
};

}  // namespace tess::machine
