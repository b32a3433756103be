// float_state: fcsr, held so that the host's floating-point unit uses it.
//
//   From the first arithmetic instruction of a run() to the end of it, the host's rounding mode is the hart's, and
//   exceptions collect in the host's sticky flags: both architectures have the same five. RISC-V's fifth mode, RMM, has
//   no counterpart and is computed by soft_float. The simulator's own arithmetic never uses a guest's mode. Most runs
//   are short, and compute with integers only: then the host's register is not even read.
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
  bool is_entered = false;
  std::array<bool, 8> host_rounds{};  // by an instruction's rm: is this the host's current rounding mode?

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

  // Before the host computes for the hart. False: it has been entered before.
  bool enter() noexcept;
  // The end of every run.
  void leave() noexcept {
    if (is_entered) give_back();
  }
  [[nodiscard]] std::uint8_t fflags() noexcept;
  void set(std::uint8_t new_frm, std::uint8_t new_flags) noexcept;

 private:
  void take_mode() noexcept;
  void give_back() noexcept;
};

}  // namespace tess::machine
