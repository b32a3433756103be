// guest_registers: which registers of the program are in the host's within a block, and which have changed there.
//
//   Those that a block names most have a register of the host, the same one in the whole block; the others stay in the
//   hart, as all do outside of blocks. In a straight block each is loaded where it is first read. In a loop all are
//   loaded before it, as it begins again without them being stored.
//
//   The host's registers are those that a handler gets its arguments in, and others that it may change: see
//   TESS_HANDLER_CALL (inst.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "machine/hart/hart.hpp"
#include "machine/translate/assembler.hpp"

namespace tess::machine {

namespace host {
using enum host_register;
inline constexpr host_register scratch = rax;  // these two are never given to registers of the program
inline constexpr host_register second = rcx;
#if __has_feature(address_sanitizer)
inline constexpr host_register hart = rdi;
inline constexpr host_register slot = rsi;
inline constexpr host_register memory = rdx;
inline constexpr host_register left = r11;
inline constexpr host_register kept = r10;  // has rdx while that is needed
inline constexpr std::array homes{r8, r9};
inline constexpr std::size_t homes_beside_slot = homes.size();
inline constexpr bool calls_functions = false;  // they would not keep these
#else
inline constexpr host_register hart = r12;
inline constexpr host_register slot = r13;
inline constexpr host_register memory = r14;
inline constexpr host_register left = r15;  // in loops only
inline constexpr host_register kept = rdx;
inline constexpr std::array homes{rbx, rsi, rdi, r8, r9, r10, r11, r13};
inline constexpr std::size_t homes_beside_slot = homes.size() - 1;  // where `slot` is wanted within blocks, too
inline constexpr bool calls_functions = true;                       // of C++, which keep hart, memory and left
#endif
}  // namespace host

class guest_registers {
 public:
  using reg = host_register;
  using counts = std::array<unsigned, 32>;
  using set = std::uint32_t;  // by number

  // `uses` says how often each is named, `written` which of them are changed anywhere in the block; `homes` is how many
  // registers of the host there are.
  guest_registers(assembler& code, counts uses, set written, bool loops, std::size_t homes) : code_(code) {
    home_.fill(none);
    uses[0] = 0;
    // In a straight block a register of the host saves nothing at a single use.
    unsigned const least = loops ? 1 : 2;
    for (reg const one : std::span(host::homes).first(homes)) {
      auto const most = std::ranges::max_element(uses);
      if (*most < least) break;
      auto const number = static_cast<std::size_t>(most - uses.begin());
      home_[number] = one;
      *most = 0;
      if (!loops) continue;
      code_.load(one, place(static_cast<unsigned>(number)));
      loaded_ |= set{1} << number;
    }
    if (loops) changed_ = loaded_ & written;
  }

  [[nodiscard]] static assembler::memory place(unsigned number) noexcept {
    return {.base = host::hart,
            .distance = static_cast<std::int32_t>(offsetof(hart, x) + sizeof(std::uint64_t) * number)};
  }

  // Where its value is now: `otherwise`, if it has no register here. Changes no flags unless it is x0.
  reg read(unsigned number, reg otherwise) {
    reg const home = home_[number];
    if (home == none) {
      read_into(otherwise, number);
      return otherwise;
    }
    if ((loaded_ >> number & 1U) == 0) {
      code_.load(home, place(number));
      loaded_ |= set{1} << number;
    }
    return home;
  }
  void read_into(reg to, unsigned number) {
    if (number == 0) return code_.move(to, std::uint64_t{0});
    if (home_[number] == none) return code_.load(to, place(number));
    code_.move(to, read(number, to));
  }

  // Where to compute its new value, while `source` is still needed.
  [[nodiscard]] reg target(unsigned number, reg source = none) const noexcept {
    reg const home = number == no_register ? none : home_[number];
    return home == none || home == source ? host::scratch : home;
  }
  // Its new value is there.
  void write(unsigned number, reg from) {
    if (number == no_register) return;
    if (home_[number] == none) return code_.store(place(number), from);
    code_.move(home_[number], from);
    loaded_ |= set{1} << number;
    changed_ |= set{1} << number;
  }

  [[nodiscard]] set changed() const noexcept { return changed_; }
  // Stores these; what is known here stays.
  void store(set which) {
    for (; which != 0; which &= which - 1) {
      auto const number = static_cast<unsigned>(std::countr_zero(which));
      code_.store(place(number), home_[number]);
    }
  }
  [[nodiscard]] set loaded() const noexcept { return loaded_; }
  // Loads these again.
  void load(set which) {
    for (; which != 0; which &= which - 1) {
      auto const number = static_cast<unsigned>(std::countr_zero(which));
      code_.load(home_[number], place(number));
    }
  }
  // All are in the hart only, from here on.
  void forget() noexcept { loaded_ = changed_ = 0; }

 private:
  static constexpr reg none = reg::rsp;

  assembler& code_;
  std::array<reg, 32> home_{};
  set loaded_ = 0;
  set changed_ = 0;
};

}  // namespace tess::machine
