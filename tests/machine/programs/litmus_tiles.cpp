// litmus_tiles: four tiles that try to see what RVWMO forbids: MP, SB, LB, IRIW, 2+2W with fences, CoRR without. The
// words lie in four tiles: two in tile-local memories, two in partitions, which others reach by their uncached view.
// The first copy prints how often a forbidden outcome was seen, which must be never.
//
// Source: J. Alglave, L. Maranget, M. Tautschnig, "Herding cats", TOPLAS 36(2), 2014, for the names.
#include <cstdio>

#include "tile.hpp"

namespace {

using tile::fence;
using tile::word;

constexpr std::uint64_t rounds = 200;

std::uint64_t own;        // number of this copy
std::uint64_t places[4];  // of x, y, z and w
std::uint64_t seen;       // eight words: first and second load of each copy

void store(int which, std::uint64_t value) {
  word(places[which]) = value;
}
std::uint64_t load(int which) {
  return word(places[which]);
}
void saw(std::uint64_t first, std::uint64_t second = 0) {
  word(seen + 16 * own) = first;
  word(seen + 16 * own + 8) = second;
}
std::uint64_t first(std::uint64_t copy) {
  return word(seen + 16 * copy);
}
std::uint64_t second(std::uint64_t copy) {
  return word(seen + 16 * copy + 8);
}

void store_store(int a, std::uint64_t va, int b, std::uint64_t vb) {
  store(a, va);
  fence();
  store(b, vb);
}
void load_load(int a, int b, bool fenced) {
  std::uint64_t const va = load(a);
  if (fenced) fence();
  saw(va, load(b));
}

struct shape {
  char const* name;
  void (*each)();
  bool (*forbidden)();
};

constexpr shape shapes[] = {
    {"MP", [] { own == 0 ? store_store(0, 1, 1, 1) : load_load(1, 0, true); },
     [] {
       bool bad = false;
       for (std::uint64_t copy = 1; copy < 4; ++copy) bad = bad || (first(copy) == 1 && second(copy) == 0);
       return bad;
     }},
    {"SB",
     [] {
       store(static_cast<int>(own), 1);
       fence();
       saw(load(static_cast<int>(own ^ 1)));
     },
     [] { return (first(0) == 0 && first(1) == 0) || (first(2) == 0 && first(3) == 0); }},
    {"LB",
     [] {
       std::uint64_t const value = load(static_cast<int>(own));
       fence();
       store(static_cast<int>(own ^ 1), 1);
       saw(value);
     },
     [] { return (first(0) == 1 && first(1) == 1) || (first(2) == 1 && first(3) == 1); }},
    {"IRIW",
     [] {
       if (own == 0) store(0, 1);
       if (own == 1) store(1, 1);
       if (own == 2) load_load(0, 1, true);
       if (own == 3) load_load(1, 0, true);
     },
     [] { return first(2) == 1 && second(2) == 0 && first(3) == 1 && second(3) == 0; }},
    {"CoRR",
     [] {
       if (own != 0) return load_load(2, 2, false);
       store(2, 1);
       store(2, 2);
     },
     [] {
       bool bad = false;
       for (std::uint64_t copy = 1; copy < 4; ++copy) bad = bad || first(copy) > second(copy);
       return bad;
     }},
    {"2+2W",
     [] {
       if (own == 0) store_store(0, 1, 1, 2);
       if (own == 1) store_store(1, 1, 0, 2);
       if (own == 2) store_store(2, 1, 3, 2);
       if (own == 3) store_store(3, 1, 2, 2);
     },
     [] { return (load(0) == 1 && load(1) == 1) || (load(2) == 1 && load(3) == 1); }},
};

// Another number of cycles for every copy and round; the network's own times vary little.
void skew(std::uint64_t round) {
  for (std::uint64_t i = (round * (14 * own + 9) + 31 * own) % 193; i > 0; --i) asm volatile("nop");
}

}  // namespace

int main() {
  if (tile::information(tile::info::programs) != 4) return std::puts("needs four tiles"), 3;
  own = tile::information(tile::info::program);
  for (std::uint64_t copy = 0; copy < 4; ++copy) {
    std::uint64_t const at = tile::of_program(copy);
    places[copy] =
        copy % 2 == 0 ? tile::end_of_tlm(at, 4096) : tile::row(at, tile::info::row_uncached) + 4096 + 64 * copy;
  }
  std::uint64_t const shared = tile::end_of_tlm(tile::of_program(0), 2048);
  seen = shared + 256;
  tile::meeting all(shared);
  for (shape const& tried : shapes) {
    std::uint64_t bad = 0;
    for (std::uint64_t round = 0; round < rounds; ++round) {
      if (own == 0) {
        for (int which = 0; which < 4; ++which) store(which, 0);
        for (std::uint64_t i = 0; i < 8; ++i) word(seen + 8 * i) = 0;
      }
      all.wait();
      skew(round);
      tried.each();
      all.wait();
      if (own == 0 && tried.forbidden()) ++bad;
      all.wait();
    }
    if (own == 0) std::printf("%s: %lu of %lu\n", tried.name, bad, rounds);
  }
}
