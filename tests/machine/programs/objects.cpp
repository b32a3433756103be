// objects: cycles of loads of words of other tiles by objects, which the look-aside buffer must find.
//
//   objects COUNT OBJECTS   loads a word COUNT times by each of OBJECTS objects in turn, all of the next tile; prints
//                           the cycles, and the cycles of as many loads after each object has been stored again
#include <charconv>
#include <cstdio>
#include <string_view>
#include <tess/machine/xbgas.hpp>

#include "tile.hpp"

namespace {

namespace xbgas = tess::machine::xbgas;

alignas(64) std::uint64_t there = 7;
std::uint64_t wrong = 0;

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  (void)std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}
std::uint64_t cycle() {
  std::uint64_t now = 0;
  asm volatile("rdcycle %0" : "=r"(now)::"memory");
  return now;
}

/// The cycles of the loads alone.
[[gnu::noinline]] std::uint64_t load_all(std::uint64_t count, std::uint64_t objects) {
  std::uint64_t spent = 0;
  for (std::uint64_t k = 0; k < count; ++k) {
    for (std::uint64_t object = 1; object <= objects; ++object) {
      std::uint64_t const before = cycle();
      wrong += xbgas::get(object, &there) == 7 ? 0 : 1;
      spent += cycle() - before;
    }
  }
  return spent;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::uint64_t const count = number(argv[1]);
  std::uint64_t const objects = number(argv[2]);
  if (tile::information(tile::info::program) != 0) return 0;
  auto const fill = [&] {
    for (std::uint64_t object = 1; object <= objects; ++object) xbgas::fill(object, tile::of_program(1));
  };
  fill();
  (void)load_all(1, objects);  // code and buffers
  std::uint64_t const known = load_all(count, objects);
  fill();
  std::uint64_t const anew = load_all(1, objects);
  std::printf("%llu %llu\n", static_cast<unsigned long long>(known), static_cast<unsigned long long>(anew));
  return wrong == 0 ? 0 : 1;
}
