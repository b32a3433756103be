// word_costs: cycles of an atomic on a word of another tile's partition, one at a time, by three mechanisms.
//
//   word_costs TILE...
//
//   Prints for each tile: its number; eamoadd.d; amoadd.d at the word's global address; the adapter's compare-and-swap,
//   from the first store to its window until its status reports the end. The line is in the home's L2.
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <tess/machine/needs_time.hpp>

#include "tiles.hpp"

namespace {

namespace registers = tiles::registers;
namespace info = tiles::info;
namespace adapter = registers::adapter;
namespace xbgas = tiles::xbgas;
using tiles::own_register;

std::uint64_t cycle() {
  std::uint64_t now = 0;
  asm volatile("rdcycle %0" : "=r"(now)::"memory");
  return now;
}

/// Mean of several calls, after warm-up calls.
template <class Operation>
std::uint64_t cycles_of(Operation operation) {
  constexpr int rounds = 64;
  for (int i = 0; i < rounds / 4; ++i) operation();
  std::uint64_t const begin = cycle();
  for (int i = 0; i < rounds; ++i) operation();
  return (cycle() - begin) / rounds;
}

void compare_swap(std::uint64_t address) {
  std::uint64_t const window = registers::unit_bytes * static_cast<std::uint64_t>(registers::unit::adapter) +
                               registers::window_bytes * own_register(info::hart);
  own_register(window + adapter::operation) = adapter::compare_swap;
  own_register(window + adapter::address) = address;
  own_register(window + adapter::bytes) = sizeof(std::uint64_t);
  own_register(window + adapter::operand) = 1;
  own_register(window + adapter::expected) = 1;
  own_register(window + adapter::counter) = 0;
  own_register(window + adapter::doorbell) = 1;
  while (own_register(window + adapter::doorbell) != static_cast<std::uint64_t>(registers::command_status::idle)) {
  }
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) {
    std::fputs("word_costs: expected the numbers of tiles\n", stderr);
    return 2;
  }
  for (int i = 1; i < count; ++i) {
    std::uint64_t tile = 0;
    std::from_chars(words[i], words[i] + std::strlen(words[i]), tile);
    std::uint64_t const address = own_register(info::table + tile * info::row_bytes + info::row_partition) + 4096;
    xbgas::fill(1, tile);
    auto* const word = reinterpret_cast<std::uint64_t*>(address);
    std::uint64_t const extended = cycles_of([&] { (void)xbgas::fetch_add(1, word, 1); });
    std::uint64_t const flat = cycles_of([&] { asm volatile("amoadd.d.aqrl zero, %0, (%1)" ::"r"(1), "r"(word)); });
    std::uint64_t const swap = cycles_of([&] { compare_swap(address); });
    std::printf("%lu %lu %lu %lu\n", tile, extended, flat, swap);
  }
}
