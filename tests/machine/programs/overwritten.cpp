// overwritten: three copies fill a table in the memory of the first one's tile. The last one writes a row too many, on
// a word of the first, which finds that at the end, and traps.
#include "tile.hpp"

constexpr std::uint64_t rows = 8;
constexpr std::uint64_t sound = 0x5eed;

[[gnu::noinline]] void fill(std::uint64_t table, std::uint64_t number, std::uint64_t last) {
  for (std::uint64_t row = number; row <= last; row += 3) {
    tile::word(table + 8 * row) = number * 100 + row;
  }
}

[[gnu::noinline]] void check(std::uint64_t address) {
  if (tile::word(address) != sound) asm volatile("ebreak");
}

int main() {
  std::uint64_t const number = tile::information(tile::info::program);
  std::uint64_t const table = tile::end_of_tlm(tile::of_program(0), 4096);
  tile::meeting all(table + 512);
  if (number == 0) tile::word(table + 8 * rows) = sound;
  all.wait();
  fill(table, number, number == 2 ? rows : rows - 1);
  all.wait();
  if (number == 0) check(table + 8 * rows);
}
