// own_units: accesses the registers of a unit of one's own: stores to its first register, loads it, and waits.
//
//   Its words: the unit's name, and the tile whose unit it is; the own tile's without.
#include <tess/machine/find_unit.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  char const* const name = argc > 1 ? argv[1] : "bad";
  std::uint64_t volatile* const unit =
      argc > 2 ? tess_find_unit_in(name, static_cast<std::uint64_t>(argv[2][0] - '0')) : tess_find_unit(name);
  if (unit == nullptr) return std::printf("no unit %s\n", name), 3;
  std::printf("unit number %lu\n", static_cast<unsigned long>(tess_unit_number(name)));
  std::fflush(stdout);
  unit[0] = 1;
  std::uint64_t const loaded = unit[0];
  for (int volatile i = 0; i < 1000; i = i + 1) continue;
  std::printf("loaded %lu\n", static_cast<unsigned long>(loaded));
}
