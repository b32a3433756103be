// checksum_program: the CRC-32 of a buffer by a loop and by the unit of checksum.cpp, and what both take.
//
//   Its word: the buffer's bytes, 65536 by default. Exit code 1 if the two differ, 2 if the machine has no such unit.
#include <tess/machine/find_unit.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

namespace {

std::uint64_t cycle() {
  std::uint64_t now = 0;
#ifdef __riscv
  asm volatile("fence rw, rw\n rdcycle %0" : "=r"(now)::"memory");
#endif
  return now;
}

std::uint32_t crc_of(std::vector<unsigned char> const& bytes) {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    table[i] = i;
    for (int bit = 0; bit < 8; ++bit) table[i] = table[i] >> 1U ^ (table[i] % 2 == 0 ? 0 : 0xedb8'8320U);
  }
  std::uint32_t crc = ~std::uint32_t{0};
  for (unsigned char const one : bytes) crc = crc >> 8U ^ table[(crc ^ one) & 255U];
  return ~crc;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t size = 65536;
  if (argc > 1) std::from_chars(argv[1], argv[1] + std::strlen(argv[1]), size);
  std::uint64_t volatile* const unit = tess_find_unit("checksum");
  if (unit == nullptr) return std::puts("this tile has no unit \"checksum\""), 2;
  std::vector<unsigned char> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<unsigned char>(i * i >> 3U);

  std::uint64_t const begin = cycle();
  std::uint32_t const by_loop = crc_of(bytes);
  std::uint64_t const middle = cycle();
  std::uint64_t volatile* const window = tess_unit_window(unit);
  window[0] = reinterpret_cast<std::uint64_t>(bytes.data());
  window[1] = size;
  window[2] = 0;
  std::uint64_t const state = tess_unit_command(window);
  auto const by_unit = static_cast<std::uint32_t>(tess_unit_load(window + 3));
  std::uint64_t const end = cycle();
  std::printf("crc %08x by a loop, %08x by the unit, state %lu\n", by_loop, by_unit, static_cast<unsigned long>(state));
  std::printf("cycles %lu by a loop, %lu by the unit\n", static_cast<unsigned long>(middle - begin),
              static_cast<unsigned long>(end - middle));
  return by_loop == by_unit && state == 0 ? 0 : 1;
}
