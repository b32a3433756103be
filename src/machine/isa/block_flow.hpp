// block_flow: operations that the decoder inserts between instructions, and short forms of some instructions.
#pragma once

#include "machine/commit/commit_log.hpp"
#include "machine/hart/handlers.hpp"
#include "machine/hart/instruction_observer.hpp"
#include "machine/profile/call_profile.hpp"
#include "machine/regions/region_log.hpp"

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

  // With a translator: the block is entered.
  INSTRUCTION(enter_block) {
    if (h.code->count_entry(i)) GO_TO(i->run);
    NEXT;
  }

  // With a profile: the block is entered.
  INSTRUCTION(begin_block) {
    h.profile->enter(h, i);
    NEXT;
  }

  // With a log of commits, or an observer: the instruction behind this slot begins.
  INSTRUCTION(begin_instruction) {
    if (h.commits != nullptr) h.commits->begin(h, i);
    if (h.observer != nullptr && !h.observer->begin(h, i)) [[unlikely]] {
      charge(h, i);
      h.resume = h.at = nullptr;
      h.charged = h.counted = 0;
      h.stopped = stop::quantum;
      return;
    }
    NEXT;
  }

  // The L1-I line of imm must be present before the following instructions.
  INSTRUCTION(fetch_line) {
    if (Policy::fetch(h, i, memory, immediate(i))) [[likely]] {
      NEXT;
    }
    // Nothing of this block has been executed: the fetches are at its start, and the hart begins it again.
    h.pc = i->pc();
    h.request = {};
    h.request.address = immediate(i);
    h.request.right = right_execute;
    // A profile has what was waited for here in front of the block, which is entered again.
    h.resume = h.profile == nullptr ? i - i->index + 1 : nullptr;
    h.at = nullptr;
    h.charged = h.counted = 0;
    h.generation = h.code->generation();
    if (h.stopped == stop::none) h.stopped = stop::fetch;
  }

  // Continues in another block.
  INSTRUCTION(jump_to) {
    charge(h, i);
    i = i->target();
    if (h.left <= 0) [[unlikely]]
      GO_TO(flow<Policy>::expire);
    GO_TO(i->run);
  }

  // A jump that is taken for the first time, or whose target had not been decoded.
  INSTRUCTION(stub) {
    if (inst const* const first = h.code->find(immediate(i))) {
      code_cache::link(i, first);
      i = first;
      GO_TO(i->run);
    }
    h.pc = immediate(i);
    h.stopped = stop::lookup;
  }

  // Changes no register; the begin or the end of a region.
  INSTRUCTION(mark_region) {
    if (h.is_tentative) [[unlikely]]
      return leave(h, i, stop::uncertain);
    if (h.regions != nullptr && h.regions->mark(i, Policy::timed ? h.retired + i->since : h.now(i))) h.end_turn();
    NEXT;
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
