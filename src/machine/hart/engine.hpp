// engine: runs a hart on a memory policy until something must be done at kernel time.
//
//   Each policy's engine<Policy> is instantiated in a file of its own (flat_engine.cpp), which contains every
//   instruction's function with the policy's hit path inlined. engine_run.hpp tells how to instantiate another one.
//
// Cost      entry and exit: about 20 ns where the host's rounding mode must be changed, less otherwise.
#pragma once

#include "machine/hart/code_cache.hpp"
#include "machine/hart/hart.hpp"
#include "machine/hart/memory_policy.hpp"

namespace tess::machine {

template <memory_policy Policy>
struct engine {
  // Runs from h.pc until h.now() >= until or another reason to stop, which is also in h.stopped. `fast` is passed to
  // the policy's functions. At least one instruction is executed, unless its fetch, its time or an access stops it.
  static stop run(hart& h, std::byte* fast, std::uint64_t until);
  // The functions by operation, for the code cache of these harts.
  static handler* const* handlers() noexcept;
};

}  // namespace tess::machine
