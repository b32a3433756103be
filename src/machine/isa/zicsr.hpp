// zicsr: control and status registers: fflags, frm, fcsr, the counters cycle, time and instret, and machine mode.
//
//   The counters are read at kernel time. Any other number is an illegal instruction, and so is a write to a counter.
//   A hart with machine mode (privileged.hpp) stops for every register but those of floating point.
//
// Source    RISC-V Unprivileged ISA 20191213, chapters 9, 10 and 11.2; Privileged Architecture 20211203, 3.3.
#pragma once

#include "machine/hart/handlers.hpp"
#include "machine/hart/privileged.hpp"

namespace tess::machine {

enum csr : std::uint16_t {
  csr_fflags = 0x001,
  csr_frm = 0x002,
  csr_fcsr = 0x003,
  csr_cycle = 0xc00,
  csr_time = 0xc01,
  csr_instret = 0xc02,
};

template <class Policy>
struct zicsr : flow<Policy> {
  using flow<Policy>::leave;
  using flow<Policy>::illegal;

  static std::uint8_t read_float(hart& h, std::int64_t number) noexcept {
    if (number == csr_fflags) return h.fp.fflags();
    if (number == csr_frm) return h.fp.frm;
    return static_cast<std::uint8_t>(h.fp.frm << 5U | h.fp.fflags());
  }
  static void write_float(hart& h, std::int64_t number, std::uint64_t value) noexcept {
    auto const flags = static_cast<std::uint8_t>(value & 31U);
    if (number == csr_fflags) return h.fp.set(h.fp.frm, flags);
    if (number == csr_frm) return h.fp.set(value & 7U, h.fp.fflags());
    h.fp.set(value >> 5U & 7U, flags);
  }

  // `writes`: an instruction that only reads must not write, not even the same value.
  static void counter(hart& h, inst const* i, csr_action action, std::uint64_t operand, bool writes) noexcept {
    if (h.privileged != nullptr) {
      h.request = {.address = immediate(i),
                   .operand = operand,
                   .expected = writes ? static_cast<std::uint64_t>(action) + 1 : 0,
                   .bytes = 8,
                   .rd = i->rd,
                   .to = destination::x_unsigned};
      return leave(h, i, stop::control);
    }
    if (writes || i->imm < csr_cycle || i->imm > csr_instret) {
      h.request = {};
      h.request.address = immediate(i);
      return leave(h, i, stop::illegal);
    }
    h.request = {.address = immediate(i), .bytes = 8, .rd = i->rd, .to = destination::x_unsigned};
    leave(h, i, stop::counter);
  }

  template <csr_action Action>
  INSTRUCTION(with_register) {
    std::uint64_t const operand = rs1(h, i);
    bool const writes = Action == csr_action::write || i->rs1 != 0;
    if (i->imm < csr_fflags || i->imm > csr_fcsr) return counter(h, i, Action, operand, writes);
    std::uint64_t const old = read_float(h, i->imm);
    if (writes) write_float(h, i->imm, changed<Action>(old, operand));
    set_rd(h, i, old);
    NEXT;
  }
  template <csr_action Action>
  INSTRUCTION(with_immediate) {
    std::uint64_t const operand = i->rs1;
    bool const writes = Action == csr_action::write || operand != 0;
    if (i->imm < csr_fflags || i->imm > csr_fcsr) return counter(h, i, Action, operand, writes);
    std::uint64_t const old = read_float(h, i->imm);
    if (writes) write_float(h, i->imm, changed<Action>(old, operand));
    set_rd(h, i, old);
    NEXT;
  }

  // A program of the machine's Linux runs without machine mode: to it these are illegal.
  INSTRUCTION(mret) {
    (void)memory;
    if (h.privileged == nullptr || h.privileged->mode() != privilege::machine) return refuse(h, i, 0x30200073);
    leave(h, i, stop::trap_return);
  }
  INSTRUCTION(wfi) {
    (void)memory;
    if (h.privileged == nullptr) return refuse(h, i, 0x10500073);
    leave(h, i, stop::wait_for_interrupt);
  }

  INSTRUCTION(csrrw) { GO_TO(with_register<csr_action::write>); }
  INSTRUCTION(csrrs) { GO_TO(with_register<csr_action::set>); }
  INSTRUCTION(csrrc) { GO_TO(with_register<csr_action::clear>); }
  INSTRUCTION(csrrwi) { GO_TO(with_immediate<csr_action::write>); }
  INSTRUCTION(csrrsi) { GO_TO(with_immediate<csr_action::set>); }
  INSTRUCTION(csrrci) { GO_TO(with_immediate<csr_action::clear>); }

 private:
  static void refuse(hart& h, inst const* i, std::uint64_t word) noexcept {
    h.request = {};
    h.request.address = word;
    leave(h, i, stop::illegal);
  }
  template <csr_action Action>
  static std::uint64_t changed(std::uint64_t old, std::uint64_t operand) noexcept {
    if constexpr (Action == csr_action::set) return old | operand;
    if constexpr (Action == csr_action::clear) return old & ~operand;
    return operand;
  }
};

}  // namespace tess::machine
