// float_test: soft_float agrees with the host's FPU in its four rounding modes, and with the definition in the fifth;
// the instructions of F and D follow the manual for NaNs, signs and limits.
// Method: random and edge operands; hand-written results where implementations may differ.
#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <limits>
#include <random>

#include "bare_hart.hpp"
#include "instruction_words.hpp"
#include "machine/isa/soft_float.hpp"

namespace tess::machine {
namespace {

constexpr std::array<int, 4> host_modes{FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

std::uint8_t host_flags() {
  int const e = std::fetestexcept(FE_ALL_EXCEPT);
  return static_cast<std::uint8_t>((e & FE_INEXACT ? flag_nx : 0) | (e & FE_UNDERFLOW ? flag_uf : 0) |
                                   (e & FE_OVERFLOW ? flag_of : 0) | (e & FE_DIVBYZERO ? flag_dz : 0) |
                                   (e & FE_INVALID ? flag_nv : 0));
}

// Bits chosen to interact: few exponents, many zeros and ones, all the special values.
template <class F>
soft::bits_of<F> operand(std::mt19937_64& random) {
  auto const any = static_cast<soft::bits_of<F>>(random());
  soft::bits_of<F> const sign = any & soft::sign_mask<F>;
  switch (random() % 8) {
    case 0:
      return sign;
    case 1:
      return sign | soft::infinity<F>;
    case 2:
      return any | soft::infinity<F>;
    case 3:
      return sign | (any & soft::fraction_mask<F>);
    case 4:
      return static_cast<soft::bits_of<F>>(sign | (soft::infinity<F> / 2 + (any & 0xff)));
    case 5:
      return sign | (soft::infinity<F> - 1 - (any & 3U));
    default:
      return any;
  }
}

template <class F>
soft::bits_of<F> canonical(F value) {
  auto const bits = std::bit_cast<soft::bits_of<F>>(value);
  return soft::is_nan<F>(bits) ? soft::canonical_nan<F> : bits;
}

template <class F>
void compare_with_host(int rounds) {
  std::mt19937_64 random{sizeof(F)};
  for (int k = 0; k < rounds; ++k) {
    auto const mode = static_cast<rounding>(random() % 4);
    auto const a = operand<F>(random), b = operand<F>(random), c = operand<F>(random);
    F const volatile x = std::bit_cast<F>(a), y = std::bit_cast<F>(b), z = std::bit_cast<F>(c);
    auto const check = [&](auto host, auto ours, char const* name) {
      std::uint8_t flags = 0;
      std::fesetround(host_modes[mode]);
      std::feclearexcept(FE_ALL_EXCEPT);
      F const volatile wanted = host();
      std::uint8_t const wanted_flags = host_flags();
      std::fesetround(FE_TONEAREST);
      EXPECT_EQ(ours(flags), canonical<F>(wanted))
          << name << std::hex << ' ' << a << ' ' << b << ' ' << c << " mode " << mode;
      EXPECT_EQ(int(flags), int(wanted_flags))
          << name << std::hex << ' ' << a << ' ' << b << ' ' << c << " mode " << mode;
    };
    check([&] { return x + y; }, [&](auto& f) { return soft::add<F>(a, b, mode, f); }, "add");
    check([&] { return x * y; }, [&](auto& f) { return soft::multiply<F>(a, b, mode, f); }, "multiply");
    check([&] { return x / y; }, [&](auto& f) { return soft::divide<F>(a, b, mode, f); }, "divide");
    check([&] { return std::sqrt(x); }, [&](auto& f) { return soft::square_root<F>(a, mode, f); }, "square root");
    // Hosts disagree on the flags of infinity times zero plus a NaN.
    if (!soft::is_nan<F>(c))
      check([&] { return std::fma(x, y, z); }, [&](auto& f) { return soft::fused<F>(a, b, c, mode, f); }, "fused");
    if (testing::Test::HasFailure()) return;
  }
}

TEST(soft_float, agrees_with_the_host_in_single_precision) {
  compare_with_host<float>(60'000);
}
TEST(soft_float, agrees_with_the_host_in_double_precision) {
  compare_with_host<double>(60'000);
}

TEST(soft_float, converts_like_the_host) {
  std::mt19937_64 random{3};
  for (int k = 0; k < 60'000; ++k) {
    auto const mode = static_cast<rounding>(random() % 4);
    std::uint64_t const bits = operand<double>(random);
    double const volatile x = std::bit_cast<double>(bits);
    auto const volatile integer = static_cast<std::int64_t>(random()) >> random() % 64;
    std::uint8_t flags = 0;
    std::fesetround(host_modes[mode]);
    float const volatile narrow = static_cast<float>(x);
    double const volatile wide = static_cast<double>(integer);
    double const volatile whole = std::nearbyint(x);
    std::fesetround(FE_TONEAREST);
    EXPECT_EQ((soft::convert<float, double>(bits, mode, flags)), canonical<float>(narrow)) << std::hex << bits;
    EXPECT_EQ(soft::from_integer<double>(static_cast<std::uint64_t>(integer), true, mode, flags),
              canonical<double>(wide));
    flags = 0;
    auto const cut = static_cast<std::int64_t>(soft::to_integer<double>(bits, 64, true, mode, flags));
    if (std::fabs(whole) < 9e18) {
      EXPECT_EQ(cut, static_cast<std::int64_t>(whole)) << std::hex << bits;
      EXPECT_EQ(int(flags), whole == x ? 0 : int(flag_nx));
    } else {
      EXPECT_EQ(int(flags), int(std::fabs(x) > 9.3e18 || x != x ? flag_nv : flags));
    }
    if (HasFailure()) return;
  }
}

TEST(soft_float, rounds_ties_away_in_rmm) {
  std::uint8_t flags = 0;
  auto const to_long = [&](double v) {
    return static_cast<std::int64_t>(soft::to_integer<double>(std::bit_cast<std::uint64_t>(v), 64, true, rmm, flags));
  };
  EXPECT_EQ(to_long(0.5), 1);
  EXPECT_EQ(to_long(-0.5), -1);
  EXPECT_EQ(to_long(2.5), 3);
  EXPECT_EQ(to_long(2.4999999999999996), 2);
  EXPECT_EQ(to_long(-7.5), -8);
  // 2^24 + 1 lies between two singles.
  EXPECT_EQ(soft::from_integer<float>(16777217, true, rmm, flags), std::bit_cast<std::uint32_t>(16777218.0F));
  EXPECT_EQ(soft::from_integer<float>(16777217, true, rne, flags), std::bit_cast<std::uint32_t>(16777216.0F));
  auto const one = std::bit_cast<std::uint64_t>(1.0), half_ulp = std::bit_cast<std::uint64_t>(0x1p-53);
  EXPECT_EQ(soft::add<double>(one, half_ulp, rmm, flags), one + 1);
  EXPECT_EQ(soft::add<double>(one, half_ulp, rne, flags), one);
}

constexpr std::uint64_t boxed(std::uint32_t single) {
  return 0xffffffff00000000 | single;
}
constexpr std::uint64_t nan64 = 0x7ff8000000000000, signaling64 = 0x7ff0000000000001, inf64 = 0x7ff0000000000000;
constexpr std::uint64_t one64 = 0x3ff0000000000000, zero64 = 0, minus_zero64 = 0x8000000000000000;
constexpr std::uint64_t two64 = 0x4000000000000000, minus_one64 = 0xbff0000000000000;
constexpr std::uint32_t nan32 = 0x7fc00000, one32 = 0x3f800000, two32 = 0x40000000;

struct float_case {
  operation op;
  std::uint64_t a, b;
  unsigned rm;
  std::uint64_t result;  // in f5, or in x5 if the instruction writes an integer
  unsigned flags;
};
using enum operation;

constexpr float_case float_cases[] = {
    {fadd_d, one64, one64, dyn, two64, 0},
    {fadd_d, inf64, inf64 | minus_zero64, dyn, nan64, flag_nv},
    {fadd_d, signaling64, one64, dyn, nan64, flag_nv},
    {fadd_d, 0x7ff8dead00000000, one64, dyn, nan64, 0},
    {fsub_d, one64, one64, rdn, minus_zero64, 0},
    {fsub_d, one64, one64, rne, zero64, 0},
    {fmul_d, 0x0010000000000000, 0x3fe0000000000000, dyn, 0x0008000000000000, 0},
    {fmul_d, 0x0010000000000001, 0x3fe0000000000000, dyn, 0x0008000000000000, flag_uf | flag_nx},
    {fdiv_d, one64, zero64, dyn, inf64, flag_dz},
    {fdiv_d, zero64, zero64, dyn, nan64, flag_nv},
    {fmul_d, 0x7fefffffffffffff, two64, rtz, 0x7fefffffffffffff, flag_of | flag_nx},
    {fmul_d, 0x7fefffffffffffff, two64, rmm, inf64, flag_of | flag_nx},
    {fsqrt_d, minus_one64, 0, dyn, nan64, flag_nv},
    {fsqrt_d, minus_zero64, 0, dyn, minus_zero64, 0},
    {fadd_s, boxed(one32), boxed(one32), dyn, boxed(two32), 0},
    {fadd_s, one32, boxed(one32), dyn, boxed(nan32), 0},
    {fmin_d, zero64, minus_zero64, 0, minus_zero64, 0},
    {fmax_d, minus_zero64, zero64, 0, zero64, 0},
    {fmin_d, nan64, one64, 0, one64, 0},
    {fmax_d, signaling64, one64, 0, one64, flag_nv},
    {fmin_d, nan64, nan64, 0, nan64, 0},
    {fsgnj_d, one64, minus_zero64, 0, minus_one64, 0},
    {fsgnjn_d, one64, minus_zero64, 0, one64, 0},
    {fsgnjx_d, minus_one64, minus_zero64, 0, one64, 0},
    {fsgnj_s, one32, boxed(0x80000000), 0, boxed(nan32 | 0x80000000), 0},
    {feq_d, nan64, one64, 0, 0, 0},
    {feq_d, signaling64, one64, 0, 0, flag_nv},
    {feq_d, zero64, minus_zero64, 0, 1, 0},
    {flt_d, nan64, one64, 0, 0, flag_nv},
    {flt_d, minus_zero64, zero64, 0, 0, 0},
    {fle_d, minus_zero64, zero64, 0, 1, 0},
    {fle_d, minus_one64, one64, 0, 1, 0},
    {fclass_d, 0xfff0000000000000, 0, 0, 1U << 0U, 0},
    {fclass_d, minus_one64, 0, 0, 1U << 1U, 0},
    {fclass_d, 0x8000000000000001, 0, 0, 1U << 2U, 0},
    {fclass_d, minus_zero64, 0, 0, 1U << 3U, 0},
    {fclass_d, zero64, 0, 0, 1U << 4U, 0},
    {fclass_d, 1, 0, 0, 1U << 5U, 0},
    {fclass_d, one64, 0, 0, 1U << 6U, 0},
    {fclass_d, inf64, 0, 0, 1U << 7U, 0},
    {fclass_d, signaling64, 0, 0, 1U << 8U, 0},
    {fclass_d, nan64, 0, 0, 1U << 9U, 0},
    {fclass_s, one32, 0, 0, 1U << 9U, 0},
    {fcvt_w_d, nan64, 0, rtz, 0x7fffffff, flag_nv},
    {fcvt_w_d, 0xc1e0000000000000, 0, rtz, 0xffffffff80000000, 0},
    {fcvt_w_d, 0xc1e0000000200000, 0, rtz, 0xffffffff80000000, flag_nv},
    {fcvt_w_d, 0x41dfffffffe00000, 0, rne, 0x7fffffff, flag_nv},
    {fcvt_w_d, 0x41dfffffffe00000, 0, rtz, 0x7fffffff, flag_nx},
    {fcvt_wu_d, minus_one64, 0, rtz, 0, flag_nv},
    {fcvt_wu_d, 0xbfe0000000000000, 0, rtz, 0, flag_nx},
    {fcvt_wu_d, 0x41efffffffe00000, 0, rtz, ~std::uint64_t{0}, 0},
    {fcvt_l_d, 0x43e0000000000000, 0, rtz, 0x7fffffffffffffff, flag_nv},
    {fcvt_lu_d, 0x43e0000000000000, 0, rtz, 0x8000000000000000, 0},
    {fcvt_lu_d, 0xfff0000000000000, 0, rtz, 0, flag_nv},
    {fcvt_s_d, 0x3ff0000010000000, 0, rne, boxed(one32), flag_nx},
    {fcvt_s_d, 0x3ff0000010000000, 0, rmm, boxed(one32 + 1), flag_nx},
    {fcvt_d_s, boxed(0x7f800001), 0, dyn, nan64, flag_nv},
    {fcvt_d_s, boxed(1), 0, dyn, 0x36a0000000000000, 0},
    {fmv_x_w, boxed(0x80000000), 0, 0, 0xffffffff80000000, 0},
    {fmv_x_d, signaling64, 0, 0, signaling64, 0},
};

bool writes_integer(operation op) {
  for (operation const o :
       {feq_d, flt_d, fle_d, fclass_d, fclass_s, fcvt_w_d, fcvt_wu_d, fcvt_l_d, fcvt_lu_d, fmv_x_w, fmv_x_d})
    if (o == op) return true;
  return false;
}

TEST(rv64fd, does_what_the_manual_says_at_the_edges) {
  for (auto const& [op, a, b, rm, wanted, flags] : float_cases) {
    code_buffer text;
    bool const one_operand = (match_of(op) >> 28U) >= 4 && op != feq_d && op != flt_d && op != fle_d;
    text.put(word_r(match_of(op), 5, 6, one_operand ? 0 : 7) | rm << 12U);
    text.put(word_i(code::csrrs, 8, 0, 1));
    text.put(code::ecall);
    bare_hart bare{make_executable(text.bytes(), {})};
    bare.h.f[6] = a;
    bare.h.f[7] = b;
    EXPECT_EQ(bare.run_to_stop(), stop::ecall) << name_of(op);
    EXPECT_EQ(writes_integer(op) ? bare.h.x[5] : bare.h.f[5], wanted)
        << name_of(op) << std::hex << ' ' << a << ' ' << b;
    EXPECT_EQ(bare.h.x[8], flags) << name_of(op) << std::hex << ' ' << a << ' ' << b;
  }
}

TEST(rv64fd, refuses_reserved_rounding_modes) {
  for (unsigned const rm : {5U, 6U, 7U}) {
    code_buffer text;
    text.put(word_i(code::csrrwi, 0, 5, 2));  // frm = 5: reserved, which dynamic rounding then is, too
    text.put(word_r(match_of(fadd_d), 5, 6, 7) | rm << 12U);
    text.put(code::ecall);
    bare_hart bare{make_executable(text.bytes(), {})};
    EXPECT_EQ(bare.run_to_stop(), stop::illegal) << rm;
  }
}

TEST(rv64fd, leaves_the_simulators_own_arithmetic_alone) {
  code_buffer text;
  text.put(word_i(code::csrrwi, 0, rup, 2));
  text.put(word_r(match_of(fdiv_d), 5, 6, 7) | 7U << 12U);
  text.put(code::ecall);
  bare_hart bare{make_executable(text.bytes(), {})};
  bare.h.f[6] = one64;
  bare.h.f[7] = std::bit_cast<std::uint64_t>(3.0);
  ASSERT_EQ(bare.run_to_stop(), stop::ecall);
  EXPECT_EQ(bare.h.f[5], std::bit_cast<std::uint64_t>(1.0 / 3) + 1);
  double const volatile one = 1, three = 3;
  EXPECT_EQ(one / three, 1.0 / 3) << "the host rounds to nearest again";
}

}  // namespace
}  // namespace tess::machine
