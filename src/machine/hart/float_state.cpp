// float_state: the rounding mode and sticky flags in the host's MXCSR, or through <cfenv> on other hosts.
#include "machine/hart/float_state.hpp"

#include <cfenv>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace tess::machine {
namespace {

#if defined(__SSE2__)

// MXCSR: flags in bits 0 to 5 (invalid, denormal, divide, overflow, underflow, inexact), all masked by bits 7 to 12,
// rounding in bits 13 and 14.
constexpr unsigned masked = 0x1f80;

unsigned mxcsr_of(std::uint8_t frm) noexcept {
  constexpr std::array<unsigned, 8> host{0, 3, 1, 2, 0, 0, 0, 0};
  return masked | host[frm & 7U] << 13U;
}

std::uint8_t host_flags() noexcept {
  unsigned const now = _mm_getcsr();
  return static_cast<std::uint8_t>((now >> 5U & 1U) | (now >> 3U & 2U) | (now >> 1U & 4U) | (now << 1U & 8U) |
                                   (now << 4U & 16U));
}

// Reading it is cheap, writing it is not.
void set_host(std::uint8_t frm) noexcept {
  unsigned const wanted = mxcsr_of(frm);
  if (_mm_getcsr() != wanted) _mm_setcsr(wanted);
}

#else

std::uint8_t host_flags() noexcept {
  int const now = std::fetestexcept(FE_ALL_EXCEPT);
  return static_cast<std::uint8_t>((now & FE_INEXACT ? flag_nx : 0) | (now & FE_UNDERFLOW ? flag_uf : 0) |
                                   (now & FE_OVERFLOW ? flag_of : 0) | (now & FE_DIVBYZERO ? flag_dz : 0) |
                                   (now & FE_INVALID ? flag_nv : 0));
}

void set_host(std::uint8_t frm) noexcept {
  constexpr std::array<int, 8> host{FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD,  FE_UPWARD,
                                    FE_TONEAREST, FE_TONEAREST,  FE_TONEAREST, FE_TONEAREST};
  std::feclearexcept(FE_ALL_EXCEPT);
  std::fesetround(host[frm & 7U]);
}

#endif

}  // namespace

#if defined(__SSE2__)

float_state::outer::outer() noexcept : register_(_mm_getcsr()) {}

float_state::outer::~outer() {
  _mm_setcsr(register_);
}

#else

float_state::outer::outer() noexcept {
  std::fegetenv(&register_);
}

float_state::outer::~outer() {
  std::fesetenv(&register_);
}

#endif

bool float_state::enter() noexcept {
  if (is_entered) return false;
  is_entered = true;
  take_mode();
  return true;
}

void float_state::give_back() noexcept {
  is_entered = false;
  host_rounds = {};
#if defined(__SSE2__)
  if (_mm_getcsr() == masked) return;  // nothing was inexact
#endif
  flags |= host_flags();
  set_host(rne);
}

std::uint8_t float_state::fflags() noexcept {
  if (is_entered) flags |= host_flags();
  return flags;
}

void float_state::set(std::uint8_t new_frm, std::uint8_t new_flags) noexcept {
  frm = new_frm;
  flags = new_flags;
  if (is_entered) take_mode();
}

void float_state::take_mode() noexcept {
  for (std::uint8_t mode = 0; mode < 8; ++mode) host_rounds[mode] = mode == frm && mode <= rup;
  host_rounds[dyn] = frm <= rup;
  // A mode that the host lacks is set to nearest even here.
  host_rounds[rne] = frm == rne || frm > rup;
  set_host(frm);
}

}  // namespace tess::machine
