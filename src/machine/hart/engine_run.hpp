// engine_run: the bodies of engine<Policy>, for the one file that instantiates it:
//
//     #include "machine/hart/engine_run.hpp"
//     template struct tess::machine::engine<my_policy>;
//
//   That file must be compiled with the options of src/machine/CMakeLists.txt: strict floating point, no errno.
#pragma once

#include <array>

#include "machine/hart/engine.hpp"
#include "machine/isa/block_flow.hpp"
#include "machine/isa/decode.hpp"
#include "machine/isa/issue.hpp"
#include "machine/isa/rv64a.hpp"
#include "machine/isa/rv64d.hpp"
#include "machine/isa/rv64f.hpp"
#include "machine/isa/rv64i.hpp"
#include "machine/isa/rv64m.hpp"
#include "machine/isa/xbgas.hpp"
#include "machine/isa/zicsr.hpp"

namespace tess::machine {

// The rows of instructions.def name their extension; these are its functions.
template <class Policy>
struct functions_of {
  using i = rv64i<Policy>;
  using csr = zicsr<Policy>;
  using m = rv64m<Policy>;
  using a = rv64a<Policy>;
  using f = rv64f<Policy>;
  using d = rv64d<Policy>;
  using x = xbgas<Policy>;
  using block = block_flow<Policy>;
  using issue = issue_slot<Policy>;
};

template <memory_policy Policy>
handler* const* engine<Policy>::handlers() noexcept {
  using from = functions_of<Policy>;
  static constexpr std::array<handler*, operations> table{
#define X(extension, name, mask, match, form, cost) &from::extension::name,
#include "machine/isa/instructions.def"
#undef X
  };
  return table.data();
}

// Are the L1-I lines of the instruction at pc present, so that it can be decoded?
template <class Policy>
bool can_decode(hart& h, std::byte* fast) {
  if constexpr (Policy::timed) {
    std::uint64_t const line = h.code->rules().fetch_line_bytes;
    if (line == 0) return true;
    inst const nothing{nullptr, 0, 0, 0, 0, 0, 0, 0, 0};
    // Its second half may be in the next line; a fetch that is not needed would be observable.
    std::uint64_t const first = h.pc / line * line;
    for (std::uint64_t const wanted : {first, first + line}) {
      std::uint16_t low = 0;
      bool const needed =
          wanted == first || (h.pc + 2 == wanted && h.code->source().halfword(h.pc, low) && !is_compressed(low));
      if (!needed || Policy::fetch(h, &nothing, fast, wanted)) continue;
      h.request = {};
      h.request.address = wanted;
      h.request.right = right_execute;
      if (h.stopped == stop::none) h.stopped = stop::fetch;
      return false;
    }
  }
  return true;
}

template <memory_policy Policy>
stop engine<Policy>::run(hart& h, std::byte* fast, std::uint64_t until) {
  h.left += static_cast<std::int64_t>(until - h.until);
  h.until = until;
  h.stopped = stop::quantum;
  if (h.left <= 0 && !(Policy::timed && h.is_inside_block())) return stop::quantum;
  std::uint64_t const began = h.now();
  inst const* i = h.generation == h.code->generation() ? h.resume : nullptr;
  h.resume = nullptr;
  if (i != nullptr) {  // in the middle of a block, whose end counts these again
    h.left += h.charged;
    if constexpr (Policy::timed) h.retired -= h.counted;
  }
  do {
    h.stopped = stop::none;
    if (i == nullptr) {
      if (!can_decode<Policy>(h, fast)) break;
      i = h.code->block_at(h.pc);
      h.code->remember(h.pc, i);
    }
    i->run(h, i, fast);
    i = nullptr;
  } while (h.stopped == stop::lookup);
  h.fp.leave();
  if constexpr (!Policy::timed) h.retired += h.now() - began;
  return h.stopped;
}

}  // namespace tess::machine
