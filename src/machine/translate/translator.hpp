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

#include <memory>

#include "machine/hart/block_translator.hpp"

namespace tess::machine {

// `handlers` by operation: of engine<flat_memory>.
[[nodiscard]] std::unique_ptr<block_translator> make_translator(handler* const* handlers);

}  // namespace tess::machine
