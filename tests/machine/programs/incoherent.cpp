// incoherent: tile 0 writes into its partition, and tile 1, which has read it before, reads it again, without range
// operations and with them; prints the values read. To be run as two copies, on two tiles.
//
// The tiles synchronise by words in the tile-local memory of tile 0, whose home performs all their accesses.
#include <cstdint>
#include <cstdio>
#include <tess/machine/needs_time.hpp>
#include <tess/machine/registers.hpp>

namespace {

namespace registers = tess::machine::registers;
namespace info = registers::information;
namespace ranges = registers::ranges;

std::uint64_t volatile& word(std::uint64_t address) {
  return *reinterpret_cast<std::uint64_t volatile*>(address);
}

std::uint64_t row_of(std::uint64_t program) {
  for (std::uint64_t tile = 0;; ++tile) {
    std::uint64_t const row = registers::own_devices + info::table + tile * info::row_bytes;
    if (word(row + info::row_program) == program + 1) return row;
  }
}

void fence() {
  asm volatile("fence" ::: "memory");
}

struct counter {
  std::uint64_t value = 1;
  std::uint64_t error = 0;
  std::uint64_t notify = 0;
  std::uint64_t cookie = 0;
};

/// One command of the range unit, and its end. The unit writes `told` last of all.
void command(std::uint64_t operation, std::uint64_t address, std::uint64_t bytes) {
  static std::uint64_t told;
  word(reinterpret_cast<std::uint64_t>(&told)) = 0;
  counter done;
  done.notify = reinterpret_cast<std::uint64_t>(&told);
  done.cookie = address + operation;
  std::uint64_t const window = registers::own_devices +
                               registers::unit_bytes * static_cast<std::uint64_t>(registers::unit::ranges) +
                               registers::window_bytes * word(registers::own_devices + info::hart);
  word(window + ranges::bytes) = bytes;
  word(window + ranges::counter) = reinterpret_cast<std::uint64_t>(&done);
  word(window + ranges::operation) = operation;
  word(window + ranges::address) = address;
  fence();
  word(window + ranges::doorbell) = 1;
  if (word(window + ranges::doorbell) != ranges::accepted) std::puts("not accepted");
  while (word(reinterpret_cast<std::uint64_t>(&told)) != done.cookie) {
  }
  if (word(reinterpret_cast<std::uint64_t>(&done.value)) != 0) std::puts("not counted");
  fence();
}

}  // namespace

int main() {
  if (word(registers::own_devices + info::programs) != 2) return std::puts("needs two tiles"), 3;
  bool const writes = word(registers::own_devices + info::program) == 0;
  // Behind the program: at the end of the tile-local memory of the first tile.
  std::uint64_t const flags = word(row_of(0) + info::row_tlm) + word(row_of(0) + info::row_tlm_bytes) - 4096;
  std::uint64_t const data = word(row_of(0) + info::row_partition) + 4096;
  auto const tell = [&](std::uint64_t step) {
    fence();
    word(flags + 8 * step) = 1;
  };
  auto const hear = [&](std::uint64_t step) {
    while (word(flags + 8 * step) != 1) asm volatile("nop");
    fence();
  };
  constexpr std::uint64_t bytes = 256;
  if (writes) {
    word(data) = 1;
    command(ranges::write_back, data, bytes);
    tell(0);
    hear(1);  // the other tile has the line
    word(data) = 2;
    tell(2);
    hear(3);
    command(ranges::write_back, data, bytes);
    tell(4);
    return 0;
  }
  hear(0);
  std::printf("first %lu\n", word(data));
  tell(1);
  hear(2);
  std::printf("written, but neither written back nor invalidated: %lu\n", word(data));
  command(ranges::invalidate, data, bytes);
  std::printf("invalidated here: %lu\n", word(data));
  tell(3);
  hear(4);
  std::printf("written back there: %lu\n", word(data));
  command(ranges::invalidate, data, bytes);
  std::printf("and invalidated here: %lu\n", word(data));
}
