// rv64i: the base integer instructions, one function each, in the manual's order; Zifencei and Zihintpause with them.
//
// Source    RISC-V Unprivileged ISA 20191213, chapters 2, 3 and 5; Zihintpause 2.0.
#pragma once

#include <bit>

#include "machine/hart/handlers.hpp"

namespace tess::machine {

template <class Policy>
struct rv64i : flow<Policy> {
  using flow<Policy>::take;
  using flow<Policy>::leave;
  using flow<Policy>::charge;

  INSTRUCTION(lui) {
    set_rd(h, i, immediate(i));
    NEXT;
  }
  INSTRUCTION(auipc) {  // the block builder has added the pc
    set_rd(h, i, immediate(i));
    NEXT;
  }
  INSTRUCTION(jal) {
    set_rd(h, i, i->next_pc());
    charge(h, i);
    i = i->target();
    if (h.left <= 0) [[unlikely]]
      GO_TO(flow<Policy>::expire);
    GO_TO(i->run);
  }
  INSTRUCTION(jalr) {
    h.pc = address(h, i) & ~std::uint64_t{1};
    set_rd(h, i, i->next_pc());
    charge(h, i);
    GO_TO(flow<Policy>::go_to_pc);
  }

  INSTRUCTION(beq) {
    if (rs1(h, i) == rs2(h, i)) GO_TO(take);
    NEXT;
  }
  INSTRUCTION(bne) {
    if (rs1(h, i) != rs2(h, i)) GO_TO(take);
    NEXT;
  }
  INSTRUCTION(blt) {
    if (signed_rs1(h, i) < signed_rs2(h, i)) GO_TO(take);
    NEXT;
  }
  INSTRUCTION(bge) {
    if (signed_rs1(h, i) >= signed_rs2(h, i)) GO_TO(take);
    NEXT;
  }
  INSTRUCTION(bltu) {
    if (rs1(h, i) < rs2(h, i)) GO_TO(take);
    NEXT;
  }
  INSTRUCTION(bgeu) {
    if (rs1(h, i) >= rs2(h, i)) GO_TO(take);
    NEXT;
  }

  // Sign- or zero-extended according to T.
  template <class T>
  INSTRUCTION(load_slowly) {
    T value;
    std::uint64_t const from = address(h, i);
    if (Policy::template load_slowly<T>(h, i, memory, from, value)) {
      set_rd(h, i, static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
      NEXT;
    }
    stop const why = h.stopped == stop::none ? stop::load : h.stopped;
    h.request.address = from;
    h.request.bytes = sizeof(T);
    h.request.rd = i->rd;
    h.request.to = std::is_signed_v<T> ? destination::x_signed : destination::x_unsigned;
    leave(h, i, why);
  }
  template <class T>
  INSTRUCTION(load) {
    T value;
    if (!Policy::template load<T>(h, i, memory, address(h, i), value)) [[unlikely]]
      GO_TO(load_slowly<T>);
    set_rd(h, i, static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
    NEXT;
  }
  INSTRUCTION(lb) { GO_TO(load<std::int8_t>); }
  INSTRUCTION(lh) { GO_TO(load<std::int16_t>); }
  INSTRUCTION(lw) { GO_TO(load<std::int32_t>); }
  INSTRUCTION(ld) { GO_TO(load<std::int64_t>); }
  INSTRUCTION(lbu) { GO_TO(load<std::uint8_t>); }
  INSTRUCTION(lhu) { GO_TO(load<std::uint16_t>); }
  INSTRUCTION(lwu) { GO_TO(load<std::uint32_t>); }

  template <class T>
  INSTRUCTION(store_slowly) {
    std::uint64_t const to = address(h, i);
    T const value = static_cast<T>(rs2(h, i));
    if (Policy::template store_slowly<T>(h, i, memory, to, value)) {
      NEXT;
    }
    stop const why = h.stopped == stop::none ? stop::store : h.stopped;
    h.request.address = to;
    h.request.operand = value;
    h.request.bytes = sizeof(T);
    leave(h, i, why);
  }
  template <class T>
  INSTRUCTION(store) {
    if (!Policy::template store<T>(h, i, memory, address(h, i), static_cast<T>(rs2(h, i)))) [[unlikely]]
      GO_TO(store_slowly<T>);
    NEXT;
  }
  INSTRUCTION(sb) { GO_TO(store<std::uint8_t>); }
  INSTRUCTION(sh) { GO_TO(store<std::uint16_t>); }
  INSTRUCTION(sw) { GO_TO(store<std::uint32_t>); }
  INSTRUCTION(sd) { GO_TO(store<std::uint64_t>); }

  INSTRUCTION(addi) {
    set_rd(h, i, rs1(h, i) + immediate(i));
    NEXT;
  }
  INSTRUCTION(slti) {
    set_rd(h, i, signed_rs1(h, i) < i->imm);
    NEXT;
  }
  INSTRUCTION(sltiu) {
    set_rd(h, i, rs1(h, i) < immediate(i));
    NEXT;
  }
  INSTRUCTION(xori) {
    set_rd(h, i, rs1(h, i) ^ immediate(i));
    NEXT;
  }
  INSTRUCTION(ori) {
    set_rd(h, i, rs1(h, i) | immediate(i));
    NEXT;
  }
  INSTRUCTION(andi) {
    set_rd(h, i, rs1(h, i) & immediate(i));
    NEXT;
  }
  INSTRUCTION(slli) {
    set_rd(h, i, rs1(h, i) << (immediate(i) & 63U));
    NEXT;
  }
  INSTRUCTION(srli) {
    set_rd(h, i, rs1(h, i) >> (immediate(i) & 63U));
    NEXT;
  }
  INSTRUCTION(srai) {
    set_rd(h, i, static_cast<std::uint64_t>(signed_rs1(h, i) >> (immediate(i) & 63U)));
    NEXT;
  }
  INSTRUCTION(add) {
    set_rd(h, i, rs1(h, i) + rs2(h, i));
    NEXT;
  }
  INSTRUCTION(sub) {
    set_rd(h, i, rs1(h, i) - rs2(h, i));
    NEXT;
  }
  INSTRUCTION(sll) {
    set_rd(h, i, rs1(h, i) << (rs2(h, i) & 63U));
    NEXT;
  }
  INSTRUCTION(slt) {
    set_rd(h, i, signed_rs1(h, i) < signed_rs2(h, i));
    NEXT;
  }
  INSTRUCTION(sltu) {
    set_rd(h, i, rs1(h, i) < rs2(h, i));
    NEXT;
  }
  INSTRUCTION(xor_) {
    set_rd(h, i, rs1(h, i) ^ rs2(h, i));
    NEXT;
  }
  INSTRUCTION(srl) {
    set_rd(h, i, rs1(h, i) >> (rs2(h, i) & 63U));
    NEXT;
  }
  INSTRUCTION(sra) {
    set_rd(h, i, static_cast<std::uint64_t>(signed_rs1(h, i) >> (rs2(h, i) & 63U)));
    NEXT;
  }
  INSTRUCTION(or_) {
    set_rd(h, i, rs1(h, i) | rs2(h, i));
    NEXT;
  }
  INSTRUCTION(and_) {
    set_rd(h, i, rs1(h, i) & rs2(h, i));
    NEXT;
  }

  INSTRUCTION(pause) {
    (void)memory;
    leave(h, i, stop::pause);
  }
  INSTRUCTION(fence) {
    if constexpr (Policy::timed) {
      leave(h, i, stop::fence);
    } else {
      NEXT;
    }
  }
  INSTRUCTION(ecall) {
    (void)memory;
    leave(h, i, stop::ecall);
  }
  INSTRUCTION(ebreak) {
    (void)memory;
    leave(h, i, stop::ebreak);
  }

  INSTRUCTION(addiw) {
    set_rd(h, i, extended(low(rs1(h, i) + immediate(i))));
    NEXT;
  }
  INSTRUCTION(slliw) {
    set_rd(h, i, extended(low(rs1(h, i)) << (immediate(i) & 31U)));
    NEXT;
  }
  INSTRUCTION(srliw) {
    set_rd(h, i, extended(low(rs1(h, i)) >> (immediate(i) & 31U)));
    NEXT;
  }
  INSTRUCTION(sraiw) {
    set_rd(h, i, static_cast<std::uint64_t>(std::int64_t{signed_low(rs1(h, i)) >> (immediate(i) & 31U)}));
    NEXT;
  }
  INSTRUCTION(addw) {
    set_rd(h, i, extended(low(rs1(h, i) + rs2(h, i))));
    NEXT;
  }
  INSTRUCTION(subw) {
    set_rd(h, i, extended(low(rs1(h, i) - rs2(h, i))));
    NEXT;
  }
  INSTRUCTION(sllw) {
    set_rd(h, i, extended(low(rs1(h, i)) << (rs2(h, i) & 31U)));
    NEXT;
  }
  INSTRUCTION(srlw) {
    set_rd(h, i, extended(low(rs1(h, i)) >> (rs2(h, i) & 31U)));
    NEXT;
  }
  INSTRUCTION(sraw) {
    set_rd(h, i, static_cast<std::uint64_t>(std::int64_t{signed_low(rs1(h, i)) >> (rs2(h, i) & 31U)}));
    NEXT;
  }

  INSTRUCTION(fence_i) {
    (void)memory;
    leave(h, i, stop::fence_i);
  }
};

}  // namespace tess::machine
