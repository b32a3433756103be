// adding: all copies add to the same words by AMOs: one in the tile-local memory of the first, one in its partition.
// The last copy prints both sums. The first argument is the number of additions of each copy.
#include <charconv>
#include <cstdio>
#include <cstring>
#include <thread>

#include "tile.hpp"

int main(int count, char** words) {
  std::uint64_t times = 0;
  if (count > 1) std::from_chars(words[1], words[1] + std::strlen(words[1]), times);
  std::uint64_t const home = tile::of_program(0);
  std::uint64_t const tlm = tile::end_of_tlm(home, 4096);
  std::uint64_t const partition = tile::row(home, tile::info::row_partition) + 4096;
  tile::meeting all(tlm + 512);
  all.wait();  // all begin at once, so that they meet
  std::thread other([&] {
    for (std::uint64_t i = 0; i < times; ++i) tile::add(partition, 1);
  });
  for (std::uint64_t i = 0; i < times; ++i) tile::add(tlm, 1);
  other.join();
  all.wait();
  if (tile::information(tile::info::program) + 1 != tile::information(tile::info::programs)) return 0;
  std::printf("%lu %lu\n", tile::add(tlm, 0), tile::add(partition, 0));
}
