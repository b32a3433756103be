// block_flow: what the decoder puts between instructions, and short forms of some of them.
#pragma once

#include "machine/hart/handlers.hpp"

namespace tess::machine {

template <class Policy>
struct block_flow : flow<Policy> {
  using flow<Policy>::leave;
  using flow<Policy>::charge;
  using flow<Policy>::illegal;

  // The pc is not in executable memory.
  INSTRUCTION(no_code) {
    (void)memory;
    h.request = {};
    h.request.address = i->pc();
    h.request.right = right_execute;
    leave(h, i, stop::access);
  }

  // The line imm of the L1-I must be there before what follows.
  INSTRUCTION(fetch_line) {
    if (Policy::fetch(h, i, memory, immediate(i))) [[likely]] {
      NEXT;
    }
    // Nothing of this block is done yet: the fetches stand at its start, and the hart begins it again.
    h.pc = i->pc();
    h.request = {};
    h.request.address = immediate(i);
    h.resume = h.at = nullptr;
    h.charged = h.counted = 0;
    if (h.stopped == stop::none) h.stopped = stop::fetch;
  }

  // On to another block.
  INSTRUCTION(jump_to) {
    charge(h, i);
    i = i->target();
    if (h.left <= 0) [[unlikely]]
      GO_TO(flow<Policy>::expire);
    GO_TO(i->run);
  }

  // A jump that is run for the first time, or whose target was not decoded then.
  INSTRUCTION(stub) {
    if (inst const* const first = h.code->find(immediate(i))) {
      code_cache::link(i, first);
      i = first;
      GO_TO(i->run);
    }
    h.pc = immediate(i);
    h.stopped = stop::lookup;
  }

  INSTRUCTION(li) {
    set_rd(h, i, immediate(i));
    NEXT;
  }
  INSTRUCTION(mv) {
    set_rd(h, i, rs1(h, i));
    NEXT;
  }
  INSTRUCTION(ret) {
    h.pc = address(h, i) & ~std::uint64_t{1};
    charge(h, i);
    GO_TO(flow<Policy>::go_to_pc);
  }
};

}  // namespace tess::machine
