// rv64f: single-precision instructions, one function each, in the manual's order.
//
// Source    RISC-V Unprivileged ISA 20191213, chapter 11.
#pragma once

#include "machine/isa/float_memory.hpp"
#include "machine/isa/float_ops.hpp"

namespace tess::machine {

template <class Policy>
struct rv64f : float_ops<Policy> {
  using base = float_ops<Policy>;

  INSTRUCTION(flw) { GO_TO((float_memory<Policy>::template load<std::uint32_t>)); }
  INSTRUCTION(fsw) { GO_TO((float_memory<Policy>::template store<std::uint32_t>)); }
  INSTRUCTION(fmadd_s) { GO_TO((base::template fused<float, false, false>)); }
  INSTRUCTION(fmsub_s) { GO_TO((base::template fused<float, false, true>)); }
  INSTRUCTION(fnmsub_s) { GO_TO((base::template fused<float, true, false>)); }
  INSTRUCTION(fnmadd_s) { GO_TO((base::template fused<float, true, true>)); }
  INSTRUCTION(fadd_s) { GO_TO((base::template binary<float, addition<float>>)); }
  INSTRUCTION(fsub_s) { GO_TO((base::template binary<float, subtraction<float>>)); }
  INSTRUCTION(fmul_s) { GO_TO((base::template binary<float, multiplication<float>>)); }
  INSTRUCTION(fdiv_s) { GO_TO((base::template binary<float, division<float>>)); }
  INSTRUCTION(fsqrt_s) { GO_TO(base::template square_root<float>); }
  INSTRUCTION(fsgnj_s) { GO_TO((base::template inject_sign<float, base::sign_from::copy>)); }
  INSTRUCTION(fsgnjn_s) { GO_TO((base::template inject_sign<float, base::sign_from::negate>)); }
  INSTRUCTION(fsgnjx_s) { GO_TO((base::template inject_sign<float, base::sign_from::exclusive_or>)); }
  INSTRUCTION(fmin_s) { GO_TO((base::template extreme<float, false>)); }
  INSTRUCTION(fmax_s) { GO_TO((base::template extreme<float, true>)); }
  INSTRUCTION(fcvt_w_s) { GO_TO((base::template to_integer<float, std::int32_t>)); }
  INSTRUCTION(fcvt_wu_s) { GO_TO((base::template to_integer<float, std::uint32_t>)); }
  INSTRUCTION(fmv_x_w) {
    set_rd(h, i, extended(low(h.f[i->rs1])));
    NEXT;
  }
  INSTRUCTION(feq_s) { GO_TO((base::template compare<float, base::relation::equal>)); }
  INSTRUCTION(flt_s) { GO_TO((base::template compare<float, base::relation::less>)); }
  INSTRUCTION(fle_s) { GO_TO((base::template compare<float, base::relation::less_or_equal>)); }
  INSTRUCTION(fclass_s) { GO_TO(base::template classify<float>); }
  INSTRUCTION(fcvt_s_w) { GO_TO((base::template from_integer<float, std::int32_t>)); }
  INSTRUCTION(fcvt_s_wu) { GO_TO((base::template from_integer<float, std::uint32_t>)); }
  INSTRUCTION(fmv_w_x) {
    set_bits<float>(h, i->rd, low(rs1(h, i)));
    NEXT;
  }
  INSTRUCTION(fcvt_l_s) { GO_TO((base::template to_integer<float, std::int64_t>)); }
  INSTRUCTION(fcvt_lu_s) { GO_TO((base::template to_integer<float, std::uint64_t>)); }
  INSTRUCTION(fcvt_s_l) { GO_TO((base::template from_integer<float, std::int64_t>)); }
  INSTRUCTION(fcvt_s_lu) { GO_TO((base::template from_integer<float, std::uint64_t>)); }
};

}  // namespace tess::machine
