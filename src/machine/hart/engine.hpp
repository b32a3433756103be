// engine: runs a hart on a memory policy until something must be done at kernel time.
//
//   One engine<Policy> per policy is instantiated in a file of its own (flat_engine.cpp): it holds every instruction's
//   function, compiled with the policy's hit path inlined. See engine.ipp for how to instantiate another.
//
// Cost      entering and leaving: about 20 ns, of which the host's rounding mode takes most.
#pragma once

#include "machine/hart/code_cache.hpp"
#include "machine/hart/hart.hpp"
#include "machine/hart/memory_policy.hpp"

namespace tess::machine {

template <memory_policy Policy>
struct engine {
  // Runs from h.pc until h.now() >= until or something else stops it; why is also in h.stopped. `fast` is what the
  // policy's functions get. At least one instruction makes progress, unless its fetch, a time or an access stops it.
  static stop run(hart& h, std::byte* fast, std::uint64_t until);
  // The functions by operation, for the code cache of these harts.
  static handler* const* handlers() noexcept;
};

}  // namespace tess::machine
