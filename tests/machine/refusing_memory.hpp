// refusing_memory: a memory policy with time that serves no access: every access stops the hart, every line must be
// fetched.
//
//   A machine with time behaves like this at its slowest; the tests compare it with flat_memory.
#pragma once

#include <array>

#include "machine/hart/engine.hpp"

namespace tess::machine {

struct refusing_memory {
  static constexpr bool timed = true;
  static constexpr bool in_place_atomics = false;

  // The lines that are present, the newest first: `fast` points to them. Others must be requested again.
  using lines = std::array<std::uint64_t, 2>;

  template <class T>
  static bool load(hart&, inst const*, std::byte*, std::uint64_t, T&) noexcept {
    return false;
  }
  template <class T>
  static bool load_slowly(hart&, inst const*, std::byte*, std::uint64_t, T&) noexcept {
    return false;
  }
  template <class T>
  static bool store(hart&, inst const*, std::byte*, std::uint64_t, T) noexcept {
    return false;
  }
  template <class T>
  static bool store_slowly(hart&, inst const*, std::byte*, std::uint64_t, T) noexcept {
    return false;
  }
  static bool fetch(hart&, inst const*, std::byte* fast, std::uint64_t line) noexcept {
    auto const& present = *reinterpret_cast<lines const*>(fast);
    return present[0] == line || present[1] == line;
  }
};

extern template struct engine<refusing_memory>;

}  // namespace tess::machine
