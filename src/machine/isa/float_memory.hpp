// float_memory: loads and stores of floating-point registers: whole bits, singles NaN-boxed.
#pragma once

#include "machine/hart/handlers.hpp"

namespace tess::machine {

template <class Policy>
struct float_memory : flow<Policy> {
  using flow<Policy>::leave;

  static void set(hart& h, inst const* i, std::uint64_t value) noexcept { h.f[i->rd] = value; }
  static void set(hart& h, inst const* i, std::uint32_t value) noexcept { h.f[i->rd] = value | 0xffffffff00000000U; }

  template <class T>
  INSTRUCTION(load_slowly) {
    T value;
    std::uint64_t const from = address(h, i);
    if (Policy::template load_slowly<T>(h, i, memory, from, value)) {
      set(h, i, value);
      NEXT;
    }
    stop const why = h.stopped == stop::none ? stop::load : h.stopped;
    h.request.address = from;
    h.request.bytes = sizeof(T);
    h.request.rd = i->rd;
    h.request.to = destination::f_boxed;
    leave(h, i, why);
  }
  template <class T>
  INSTRUCTION(load) {
    T value;
    if (!Policy::template load<T>(h, i, memory, address(h, i), value)) [[unlikely]]
      GO_TO(load_slowly<T>);
    set(h, i, value);
    NEXT;
  }

  template <class T>
  INSTRUCTION(store_slowly) {
    std::uint64_t const to = address(h, i);
    T const value = static_cast<T>(h.f[i->rs2]);
    if (Policy::template store_slowly<T>(h, i, memory, to, value)) {
      NEXT;
    }
    stop const why = h.stopped == stop::none ? stop::store : h.stopped;
    h.request.address = to;
    h.request.operand = value;
    h.request.bytes = sizeof(T);
    leave(h, i, why);
  }
  template <class T>
  INSTRUCTION(store) {
    if (!Policy::template store<T>(h, i, memory, address(h, i), static_cast<T>(h.f[i->rs2]))) [[unlikely]]
      GO_TO(store_slowly<T>);
    NEXT;
  }
};

}  // namespace tess::machine
