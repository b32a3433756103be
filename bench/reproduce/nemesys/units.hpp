// units: blocking commands to the accelerators of the simulated machine, with their durations.
//
// Units     cycles of the tile's clock; addresses of the machine's memory map.
// Errors    a command that is refused is reported and ends the program.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <tess/machine/needs_time.hpp>
#include <tess/machine/registers.hpp>

namespace bench::nemesys {

namespace registers = tess::machine::registers;

inline std::uint64_t volatile& word(std::uint64_t address) {
  return *reinterpret_cast<std::uint64_t volatile*>(address);
}
inline std::uint64_t information(std::uint64_t offset) {
  return word(registers::own_devices + offset);
}
/// A field of this tile's row in the table.
inline std::uint64_t own_row(std::uint64_t field) {
  namespace info = registers::information;
  return information(info::table + information(info::tile) * info::row_bytes + field);
}
inline std::uint64_t window(registers::unit of) {
  return registers::own_devices + registers::unit_bytes * static_cast<std::uint64_t>(of) +
         registers::window_bytes * information(registers::information::hart);
}
inline std::uint64_t cycle() {
  std::uint64_t now = 0;
  asm volatile("fence rw, rw\n rdcycle %0" : "=r"(now)::"memory");
  return now;
}

struct alignas(32) counter {
  std::uint64_t value = 1;
  std::uint64_t error = 0;
  std::uint64_t notify = 0;
  std::uint64_t cookie = 0;
};

/// Outcome of a command.
struct ended {
  std::uint64_t cycles = 0;  ///< from the doorbell until the counter was seen to be zero
  registers::graph_fault error = registers::graph_fault::none;
};

inline ended await(counter& completion, std::uint64_t doorbell) {
  std::uint64_t const begun = cycle();
  word(doorbell) = 1;
  if (word(doorbell) == static_cast<std::uint64_t>(registers::command_status::wrong)) {
    std::fputs("nemesys-copies: a command was refused; does this machine have the accelerators?\n", stderr);
    std::exit(1);
  }
  // Sleeps until the counter is written; a polling hart would see it up to one quantum later.
  for (;;) {
    std::uint64_t value = 0;
    asm volatile("lr.d %0, (%1)" : "=r"(value) : "r"(&completion.value) : "memory");
    if (value == 0) break;
    asm volatile(".4byte 0x00d00073" ::: "memory");  // wrs.nto
  }
  return {cycle() - begun,
          static_cast<registers::graph_fault>(word(reinterpret_cast<std::uint64_t>(&completion.error)))};
}

inline ended range(std::uint64_t operation, std::uint64_t address, std::uint64_t bytes) {
  namespace of = registers::ranges;
  counter completion;
  std::uint64_t const to = window(registers::unit::ranges);
  word(to + of::operation) = operation;
  word(to + of::address) = address;
  word(to + of::bytes) = bytes;
  word(to + of::counter) = reinterpret_cast<std::uint64_t>(&completion);
  word(to + of::trigger) = 0;
  return await(completion, to + of::doorbell);
}

struct measured {
  ended how;
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;
};

/// The NCA: writes the graph back to memory.
inline measured write_back(std::uint64_t root) {
  namespace of = registers::nca;
  static counter completion;
  alignas(32) static std::uint64_t metadata[4];
  completion = {};
  std::uint64_t const to = window(registers::unit::nca);
  word(to + of::root) = root;
  word(to + of::metadata) = reinterpret_cast<std::uint64_t>(metadata);
  word(to + of::remote) = 0;
  word(to + of::dispatch) = of::dispatch_of(sizeof metadata);
  word(to + of::counter) = reinterpret_cast<std::uint64_t>(&completion);
  ended const how = await(completion, to + of::doorbell);
  return {how, word(reinterpret_cast<std::uint64_t>(metadata)), word(reinterpret_cast<std::uint64_t>(metadata + 1))};
}

/// The NMA of this tile's memory: copies a graph of this tile's partition into a chunk of that memory.
inline ended copy(std::uint64_t root, std::uint64_t chunk, std::uint64_t bytes, std::uint64_t first,
                  std::uint64_t objects, registers::nma::map_code map) {
  namespace of = registers::nma;
  static counter completion;
  completion = {};
  std::uint64_t const to = window(registers::unit::nma);
  word(to + of::root) = root;
  word(to + of::destination) = chunk;
  word(to + of::room) = bytes | first << of::room_bits;
  word(to + of::final_address) = 0;
  word(to + of::shape) = of::shape_of(objects, information(registers::information::tile), map);
  word(to + of::task) = 0;
  word(to + of::counter) = reinterpret_cast<std::uint64_t>(&completion);
  return await(completion, to + of::doorbell);
}

}  // namespace bench::nemesys
