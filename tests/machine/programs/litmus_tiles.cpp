// litmus_tiles: four tiles that try to observe outcomes that RVWMO forbids: MP, SB, LB, IRIW, 2+2W with fences, CoRR
// without. The words are in four tiles: two in tile-local memories, two in partitions, accessed by their uncached
// addresses. The first copy prints the numbers of forbidden outcomes, which must be 0.
//
//   litmus_tiles lines    for coherent caches: the words are in lines of four partitions, which all tiles cache;
//   litmus_tiles line     and in one line. Both also add by LR/SC, access words across lines by misaligned stores and
//                         loads, and pass a turn around by sleeping on it, where a lost wake-up ends the run; system
//                         calls read data that another tile has written, and write data that another one caches.
//
// Source: J. Alglave, L. Maranget, M. Tautschnig, "Herding cats", TOPLAS 36(2), 2014, for the names.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <string_view>

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

std::uint64_t load_reserved(std::uint64_t address) {
  std::uint64_t value = 0;
  asm volatile("lr.d.aqrl %0, (%1)" : "=r"(value) : "r"(address) : "memory");
  return value;
}
bool store_conditional(std::uint64_t address, std::uint64_t value) {
  std::uint64_t failed = 1;
  asm volatile("sc.d.aqrl %0, %1, (%2)" : "=r"(failed) : "r"(value), "r"(address) : "memory");
  return failed == 0;
}

void add_by_lr_sc(tile::meeting& all) {
  if (own == 0) store(0, 0);
  all.wait();
  for (std::uint64_t round = 0; round < rounds; ++round) {
    while (!store_conditional(places[0], load_reserved(places[0]) + 1)) {
    }
    if (round % 16 == 0) skew(round);
  }
  all.wait();
  if (own == 0) std::printf("LR/SC: %lu\n", load(0));
}

// A word across two lines, which is written by its half-words one after the other: each half is of one store.
void cross_lines(tile::meeting& all) {
  std::uint64_t const across = (places[0] & ~std::uint64_t{63}) + 4096 + 60;
  std::uint64_t bad = 0;
  for (std::uint64_t round = 1; round <= rounds; ++round) {
    if (own < 2) word(across) = (round << 8 | own) << 32 | (round << 8 | own);
    std::uint64_t const value = word(across);
    if ((value & 0xff) > 1 || (value >> 32 & 0xff) > 1 || (value & 0xffffffff) >> 8 > rounds) ++bad;
  }
  tile::add(places[1], bad);
  all.wait();
  if (own == 0) std::printf("across lines: %lu of %lu\n", load(1), 4 * rounds);
}

void hand_around(tile::meeting& all) {
  if (own == 0) store(3, 0);
  all.wait();
  for (std::uint64_t turn = own; turn < rounds; turn += 4) {
    while (load_reserved(places[3]) != turn) asm volatile(".4byte 0x00d00073" ::: "memory");  // wrs.nto
    skew(turn);
    fence();
    store(3, turn + 1);
  }
  all.wait();
  if (own == 0) std::printf("turns: %lu\n", load(3));
}

// Stores that come one after the other, and each tile needs the line for them.
void store_to_one_line(tile::meeting& all) {
  all.wait();
  for (std::uint64_t round = 0; round < rounds; ++round) store(0, own);
  all.wait();
  if (own == 0) std::printf("stores: %d\n", load(0) < 4);
}

alignas(64) char text[64] = "what its tile wrote";

// The first copy's text, which the second one has dirty whenever a system call of the first one comes.
void call_system(tile::meeting& all) {
  std::uint64_t const at = tile::of_program(0);
  std::uint64_t const tail = tile::row(at, tile::info::row_partition) + tile::row(at, tile::info::row_partition_bytes);
  std::uint64_t const name = tail + reinterpret_cast<std::uint64_t>(text) - tile::row(at, tile::info::row_tlm_bytes);
  if (own == 1) word(name) = 0x0a312065'6c697420;  // " tile 1\n"
  all.wait();
  if (own == 0) {
    std::fflush(stdout);
    if (write(1, text, 8) != 8) std::puts("not written");
  }
  all.wait();
  if (own == 1) word(name) = 1;
  all.wait();
  if (own == 0) {
    int const zeros = open("/dev/zero", O_RDONLY);
    if (read(zeros, text, 8) != 8) std::puts("not read");
  }
  all.wait();
  if (own == 1) store(2, word(name));
  all.wait();
  if (own == 0) std::printf("zeros: %lu\n", load(2));
}

}  // namespace

int main(int count, char** words) {
  if (tile::information(tile::info::programs) != 4) return std::puts("needs four tiles"), 3;
  std::string_view const where = count > 1 ? words[1] : "";
  bool const coherent = !where.empty();
  own = tile::information(tile::info::program);
  for (std::uint64_t copy = 0; copy < 4; ++copy) {
    std::uint64_t const at = tile::of_program(where == "line" ? 0 : copy);
    std::uint64_t const cached = tile::row(at, tile::info::row_partition) + (where == "line" ? 8 : 64) * copy;
    std::uint64_t const uncached = tile::row(at, tile::info::row_uncached) + 4096 + 64 * copy;
    places[copy] = coherent ? cached : copy % 2 == 0 ? tile::end_of_tlm(at, 4096) : uncached;
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
  if (!coherent) return 0;
  add_by_lr_sc(all);
  if (own == 1) store(1, 0);
  all.wait();
  cross_lines(all);
  hand_around(all);
  call_system(all);
  store_to_one_line(all);
}
