// tile: common code of programs on several tiles: the device registers, the tile table, AMOs, and a barrier on one
// word.
#pragma once

#include <cstdint>
#include <tess/machine/needs_time.hpp>
#include <tess/machine/registers.hpp>

namespace tile {

namespace registers = tess::machine::registers;
namespace info = registers::information;

inline std::uint64_t volatile& word(std::uint64_t address) {
  return *reinterpret_cast<std::uint64_t volatile*>(address);
}
inline std::uint64_t information(std::uint64_t offset) {
  return word(registers::own_devices + offset);
}
/// A field of a tile's row in the table.
inline std::uint64_t row(std::uint64_t number, std::uint64_t field) {
  return information(info::table + number * info::row_bytes + field);
}
/// The tile that runs this copy of the program.
inline std::uint64_t of_program(std::uint64_t program) {
  std::uint64_t number = 0;
  while (row(number, info::row_program) != program + 1) ++number;
  return number;
}
/// The last bytes of a tile's own memory, behind every program.
inline std::uint64_t end_of_tlm(std::uint64_t number, std::uint64_t bytes) {
  return row(number, info::row_tlm) + row(number, info::row_tlm_bytes) - bytes;
}
/// The window of this hart at a unit of its tile.
inline std::uint64_t window(registers::unit of) {
  return registers::own_devices + registers::unit_bytes * static_cast<std::uint64_t>(of) +
         registers::window_bytes * information(info::hart);
}

inline void fence() {
  asm volatile("fence rw, rw" ::: "memory");
}
inline std::uint64_t add(std::uint64_t address, std::uint64_t number) {
  std::uint64_t before = 0;
  asm volatile("amoadd.d.aqrl %0, %1, (%2)" : "=r"(before) : "r"(number), "r"(address) : "memory");
  return before;
}

/// All copies leave it together; it needs two words, zero at first.
class meeting {
 public:
  explicit meeting(std::uint64_t address) : address_(address), all_(information(info::programs)) {}
  void wait() {
    if (add(address_, 1) + 1 == ++round_ * all_) {
      add(address_ + 8, 1);
    } else {
      while (add(address_ + 8, 0) < round_) {
      }
    }
  }

 private:
  std::uint64_t address_;
  std::uint64_t all_;
  std::uint64_t round_ = 0;
};

}  // namespace tile
