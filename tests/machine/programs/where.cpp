// where: prints the registers of the information unit: tile, hart, grid, and the map of all tiles.
#include <cstdint>
#include <cstdio>
#include <tess/machine/needs_time.hpp>
#include <tess/machine/registers.hpp>
#include <thread>

namespace {

namespace registers = tess::machine::registers;
namespace info = registers::information;

std::uint64_t at(std::uint64_t address) {
  return *reinterpret_cast<std::uint64_t volatile*>(address);
}

}  // namespace

int main() {
  std::uint64_t const own = registers::own_devices;
  std::printf("tile %lu of %lu x %lu, program %lu of %lu, harts %lu, %lu ps\n", at(own + info::tile),
              at(own + info::width), at(own + info::height), at(own + info::program), at(own + info::programs),
              at(own + info::harts), at(own + info::clock_ps));
  std::uint64_t second = 0;
  std::thread([&] { second = at(own + info::hart); }).join();
  std::printf("hart %lu and hart %lu\n", at(own + info::hart), second);
  std::uint64_t const tiles = at(own + info::width) * at(own + info::height);
  for (std::uint64_t tile = 0; tile < tiles; ++tile) {
    std::uint64_t const row = own + info::table + tile * info::row_bytes;
    // Its own registers, read from here, over the network: they name no hart.
    std::uint64_t const devices = at(row + info::row_devices);
    std::printf("%lu: program %lu, TLM 0x%lx, partition 0x%lx of 0x%lx, uncached 0x%lx, memory %lu, says %lu %lx\n",
                tile, at(row + info::row_program), at(row + info::row_tlm), at(row + info::row_partition),
                at(row + info::row_partition_bytes), at(row + info::row_uncached), at(row + info::row_memory_tile),
                at(devices + info::tile), at(devices + info::hart));
  }
}
