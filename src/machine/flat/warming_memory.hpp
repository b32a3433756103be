// warming_memory: the policy of flat_memory, which also tells the caches of the hart (warm_caches) what is accessed.
//
//   The hart's `memory` is its warm_hart.
//
// Threads   none.
#pragma once

#include "machine/flat/flat_memory.hpp"
#include "machine/flat/warm_caches.hpp"

namespace tess::machine {

struct warming_memory {
  static constexpr bool timed = false;
  static constexpr bool in_place_atomics = true;

  template <class T>
  [[gnu::always_inline]] static bool load(hart& h, inst const* i, std::byte* base, std::uint64_t address,
                                          T& value) noexcept {
    if (!flat_memory::load(h, i, base, address, value)) [[unlikely]]
      return false;
    of(h).loaded(address);
    return true;
  }
  template <class T>
  static bool load_slowly(hart& h, inst const* i, std::byte* base, std::uint64_t address, T& value) noexcept {
    if (!flat_memory::load_slowly(h, i, base, address, value)) return false;
    of(h).loaded(address);
    of(h).loaded(address + sizeof(T) - 1);
    return true;
  }
  template <class T>
  [[gnu::always_inline]] static bool store(hart& h, inst const* i, std::byte* base, std::uint64_t address,
                                           T value) noexcept {
    if (!flat_memory::store(h, i, base, address, value)) [[unlikely]]
      return false;
    of(h).stored(address);
    return true;
  }
  template <class T>
  static bool store_slowly(hart& h, inst const* i, std::byte* base, std::uint64_t address, T value) noexcept {
    if (!flat_memory::store_slowly(h, i, base, address, value)) return false;
    of(h).stored(address);
    of(h).stored(address + sizeof(T) - 1);
    return true;
  }
  static bool fetch(hart& h, inst const*, std::byte*, std::uint64_t address) noexcept {
    of(h).fetched(address);
    return true;
  }
  template <class T, stop Kind>
  static bool atomic(hart& h, std::byte* base, std::uint64_t& raw) noexcept {
    if (!flat_memory::atomic<T, Kind>(h, base, raw)) return false;
    of(h).changed(h.request.address);
    return true;
  }

 private:
  static warm_hart& of(hart& h) noexcept { return *static_cast<warm_hart*>(h.memory); }
};

}  // namespace tess::machine
