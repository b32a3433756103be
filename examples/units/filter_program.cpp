// filter_program: finds the words of a range in an array in memory, by a loop and by the unit of filter.cpp near that
// memory, and says what both take.
//
//   Its words: how many thousands of words the array has (64 by default), and how many in a thousand pass (20). Exit
//   code 1 if the two differ, 2 if the memory has no such unit.
#include <tess/machine/find_unit.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

namespace {

// What passes is in the tile-local memory, where the program's own data are; the array is in DDR, as large blocks are.
std::uint64_t by_unit[65536];  // NOLINT
std::uint64_t by_loop[65536];  // NOLINT

std::uint64_t cycle() {
  std::uint64_t now = 0;
#ifdef __riscv
  asm volatile("fence rw, rw\n rdcycle %0" : "=r"(now)::"memory");
#endif
  return now;
}

std::uint64_t number(int argc, char** argv, int which, std::uint64_t usual) {
  if (argc > which) std::from_chars(argv[which], argv[which] + std::strlen(argv[which]), usual);
  return usual;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t const count = number(argc, argv, 1, 64) * 1000;
  std::uint64_t const per_thousand = number(argc, argv, 2, 20);
  std::uint64_t const memory_tile = tess_memory_tile(tess_own_tile());
  std::uint64_t volatile* const unit = tess_find_unit_in("filter", memory_tile);
  if (unit == nullptr) return std::puts("the memory of this tile has no unit \"filter\""), 2;
  if (count * per_thousand / 1000 > std::size(by_loop)) return std::puts("too many words would pass"), 2;

  std::vector<std::uint64_t> array;
  array.reserve(std::max<std::uint64_t>(count, 65536));  // smaller blocks may be in the tile-local memory
  array.resize(count);
  std::uint64_t seed = 1;
  for (std::uint64_t& one : array) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;  // Knuth's MMIX
    one = (seed >> 33U) % 1000;
  }
  // The unit sees the memory, not what the L2 has; and the loop shall find the array in memory, too.
  std::uint64_t const bytes = count * sizeof(std::uint64_t);
  tess_write_back(array.data(), bytes);
  tess_invalidate(array.data(), bytes);

  std::uint64_t const begin = cycle();
  std::uint64_t found = 0;
  for (std::uint64_t const one : array)
    if (one < per_thousand) by_loop[found++] = one;
  std::uint64_t const middle = cycle();
  std::uint64_t volatile* const window = tess_unit_window(unit);
  std::uint64_t volatile counter[4] = {1, 0, 0, 0};
  window[0] = tess_global_address(array.data());
  window[1] = count;
  window[2] = 0;
  window[3] = per_thousand;
  window[4] = tess_global_address(by_unit);
  window[5] = tess_global_address(counter);
  tess_unit_fence();
  window[7] = 1;
  // The window is in another tile; the counter is here, so waiting for it asks nobody.
  bool const taken = window[7] != 3;
  if (!taken) std::puts("the unit refuses the command");
  while (taken && counter[0] != 0) continue;
  tess_unit_fence();
  std::uint64_t const passed = window[6];
  std::uint64_t const end = cycle();
  bool const same = taken && passed == found && std::memcmp(by_unit, by_loop, found * sizeof(std::uint64_t)) == 0;
  std::printf("%lu of %lu words pass by a loop, %lu by the unit: %s\n", static_cast<unsigned long>(found),
              static_cast<unsigned long>(count), static_cast<unsigned long>(passed), same ? "the same" : "others");
  std::printf("cycles %lu by a loop, %lu by the unit\n", static_cast<unsigned long>(middle - begin),
              static_cast<unsigned long>(end - middle));
  return same ? 0 : 1;
}
