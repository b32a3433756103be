// integers: the instructions of integers that neither access memory nor jump.
#include "machine/translate/translation.hpp"

namespace tess::machine {

void translation::finish(reg result, width w) {
  if (w == w64) return x_.write(at().rd, result);
  reg const to = x_.target(at().rd);
  code_.sign_extend(to, result);
  x_.write(at().rd, to);
}

// rs1 and the immediate.
void translation::put_sum(width w) {
  reg const from = x_.read(at().rs1, host::scratch);
  if (at().imm == 0) return finish(from, w);
  reg const to = x_.target(at().rd);
  code_.address(to, {.base = from, .distance = static_cast<std::int32_t>(at().imm)}, w);
  finish(to, w);
}

void translation::put_binary(arithmetic what, width w) {
  reg const b = x_.read(at().rs2, host::second);
  reg const to = x_.target(at().rd, b);
  x_.read_into(to, at().rs1);
  code_.calculate(what, to, b, w);
  finish(to, w);
}

void translation::put_immediate(arithmetic what) {
  reg const to = x_.target(at().rd);
  x_.read_into(to, at().rs1);
  code_.calculate(what, to, static_cast<std::int32_t>(at().imm));
  finish(to, w64);
}

void translation::put_set(condition c, bool with_immediate) {
  if (with_immediate)
    code_.calculate(arithmetic::cmp, x_.read(at().rs1, host::scratch), static_cast<std::int32_t>(at().imm));
  else
    put_comparison(at().rs1, at().rs2);
  code_.set(c, host::scratch);
  reg const to = x_.target(at().rd);
  code_.zero_extend(to, host::scratch);
  x_.write(at().rd, to);
}

void translation::put_shift(shift how, width w, bool with_immediate) {
  if (!with_immediate) x_.read_into(host::second, at().rs2);
  reg const to = x_.target(at().rd);
  x_.read_into(to, at().rs1);
  if (with_immediate)
    code_.move_bits(how, to, static_cast<std::uint8_t>(at().imm & (w == w64 ? 63 : 31)), w);
  else
    code_.move_bits(how, to, w);
  finish(to, w);
}

void translation::put_product(operation op) {
  if (op == operation::mul || op == operation::mulw) {
    width const w = op == operation::mul ? w64 : w32;
    reg const b = x_.read(at().rs2, host::second);
    reg const to = x_.target(at().rd, b);
    x_.read_into(to, at().rs1);
    code_.multiply(to, b, w);
    return finish(to, w);
  }
  x_.read_into(host::second, at().rs2);
  x_.read_into(host::scratch, at().rs1);
  code_.move(host::kept, reg::rdx);
  code_.calculate(op == operation::mulh ? one_operand::multiply_signed : one_operand::multiply, host::second);
  code_.move(host::scratch, reg::rdx);
  code_.move(reg::rdx, host::kept);
  if (op == operation::mulhsu) {  // less rs2, if rs1 is negative
    x_.read_into(host::kept, at().rs1);
    code_.move_bits(shift::right_signed, host::kept, 63);
    code_.calculate(arithmetic::and_, host::second, host::kept);
    code_.calculate(arithmetic::sub, host::scratch, host::second);
  }
  finish(host::scratch, w64);
}

// As quotient() and remainder() of rv64m.hpp.
void translation::put_quotient(operation op) {
  bool const narrow = op >= operation::divw;
  width const w = narrow ? w32 : w64;
  operation const wide = narrow ? static_cast<operation>(static_cast<int>(op) - static_cast<int>(operation::divw) +
                                                         static_cast<int>(operation::div))
                                : op;
  bool const with_sign = wide == operation::div || wide == operation::rem;
  bool const wants_rest = wide == operation::rem || wide == operation::remu;
  x_.read_into(host::second, at().rs2);
  x_.read_into(host::scratch, at().rs1);
  code_.move(host::kept, reg::rdx);
  code_.calculate(arithmetic::cmp, host::second, 0, w);
  std::size_t const by_zero = code_.jump(condition::equal);
  std::size_t by_minus_one = 0;
  if (with_sign) {
    code_.calculate(arithmetic::cmp, host::second, -1, w);
    by_minus_one = code_.jump(condition::equal);
    code_.sign_into_rdx(w);
    code_.calculate(one_operand::divide_signed, host::second, w);
  } else {
    code_.move(reg::rdx, std::uint64_t{0});
    code_.calculate(one_operand::divide, host::second, w);
  }
  std::size_t const divided = code_.jump();
  code_.bind(by_zero);
  code_.move(reg::rdx, host::scratch);
  code_.move(host::scratch, ~std::uint64_t{0});
  std::size_t const set = code_.jump();
  if (with_sign) {
    code_.bind(by_minus_one);
    code_.calculate(one_operand::negate, host::scratch, w);
    code_.move(reg::rdx, std::uint64_t{0});
  }
  code_.bind(divided);
  code_.bind(set);
  if (wants_rest) code_.move(host::scratch, reg::rdx);
  code_.move(reg::rdx, host::kept);
  finish(host::scratch, w);
}

void translation::put_integer(operation op) {
  switch (op) {
    case operation::lui:
    case operation::auipc:
    case operation::li:
      return put_constant(static_cast<std::uint64_t>(at().imm));
    case operation::mv:
    case operation::addi:
      // mv is also made of an add, and has no immediate then.
      return put_sum(w64);
    case operation::addiw:
      return put_sum(w32);
    case operation::slti:
      return put_set(condition::less, true);
    case operation::sltiu:
      return put_set(condition::below, true);
    case operation::xori:
      return put_immediate(arithmetic::xor_);
    case operation::ori:
      return put_immediate(arithmetic::or_);
    case operation::andi:
      return put_immediate(arithmetic::and_);
    case operation::slli:
      return put_shift(shift::left, w64, true);
    case operation::srli:
      return put_shift(shift::right, w64, true);
    case operation::srai:
      return put_shift(shift::right_signed, w64, true);
    case operation::add:
      return put_binary(arithmetic::add, w64);
    case operation::sub:
      return put_binary(arithmetic::sub, w64);
    case operation::sll:
      return put_shift(shift::left, w64, false);
    case operation::slt:
      return put_set(condition::less, false);
    case operation::sltu:
      return put_set(condition::below, false);
    case operation::xor_:
      return put_binary(arithmetic::xor_, w64);
    case operation::srl:
      return put_shift(shift::right, w64, false);
    case operation::sra:
      return put_shift(shift::right_signed, w64, false);
    case operation::or_:
      return put_binary(arithmetic::or_, w64);
    case operation::and_:
      return put_binary(arithmetic::and_, w64);
    case operation::slliw:
      return put_shift(shift::left, w32, true);
    case operation::srliw:
      return put_shift(shift::right, w32, true);
    case operation::sraiw:
      return put_shift(shift::right_signed, w32, true);
    case operation::addw:
      return put_binary(arithmetic::add, w32);
    case operation::subw:
      return put_binary(arithmetic::sub, w32);
    case operation::sllw:
      return put_shift(shift::left, w32, false);
    case operation::srlw:
      return put_shift(shift::right, w32, false);
    case operation::sraw:
      return put_shift(shift::right_signed, w32, false);
    case operation::mul:
    case operation::mulh:
    case operation::mulhsu:
    case operation::mulhu:
    case operation::mulw:
      return put_product(op);
    default:
      return put_quotient(op);
  }
}

}  // namespace tess::machine
