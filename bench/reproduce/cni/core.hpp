// core: what the parallel algorithms of CNI's evaluation need of a core: a scratchpad, its peers, a barrier and time.
//
//   Every core runs the same code on its own block and exchanges parts of it with partners. On the simulated machine a
//   core is a tile with cache-integrated network interface (tile_core.hpp); tests make it of threads.
//
// Shapes    scratchpad: data_bytes, the same places on every core; whoever sends names the own address of a place.
// Units     cycles of one clock that all cores share; bytes.
// Threads   a core is its thread's.
// Source    CNI (IJPP 2012), section on the evaluation of applications.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace cni {

inline constexpr std::uint64_t data_bytes = 32768;  ///< Of each scratchpad, for blocks.
inline constexpr unsigned channels_max = 4;

/// Two partners send each other so many bytes by channels of the same number, once between two barriers.
struct exchange {
  unsigned channel = 0;
  unsigned partner = 0;
  std::uint64_t bytes = 0;
};

template <class Core>
concept core = requires(Core& own, exchange const& with, void* to, void const* from) {
  { own.number() } -> std::same_as<unsigned>;
  { own.cores() } -> std::same_as<unsigned>;
  { own.scratchpad() } -> std::same_as<std::byte*>;
  own.announce(with);        // before the barrier after which it takes place; holds until announced otherwise
  own.send(with, to, from);  // begins; `to` is the place in the own scratchpad that it has in the partner's
  own.wait(with);            // until what was sent may be overwritten and the partner's bytes are here
  own.barrier();
  { own.cycle() } -> std::same_as<std::uint64_t>;
};

/// Where the time of one run on one core went; what is not here is computing.
struct spent {
  std::uint64_t begin = 0;  // cycle
  std::uint64_t end = 0;    // cycle
  std::uint64_t sending = 0;
  std::uint64_t waiting = 0;
};

/// Sends and waits, and counts the time of both apart.
template <core Core>
void swap_with(Core& own, exchange const& with, void* to, void const* from, spent& time) {
  std::uint64_t const begun = own.cycle();
  own.send(with, to, from);
  std::uint64_t const sent = own.cycle();
  own.wait(with);
  time.sending += sent - begun;
  time.waiting += own.cycle() - sent;
}

/// Of a power of two.
constexpr unsigned log2_of(std::uint64_t power) noexcept {
  unsigned bits = 0;
  while (power > 1) {
    power >>= 1U;
    ++bits;
  }
  return bits;
}
constexpr bool is_power(std::uint64_t number) noexcept {
  return number != 0 && (number & (number - 1)) == 0;
}
/// The lowest `bits` bits in the opposite order.
constexpr std::uint64_t reversed(std::uint64_t number, unsigned bits) noexcept {
  std::uint64_t turned = 0;
  for (unsigned i = 0; i < bits; ++i) turned |= ((number >> i) & 1U) << (bits - 1 - i);
  return turned;
}
/// A stream of numbers that every core can make again.
constexpr std::uint64_t mixed(std::uint64_t index) noexcept {
  std::uint64_t value = (index + 1) * 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

}  // namespace cni
