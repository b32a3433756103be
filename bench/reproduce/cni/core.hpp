// core: the interface of a core to the parallel algorithms of CNI's evaluation: scratchpad, exchange, barrier and
// clock.
//
//   Every core runs the same code on its own block and exchanges parts of it with peers. On the simulated machine, a
//   core is a tile with cache-integrated network interface (tile_core.hpp); in tests, a thread.
//
// Shapes    scratchpad: data_bytes with the same layout on every core; a sender passes the address in its own
//           scratchpad.
// Units     cycles of one clock that all cores share; bytes.
// Threads   a core is used by its own thread only.
// Source    CNI (IJPP 2012), section on the evaluation of applications.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "kernels/random_word.hpp"

namespace cni {

inline constexpr std::uint64_t data_bytes = 32768;  ///< of each scratchpad, for blocks
inline constexpr unsigned channels_max = 4;

/// Two peers send each other `bytes` bytes by channels of the same number, once between two barriers.
struct exchange {
  unsigned channel = 0;
  unsigned peer = 0;
  std::uint64_t bytes = 0;
};

template <class Core>
concept core = requires(Core& own, exchange const& with, void* to, void const* from) {
  { own.number() } -> std::same_as<unsigned>;
  { own.cores() } -> std::same_as<unsigned>;
  { own.scratchpad() } -> std::same_as<std::byte*>;
  own.announce(with);        // before the barrier that precedes the exchange; valid until the next announcement
  own.send(with, to, from);  // begins; `to` in this scratchpad corresponds to the destination in the peer's
  own.wait(with);            // until the sent block may be overwritten and the peer's has arrived
  own.barrier();
  { own.cycle() } -> std::same_as<std::uint64_t>;
};

/// Times of one run on one core; the remaining time is computing.
struct spent {
  std::uint64_t begin = 0;  // cycle
  std::uint64_t end = 0;    // cycle
  std::uint64_t sending = 0;
  std::uint64_t waiting = 0;
};

/// Sends and waits, and adds up the time of each.
template <core Core>
void swap_with(Core& own, exchange const& with, void* to, void const* from, spent& time) {
  std::uint64_t const begun = own.cycle();
  own.send(with, to, from);
  std::uint64_t const sent = own.cycle();
  own.wait(with);
  time.sending += sent - begun;
  time.waiting += own.cycle() - sent;
}

/// Logarithm of a power of two.
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
/// The lowest `bits` bits in reverse order.
constexpr std::uint64_t reversed(std::uint64_t number, unsigned bits) noexcept {
  std::uint64_t turned = 0;
  for (unsigned i = 0; i < bits; ++i) turned |= ((number >> i) & 1U) << (bits - 1 - i);
  return turned;
}
/// A pseudo-random number by its index, the same on every core.
constexpr std::uint64_t mixed(std::uint64_t index) noexcept {
  return kernels::splitmix(0, index);
}

}  // namespace cni
