// refusing_memory: a policy with time that does nothing itself: every access stops the hart, every line must be
// fetched.
//
//   What a machine with time does at its slowest; the tests hold it against flat_memory.
#pragma once

#include <array>

#include "machine/hart/engine.hpp"

namespace tess::machine {

struct refusing_memory {
  static constexpr bool timed = true;
  static constexpr bool in_place_atomics = false;

  // The lines that are there, the newest first: `fast` points to them. Others must be asked for again.
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
