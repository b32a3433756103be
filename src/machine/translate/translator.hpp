// translator: makes code of the host, x86-64, for blocks of the flat memory's engine that are entered often.
//
//   A hart does with it exactly what it does without (translation.hpp). Its code lives until the blocks are dropped: by
//   FENCE.I, by new rights of code, or when there is no room for more.
//
// Errors    create() gives null where the host is no x86-64 or refuses executable memory: harts are interpreted then.
// Cost      some microseconds for a block; 32 MiB of address space, of which touched pages only are allocated.
// Threads   none.
// Source    translation of blocks on demand, chained: Witchel and Rosenblum, "Embra" (SIGMETRICS 1996).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "machine/hart/block_translator.hpp"

namespace tess::machine {

// For an engine that follows caches: where the code of blocks finds that an access changes nothing of them, and who is
// told of one that may.
struct followed_lines {
  using told = void(void* whom, std::uint64_t address);
  // The entry of an access is that of its line, address >> line_bits, modulo `mask` + 1.
  struct table {
    std::uint64_t const* entries;
    std::uint64_t mask;
    unsigned line_bits;
    told* other;
  };
  void* whom;
  table loads;                  // the entry is the line,
  table fetches;                // here, too,
  table stores;                 // and here the line times two, plus one
  std::uint64_t stored_beside;  // stores below this address reach no cache
};

// `handlers` by operation: of engine<flat_memory>, or of engine<warming_memory> if lines are followed. Their tables are
// those of one hart: no other one may run these blocks.
[[nodiscard]] std::unique_ptr<block_translator> make_translator(handler* const* handlers,
                                                                std::optional<followed_lines> const& followed = {});

}  // namespace tess::machine
