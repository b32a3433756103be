// adding: two tiles add to the same words, with AMOs: one in the tile-local memory of the first, one in its partition.
// The second copy prints both sums. The first word says how often each adds.
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <tess/machine/registers.hpp>
#include <thread>

namespace {

namespace registers = tess::machine::registers;
namespace info = registers::information;

std::uint64_t volatile& word(std::uint64_t address) {
  return *reinterpret_cast<std::uint64_t volatile*>(address);
}

std::uint64_t row_of(std::uint64_t program) {
  for (std::uint64_t tile = 0;; ++tile) {
    std::uint64_t const row = registers::own_devices + info::table + tile * info::row_bytes;
    if (word(row + info::row_program) == program + 1) return row;
  }
}

std::uint64_t add(std::uint64_t address, std::uint64_t number) {
  std::uint64_t before = 0;
  asm volatile("amoadd.d.aqrl %0, %1, (%2)" : "=r"(before) : "r"(number), "r"(address) : "memory");
  return before;
}

}  // namespace

int main(int count, char** words) {
  std::uint64_t times = 0;
  if (count > 1) std::from_chars(words[1], words[1] + std::strlen(words[1]), times);
  bool const owner = word(registers::own_devices + info::program) == 0;
  std::uint64_t const tlm = word(row_of(0) + info::row_tlm) + word(row_of(0) + info::row_tlm_bytes) - 4096;
  std::uint64_t const partition = word(row_of(0) + info::row_partition) + 4096;
  std::uint64_t const ready = tlm + 512;
  // Both begin at once, so that they meet.
  add(ready, 1);
  while (add(ready, 0) < 2) {
  }
  std::thread other([&] {
    for (std::uint64_t i = 0; i < times; ++i) add(partition, 1);
  });
  for (std::uint64_t i = 0; i < times; ++i) add(tlm, 1);
  other.join();
  add(ready, 1);
  if (owner) return 0;
  while (add(ready, 0) < 4) {
  }
  std::printf("%lu %lu\n", add(tlm, 0), add(partition, 0));
}
