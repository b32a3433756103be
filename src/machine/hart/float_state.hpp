// float_state: fcsr, held so that the host's floating-point unit uses it.
//
//   While a hart runs, the host's rounding mode is the hart's, and exceptions collect in the host's sticky flags: both
//   architectures have the same five. RISC-V's fifth mode, RMM, has no counterpart and is computed by soft_float.
//   enter() and leave() bracket every run(), so the simulator's own arithmetic never uses a guest's mode.
//
// Source    RISC-V Unprivileged ISA 20191213, 11.2; IEEE 754-2008.
#pragma once

#include <array>
#if !defined(__SSE2__)
#include <cfenv>
#endif
#include <cstdint>

namespace tess::machine {

enum rounding : std::uint8_t { rne = 0, rtz = 1, rdn = 2, rup = 3, rmm = 4, dyn = 7 };
enum float_flag : std::uint8_t { flag_nx = 1, flag_uf = 2, flag_of = 4, flag_dz = 8, flag_nv = 16 };

struct float_state {
  std::uint8_t frm = 0;
  std::uint8_t flags = 0;  // collected so far, without those still in the host's register
  std::array<bool, 8> host_rounds{1, 0, 0, 0,
                                  0, 0, 0, 1};  // by an instruction's rm: is this the host's current rounding mode?

  /// The host's register, kept while another hart runs in the middle of this one's run.
  class outer {
   public:
    outer() noexcept;
    ~outer();
    outer(outer const&) = delete;
    outer& operator=(outer const&) = delete;

   private:
#if defined(__SSE2__)
    unsigned register_;
#else
    std::fenv_t register_;
#endif
  };

  void enter() const noexcept;
  void leave() noexcept;
  // Only between enter() and leave().
  [[nodiscard]] std::uint8_t fflags() noexcept;
  void set(std::uint8_t new_frm, std::uint8_t new_flags) noexcept;
};

}  // namespace tess::machine
