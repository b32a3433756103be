// cluster: a bare program's view of its own cluster on a machine with clusters: number, memories, time, sleep and
// counters.
//
//   For programs without the runtime. registers.hpp has the registers; mailbox.hpp and portal.hpp build on this.
//
// Units     cycles of the clusters' common clock; addresses of the machine's map.
// Threads   any.
// Source    docs/machine/machine.md, "Clusters".
#pragma once

#include <cstddef>
#include <cstdint>
#include <tess/machine/needs_time.hpp>
#include <tess/machine/registers.hpp>

namespace tess::machine::cluster {

/// The register at an address.
inline std::uint64_t volatile& word(std::uint64_t address) {
  return *reinterpret_cast<std::uint64_t volatile*>(address);
}
/// A field of the information unit.
inline std::uint64_t information(std::uint64_t offset) {
  return word(registers::own_devices + offset);
}
/// Number of this cluster, which is that of its tile.
inline std::uint64_t own_number() {
  return information(registers::information::tile);
}
/// Number of clusters.
inline std::uint64_t count() {
  return information(registers::information::width) * information(registers::information::height);
}
/// A field of a cluster's row in the tile table.
inline std::uint64_t row(std::uint64_t number, std::uint64_t field) {
  return information(registers::information::table + number * registers::information::row_bytes + field);
}
/// Whether the cluster has DDR of its own.
inline bool has_memory(std::uint64_t number) {
  return row(number, registers::information::row_partition_bytes) != 0;
}
inline std::uint64_t unit_address(registers::unit of) {
  return registers::own_devices + registers::unit_bytes * static_cast<std::uint64_t>(of);
}
/// The window of this hart at a unit.
inline std::uint64_t window(registers::unit of) {
  return unit_address(of) + registers::window_bytes * information(registers::information::hart);
}
/// The global address of a byte of this cluster's own memory.
inline std::uint64_t global_name(void const* own) {
  return row(own_number(), registers::information::row_tlm) + reinterpret_cast<std::uint64_t>(own);
}
/// Orders all earlier stores before later accesses to units.
inline void fence() {
  asm volatile("fence rw, rw" ::: "memory");
}
inline std::uint64_t cycle() {
  std::uint64_t now = 0;
  asm volatile("fence rw, rw\n rdcycle %0" : "=r"(now)::"memory");
  return now;
}

/// Sleeps until the word is written, unless `there` returns true: then the awaited event has happened already.
template <class Condition>
void sleep_on(std::uint64_t& own_word, Condition there) {
  std::uint64_t seen = 0;
  asm volatile("lr.d %0, (%1)" : "=r"(seen) : "r"(&own_word) : "memory");
  if (!there()) asm volatile(".4byte 0x00d00073" ::: "memory");  // wrs.nto
}

/// A counter that a unit decrements when a command has ended.
struct alignas(32) counter {
  std::uint64_t value = 1;
  std::uint64_t error = 0;
  std::uint64_t notify = 0;
  std::uint64_t cookie = 0;

  /// Sleeps until it is zero. False: the command ended with an error.
  [[nodiscard]] bool wait() {
    auto const ended = [this] { return *const_cast<std::uint64_t volatile*>(&value) == 0; };
    while (!ended()) sleep_on(value, ended);
    fence();
    return error == 0;
  }
};

}  // namespace tess::machine::cluster
