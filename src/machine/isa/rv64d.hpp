// rv64d: double-precision instructions, one function each, in the manual's order.
//
// Source    RISC-V Unprivileged ISA 20191213, chapter 12.
#pragma once

#include "machine/isa/float_memory.hpp"
#include "machine/isa/float_ops.hpp"

namespace tess::machine {

template <class Policy>
struct rv64d : float_ops<Policy> {
  using base = float_ops<Policy>;

  INSTRUCTION(fld) { GO_TO((float_memory<Policy>::template load<std::uint64_t>)); }
  INSTRUCTION(fsd) { GO_TO((float_memory<Policy>::template store<std::uint64_t>)); }
  INSTRUCTION(fmadd_d) { GO_TO((base::template fused<double, false, false>)); }
  INSTRUCTION(fmsub_d) { GO_TO((base::template fused<double, false, true>)); }
  INSTRUCTION(fnmsub_d) { GO_TO((base::template fused<double, true, false>)); }
  INSTRUCTION(fnmadd_d) { GO_TO((base::template fused<double, true, true>)); }
  INSTRUCTION(fadd_d) { GO_TO((base::template binary<double, addition<double>>)); }
  INSTRUCTION(fsub_d) { GO_TO((base::template binary<double, subtraction<double>>)); }
  INSTRUCTION(fmul_d) { GO_TO((base::template binary<double, multiplication<double>>)); }
  INSTRUCTION(fdiv_d) { GO_TO((base::template binary<double, division<double>>)); }
  INSTRUCTION(fsqrt_d) { GO_TO(base::template square_root<double>); }
  INSTRUCTION(fsgnj_d) { GO_TO((base::template inject_sign<double, base::sign_from::copy>)); }
  INSTRUCTION(fsgnjn_d) { GO_TO((base::template inject_sign<double, base::sign_from::negate>)); }
  INSTRUCTION(fsgnjx_d) { GO_TO((base::template inject_sign<double, base::sign_from::exclusive_or>)); }
  INSTRUCTION(fmin_d) { GO_TO((base::template extreme<double, false>)); }
  INSTRUCTION(fmax_d) { GO_TO((base::template extreme<double, true>)); }
  INSTRUCTION(fcvt_s_d) { GO_TO((base::template convert<float, double>)); }
  INSTRUCTION(fcvt_d_s) { GO_TO((base::template convert<double, float>)); }
  INSTRUCTION(feq_d) { GO_TO((base::template compare<double, base::relation::equal>)); }
  INSTRUCTION(flt_d) { GO_TO((base::template compare<double, base::relation::less>)); }
  INSTRUCTION(fle_d) { GO_TO((base::template compare<double, base::relation::less_or_equal>)); }
  INSTRUCTION(fclass_d) { GO_TO(base::template classify<double>); }
  INSTRUCTION(fcvt_w_d) { GO_TO((base::template to_integer<double, std::int32_t>)); }
  INSTRUCTION(fcvt_wu_d) { GO_TO((base::template to_integer<double, std::uint32_t>)); }
  INSTRUCTION(fcvt_d_w) { GO_TO((base::template from_integer<double, std::int32_t>)); }
  INSTRUCTION(fcvt_d_wu) { GO_TO((base::template from_integer<double, std::uint32_t>)); }
  INSTRUCTION(fcvt_l_d) { GO_TO((base::template to_integer<double, std::int64_t>)); }
  INSTRUCTION(fcvt_lu_d) { GO_TO((base::template to_integer<double, std::uint64_t>)); }
  INSTRUCTION(fmv_x_d) {
    set_rd(h, i, h.f[i->rs1]);
    NEXT;
  }
  INSTRUCTION(fcvt_d_l) { GO_TO((base::template from_integer<double, std::int64_t>)); }
  INSTRUCTION(fcvt_d_lu) { GO_TO((base::template from_integer<double, std::uint64_t>)); }
  INSTRUCTION(fmv_d_x) {
    h.f[i->rd] = rs1(h, i);
    NEXT;
  }
};

}  // namespace tess::machine
