// issue: the slot before each instruction of a hart with a pipeline, which says when the instruction issues.
//
//   A slot has the operands of its instruction, so that of a branch or jump knows where it will go. Without time there
//   are slots before branches and jumps only, from which the predictor learns.
#pragma once

#include "machine/hart/handlers.hpp"
#include "machine/hart/pipeline.hpp"

namespace tess::machine {

template <class Policy>
struct issue_slot : flow<Policy> {
  INSTRUCTION(issue) {
    h.pipe->issue(h, i);
    NEXT;
  }
  template <class Taken>
  static void branch(hart& h, inst const* i, Taken taken) {
    bool const leaves = taken(rs1(h, i), rs2(h, i));
    if constexpr (Policy::timed) {
      h.pipe->branch(h, i, leaves);
    } else {
      h.pipe->predict_branch(i, leaves);
    }
  }
  INSTRUCTION(issue_beq) {
    branch(h, i, [](std::uint64_t a, std::uint64_t b) { return a == b; });
    NEXT;
  }
  INSTRUCTION(issue_bne) {
    branch(h, i, [](std::uint64_t a, std::uint64_t b) { return a != b; });
    NEXT;
  }
  INSTRUCTION(issue_blt) {
    branch(h, i, [](std::uint64_t a, std::uint64_t b) {
      return static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b);
    });
    NEXT;
  }
  INSTRUCTION(issue_bge) {
    branch(h, i, [](std::uint64_t a, std::uint64_t b) {
      return static_cast<std::int64_t>(a) >= static_cast<std::int64_t>(b);
    });
    NEXT;
  }
  INSTRUCTION(issue_bltu) {
    branch(h, i, [](std::uint64_t a, std::uint64_t b) { return a < b; });
    NEXT;
  }
  INSTRUCTION(issue_bgeu) {
    branch(h, i, [](std::uint64_t a, std::uint64_t b) { return a >= b; });
    NEXT;
  }
  INSTRUCTION(issue_jal) {
    bool const links = i->rd == 1 || i->rd == 5;
    if constexpr (Policy::timed) {
      h.pipe->jump(h, i, links);
    } else {
      h.pipe->predict_jump(i, links);
    }
    NEXT;
  }
  INSTRUCTION(issue_jalr) {
    if constexpr (Policy::timed) {
      h.pipe->indirect(h, i, rs1(h, i));
    } else {
      h.pipe->predict_indirect(i, rs1(h, i));
    }
    NEXT;
  }
};

}  // namespace tess::machine
