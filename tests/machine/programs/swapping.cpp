// swapping: all copies add to words of the first one by the adapter's compare-and-swap, of 8 and of 4 bytes, in its
// tile-local memory and in its partition; then one copies a block by DMA. The first argument is the number of additions
// of each copy. The last copy prints the sums, and the status of invalid commands.
#include <charconv>
#include <cstdio>
#include <cstring>
#include <initializer_list>

#include "tile.hpp"

namespace {

using tile::word;
namespace registers = tile::registers;
namespace adapter = registers::adapter;

struct counter {
  std::uint64_t volatile value = 1;
  std::uint64_t volatile error = 0;
  std::uint64_t volatile notify = 0;
  std::uint64_t volatile cookie = 0;
};

/// The status at the end.
std::uint64_t command(std::uint64_t operation, std::uint64_t address, std::uint64_t bytes, std::uint64_t operand,
                      std::uint64_t expected = 0) {
  std::uint64_t const window = tile::window(registers::unit::adapter);
  counter done;
  word(window + adapter::operation) = operation;
  word(window + adapter::address) = address;
  word(window + adapter::bytes) = bytes;
  word(window + adapter::operand) = operand;
  word(window + adapter::expected) = expected;
  word(window + adapter::counter) = reinterpret_cast<std::uint64_t>(&done);
  tile::fence();
  word(window + adapter::doorbell) = 1;
  auto const status = [&] { return word(window + adapter::doorbell); };
  if (status() == static_cast<std::uint64_t>(registers::command_status::wrong)) return status();
  while (done.value != 0) {
  }
  if ((done.error != 0) != (status() != 0)) std::puts("counter and doorbell differ");
  return status();
}

void add_by_swaps(std::uint64_t address, std::uint64_t bytes, std::uint64_t times) {
  std::uint64_t seen = 0;
  for (std::uint64_t i = 0; i < times; ++i) {
    for (;;) {
      if (command(adapter::compare_swap, address, bytes, seen + 3, seen) != 0) std::puts("a swap went wrong");
      std::uint64_t const found = word(tile::window(registers::unit::adapter) + adapter::result);
      bool const swapped = found == seen;
      seen = swapped ? seen + 3 : found;
      if (swapped) break;
    }
  }
}

}  // namespace

int main(int count, char** words) {
  std::uint64_t times = 0;
  if (count > 1) std::from_chars(words[1], words[1] + std::strlen(words[1]), times);
  std::uint64_t const programs = tile::information(tile::info::programs);
  std::uint64_t const home = tile::of_program(0);
  std::uint64_t const tlm = tile::end_of_tlm(home, 4096);
  std::uint64_t const partition = tile::row(home, tile::info::row_partition) + 4096;
  tile::meeting all(tlm + 1024);
  all.wait();
  for (std::uint64_t const address : {tlm, partition}) {
    add_by_swaps(address, 8, times);
    add_by_swaps(address + 32, 4, times);
  }
  all.wait();
  if (tile::information(tile::info::program) + 1 != programs) return 0;
  for (std::uint64_t const address : {tlm, partition})
    std::printf("%lu %lu\n", tile::add(address, 0), tile::add(address + 32, 0));
  // From the partition of the first, behind its L2, to our own memory.
  std::uint64_t const own = tile::end_of_tlm(tile::information(tile::info::tile), 8192);
  std::uint64_t const source = partition + 4096;
  std::uint64_t const uncached = tile::row(home, tile::info::row_uncached) + 8192;
  for (std::uint64_t i = 0; i < 64; ++i) word(own + 8 * i) = i * i;
  std::uint64_t const there = command(adapter::copy, own, 512, source);
  for (std::uint64_t i = 0; i < 64; ++i) word(own + 8 * i) = 0;
  std::uint64_t const back = command(adapter::copy, source, 512, own);
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < 64; ++i) wrong += word(own + 8 * i) != i * i;
  std::printf("copies %lu %lu, %lu words wrong, %lu there\n", there, back, wrong, word(uncached + 8 * 63));
  std::printf("refused: %lu %lu %lu %lu %lu\n", command(0, tlm, 8, 0), command(adapter::compare_swap, tlm + 4, 8, 0),
              command(adapter::compare_swap, ~std::uint64_t{7}, 8, 0), command(adapter::copy, own, 24, source),
              command(adapter::copy, own, 512, registers::own_devices));
}
