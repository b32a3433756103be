// float_ops: the common parts of F and D, as templates over float and double.
//
//   Arithmetic is the host's if the host rounds as the instruction requires, otherwise soft_float's. Exceptions collect
//   in the host's flags. Registers hold singles NaN-boxed; a value that is not boxed reads as the canonical NaN. These
//   files are compiled with strict floating-point semantics: no operation may be moved, merged or omitted.
//
// Source    RISC-V Unprivileged ISA 20191213, chapters 11 and 12.
#pragma once

#include <bit>
#include <cmath>

#include "machine/hart/handlers.hpp"
#include "machine/isa/soft_float.hpp"

namespace tess::machine {

template <class F>
soft::bits_of<F> float_bits(hart const& h, unsigned number) noexcept {
  std::uint64_t const whole = h.f[number];
  if constexpr (sizeof(F) == 8) return whole;
  return whole >> 32U == 0xffffffffU ? static_cast<soft::bits_of<F>>(whole) : soft::canonical_nan<F>;
}
template <class F>
void set_bits(hart& h, unsigned number, soft::bits_of<F> value) noexcept {
  h.f[number] = sizeof(F) == 8 ? std::uint64_t{value} : std::uint64_t{value} | 0xffffffff00000000U;
}
template <class F>
F read_float(hart const& h, unsigned number) noexcept {
  return std::bit_cast<F>(float_bits<F>(h, number));
}
// Arithmetic never propagates the payload of a NaN.
template <class F>
void write_float(hart& h, unsigned number, F value) noexcept {
  auto bits = std::bit_cast<soft::bits_of<F>>(value);
  if (soft::is_nan<F>(bits)) [[unlikely]]
    bits = soft::canonical_nan<F>;
  set_bits<F>(h, number, bits);
}

inline unsigned rs3(inst const* i) noexcept {
  return static_cast<unsigned>(i->imm >> 8);
}

// The rounding mode of an instruction for soft_float; 5 or more is illegal.
inline rounding mode_of(hart const& h, inst const* i) noexcept {
  auto const rm = static_cast<rounding>(i->imm & 7);
  return rm == dyn ? static_cast<rounding>(h.fp.frm) : rm;
}
inline bool host_rounds(hart const& h, inst const* i) noexcept {
  return h.fp.host_rounds[immediate(i) & 7U];
}

// Each operation by the host and by soft_float.
template <class F>
struct addition {
  static F host(F a, F b) noexcept { return a + b; }
  static auto soft(soft::bits_of<F> a, soft::bits_of<F> b, rounding mode, std::uint8_t& flags) {
    return soft::add<F>(a, b, mode, flags);
  }
};
template <class F>
struct subtraction {
  static F host(F a, F b) noexcept { return a - b; }
  static auto soft(soft::bits_of<F> a, soft::bits_of<F> b, rounding mode, std::uint8_t& flags) {
    return soft::add<F>(a, soft::is_nan<F>(b) ? b : b ^ soft::sign_mask<F>, mode, flags);
  }
};
template <class F>
struct multiplication {
  static F host(F a, F b) noexcept { return a * b; }
  static auto soft(soft::bits_of<F> a, soft::bits_of<F> b, rounding mode, std::uint8_t& flags) {
    return soft::multiply<F>(a, b, mode, flags);
  }
};
template <class F>
struct division {
  static F host(F a, F b) noexcept { return a / b; }
  static auto soft(soft::bits_of<F> a, soft::bits_of<F> b, rounding mode, std::uint8_t& flags) {
    return soft::divide<F>(a, b, mode, flags);
  }
};

template <class Policy>
struct float_ops : flow<Policy> {
  using flow<Policy>::leave;
  using flow<Policy>::illegal_word;

  // These come first, too, if nothing of this run was computed by the host before.
  template <class F, class Operation>
  INSTRUCTION(binary_softly) {
    if (h.fp.enter()) GO_TO((binary<F, Operation>));
    rounding const mode = mode_of(h, i);
    if (mode > rmm) return illegal_word(h, i);
    set_bits<F>(h, i->rd, Operation::soft(float_bits<F>(h, i->rs1), float_bits<F>(h, i->rs2), mode, h.fp.flags));
    NEXT;
  }
  template <class F, class Operation>
  INSTRUCTION(binary) {
    if (!host_rounds(h, i)) [[unlikely]]
      GO_TO((binary_softly<F, Operation>));
    write_float<F>(h, i->rd, Operation::host(read_float<F>(h, i->rs1), read_float<F>(h, i->rs2)));
    NEXT;
  }

  template <class F>
  INSTRUCTION(root_softly) {
    if (h.fp.enter()) GO_TO(square_root<F>);
    rounding const mode = mode_of(h, i);
    if (mode > rmm) return illegal_word(h, i);
    set_bits<F>(h, i->rd, soft::square_root<F>(float_bits<F>(h, i->rs1), mode, h.fp.flags));
    NEXT;
  }
  template <class F>
  INSTRUCTION(square_root) {
    if (!host_rounds(h, i)) [[unlikely]]
      GO_TO(root_softly<F>);
    write_float<F>(h, i->rd, std::sqrt(read_float<F>(h, i->rs1)));
    NEXT;
  }

  // ±(a * b) ± c.
  template <class F, bool NegateProduct, bool NegateAddend>
  INSTRUCTION(fused_softly) {
    if (h.fp.enter()) GO_TO((fused<F, NegateProduct, NegateAddend>));
    rounding const mode = mode_of(h, i);
    if (mode > rmm) return illegal_word(h, i);
    auto const turned = [](soft::bits_of<F> value, bool negate) {
      return negate && !soft::is_nan<F>(value) ? value ^ soft::sign_mask<F> : value;
    };
    set_bits<F>(h, i->rd,
                soft::fused<F>(turned(float_bits<F>(h, i->rs1), NegateProduct), float_bits<F>(h, i->rs2),
                               turned(float_bits<F>(h, rs3(i)), NegateAddend), mode, h.fp.flags));
    NEXT;
  }
  template <class F, bool NegateProduct, bool NegateAddend>
  INSTRUCTION(fused) {
    if (!host_rounds(h, i)) [[unlikely]]
      GO_TO((fused_softly<F, NegateProduct, NegateAddend>));
    F const a = read_float<F>(h, i->rs1);
    F const c = read_float<F>(h, rs3(i));
    F const result = std::fma(NegateProduct ? -a : a, read_float<F>(h, i->rs2), NegateAddend ? -c : c);
    // Infinity times zero is invalid even if a quiet NaN is added; hosts differ here.
    if (soft::is_nan<F>(std::bit_cast<soft::bits_of<F>>(result))) [[unlikely]]
      GO_TO((fused_softly<F, NegateProduct, NegateAddend>));
    write_float<F>(h, i->rd, result);
    NEXT;
  }

  enum class sign_from : std::uint8_t { copy, negate, exclusive_or };
  template <class F, sign_from From>
  INSTRUCTION(inject_sign) {
    auto const a = float_bits<F>(h, i->rs1);
    auto b = float_bits<F>(h, i->rs2);
    if constexpr (From == sign_from::negate) b = ~b;
    if constexpr (From == sign_from::exclusive_or) b ^= a;
    set_bits<F>(h, i->rd, (a & ~soft::sign_mask<F>) | (b & soft::sign_mask<F>));
    NEXT;
  }

  // minimumNumber and maximumNumber: a number wins over a NaN, and -0 is below +0.
  template <class F, bool Max>
  INSTRUCTION(extreme) {
    auto const a = float_bits<F>(h, i->rs1);
    auto const b = float_bits<F>(h, i->rs2);
    if (soft::is_signaling<F>(a) || soft::is_signaling<F>(b)) h.fp.flags |= flag_nv;
    auto result = soft::canonical_nan<F>;
    if (soft::is_nan<F>(a) || soft::is_nan<F>(b)) {
      if (!soft::is_nan<F>(a)) result = a;
      if (!soft::is_nan<F>(b)) result = b;
    } else {
      result = (order<F>(a) < order<F>(b)) != Max ? a : b;
    }
    set_bits<F>(h, i->rd, result);
    NEXT;
  }

  enum class relation : std::uint8_t { equal, less, less_or_equal };
  // Equality raises invalid for signaling NaNs only, the others for all.
  template <class F, relation Relation>
  INSTRUCTION(compare) {
    auto const a = float_bits<F>(h, i->rs1);
    auto const b = float_bits<F>(h, i->rs2);
    if (soft::is_nan<F>(a) || soft::is_nan<F>(b)) [[unlikely]] {
      bool const quiet = Relation == relation::equal && !soft::is_signaling<F>(a) && !soft::is_signaling<F>(b);
      if (!quiet) h.fp.flags |= flag_nv;
      set_rd(h, i, 0);
    } else {
      bool const equal = a == b || ((a | b) & ~soft::sign_mask<F>) == 0;
      bool const less = !equal && order<F>(a) < order<F>(b);
      set_rd(h, i, Relation == relation::equal ? equal : less || (Relation == relation::less_or_equal && equal));
    }
    NEXT;
  }

  template <class F>
  INSTRUCTION(classify) {
    auto const a = float_bits<F>(h, i->rs1);
    bool const sign = (a & soft::sign_mask<F>) != 0;
    auto const magnitude = a & ~soft::sign_mask<F>;
    unsigned bit = 0;
    if (soft::is_nan<F>(a)) {
      bit = soft::is_signaling<F>(a) ? 8 : 9;
    } else if (magnitude == soft::infinity<F>) {
      bit = sign ? 0 : 7;
    } else if (magnitude == 0) {
      bit = sign ? 3 : 4;
    } else {
      bool const subnormal = magnitude <= soft::fraction_mask<F>;
      bit = sign ? (subnormal ? 2 : 1) : (subnormal ? 5 : 6);
    }
    set_rd(h, i, std::uint64_t{1} << bit);
    NEXT;
  }

  template <class F, class Integer>
  INSTRUCTION(to_integer_softly) {
    if (h.fp.enter()) GO_TO((to_integer<F, Integer>));
    rounding const mode = mode_of(h, i);
    if (mode > rmm) return illegal_word(h, i);
    set_rd(h, i,
           soft::to_integer<F>(float_bits<F>(h, i->rs1), sizeof(Integer) * 8, std::is_signed_v<Integer>, mode,
                               h.fp.flags));
    NEXT;
  }
  // The host converts values that certainly fit, towards zero, which is what compilers use.
  template <class F, class Integer>
  INSTRUCTION(to_integer) {
    auto const a = float_bits<F>(h, i->rs1);
    constexpr auto bias = static_cast<soft::bits_of<F>>(soft::format<F>::bias);
    constexpr int width = sizeof(Integer) * 8 - (std::is_signed_v<Integer> || sizeof(Integer) == 8 ? 1 : 0);
    auto const exponent = (std::is_signed_v<Integer> ? a & ~soft::sign_mask<F> : a) >> (soft::format<F>::precision - 1);
    bool const fits = exponent < bias + static_cast<unsigned>(width);
    if ((i->imm & 7) != rtz || !fits || !h.fp.is_entered) [[unlikely]]
      GO_TO((to_integer_softly<F, Integer>));
    auto const result = static_cast<std::int64_t>(std::bit_cast<F>(a));
    set_rd(
        h, i,
        sizeof(Integer) == 4 ? extended(low(static_cast<std::uint64_t>(result))) : static_cast<std::uint64_t>(result));
    NEXT;
  }

  template <class F, class Integer>
  INSTRUCTION(from_integer_softly) {
    if (h.fp.enter()) GO_TO((from_integer<F, Integer>));
    rounding const mode = mode_of(h, i);
    if (mode > rmm) return illegal_word(h, i);
    auto const value = static_cast<Integer>(rs1(h, i));
    set_bits<F>(h, i->rd,
                soft::from_integer<F>(static_cast<std::uint64_t>(value), std::is_signed_v<Integer>, mode, h.fp.flags));
    NEXT;
  }
  template <class F, class Integer>
  INSTRUCTION(from_integer) {
    auto const value = static_cast<std::int64_t>(static_cast<Integer>(rs1(h, i)));
    bool const fits = std::is_signed_v<Integer> || value >= 0;
    if (!host_rounds(h, i) || !fits) [[unlikely]]
      GO_TO((from_integer_softly<F, Integer>));
    write_float<F>(h, i->rd, static_cast<F>(value));
    NEXT;
  }

  template <class To, class From>
  INSTRUCTION(convert) {
    rounding const mode = mode_of(h, i);
    if (mode > rmm) return illegal_word(h, i);
    auto const a = float_bits<From>(h, i->rs1);
    h.fp.enter();
    if (host_rounds(h, i)) [[likely]]
      write_float<To>(h, i->rd, static_cast<To>(std::bit_cast<From>(a)));
    else
      set_bits<To>(h, i->rd, soft::convert<To, From>(a, mode, h.fp.flags));
    NEXT;
  }

 private:
  // Maps numbers to integers with the same order.
  template <class F>
  static auto order(soft::bits_of<F> a) noexcept {
    using signed_bits = std::make_signed_t<soft::bits_of<F>>;
    auto const value = static_cast<signed_bits>(a);
    return value < 0 ? static_cast<signed_bits>(value ^ static_cast<signed_bits>(~soft::sign_mask<F>)) : value;
  }
};

}  // namespace tess::machine
