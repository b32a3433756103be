// disassemble: register names, and the operands of each format.
#include "machine/isa/disassemble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "machine/isa/decode.hpp"

namespace tess::machine {
namespace {

// The last is x0 as a destination.
constexpr std::array<std::string_view, 33> names{
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1",  "a0",  "a1", "a2", "a3", "a4", "a5",  "a6",
    "a7",   "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6", "zero"};

// eamoadd_nb_d is eamoadd.nb.d.
std::string mnemonic(operation op) {
  std::string text(name_of(op));
  std::ranges::replace(text, '_', '.');
  return text;
}

bool is_between(operation first, operation op, operation last) {
  return first <= op && op <= last;
}

}  // namespace

std::string disassemble_extended(std::uint32_t word) {
  using enum operation;
  decoded const of = decode(word);
  auto const x = [](unsigned number) { return names[number]; };
  auto const e = [](unsigned number) { return fmt::format("e{}", number); };
  auto const either = [&](operation extension, unsigned number) {
    return of.op == extension ? e(number) : std::string(x(number));
  };
  std::string operands;
  if (is_between(elb, of.op, operation::ele)) {
    operands = fmt::format("{}, {}({})", either(ele, of.rd), of.imm, x(of.rs1));
  } else if (is_between(esb, of.op, ese)) {
    operands = fmt::format("{}, {}({})", either(ese, of.rs2), of.imm, x(of.rs1));
  } else if (of.op == eaddi) {
    operands = fmt::format("{}, {}, {}", x(of.rd), e(of.rs1), of.imm);
  } else if (of.op == eaddie) {
    operands = fmt::format("{}, {}, {}", e(of.rd), x(of.rs1), of.imm);
  } else if (of.op == eaddix) {
    operands = fmt::format("{}, {}, {}", e(of.rd), e(of.rs1), of.imm);
  } else if (is_between(erlb, of.op, erle)) {
    operands = fmt::format("{}, {}, {}", either(erle, of.rd), x(of.rs1), e(of.rs2));
  } else if (is_between(ersb, of.op, erse)) {  // decoded as a store: its address is in rs1
    operands = fmt::format("{}, {}, {}", either(erse, of.rs2), x(of.rs1), e(of.rd));
  } else if (of.op == eload_nb_w || of.op == eload_nb_d) {
    operands = fmt::format("{}, ({})", x(of.rd), x(of.rs1));
  } else if (of.op == eatest || of.op == eaget) {
    operands = fmt::format("{}, {}", x(of.rd), x(of.rs1));
  } else if (is_between(eamoswap_w, of.op, eamocas_nb_d)) {
    operands = fmt::format("{}, {}, ({})", x(of.rd), x(of.rs2), x(of.rs1));
  } else {
    return {};
  }
  return mnemonic(of.op) + " " + operands;
}

}  // namespace tess::machine
