// extended: words of other tiles by xBGAS: every operation and width against its twin, sums from all sides, and faults.
//
//   extended COUNT        each copy adds COUNT times to words of all others, by five ways; the sums are exact
//   extended COUNT mapped the same with words in the partitions, behind the L2
//   extended fault WHAT   does what traps: object, misaligned, outside, device, register
#include <sys/mman.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string_view>
#include <tess/machine/xbgas.hpp>

#include "tile.hpp"

namespace {

namespace xbgas = tess::machine::xbgas;

/// At the same address in every tile.
struct shared_words {
  alignas(64) std::uint64_t sum = 0;
  alignas(64) std::uint32_t small_sums[2] = {};
  alignas(64) std::uint64_t swapped = 0;
  alignas(64) std::uint64_t tried[2] = {};  // by the place before, and by the own
  alignas(64) std::uint8_t bytes[64] = {};
  alignas(64) std::uint64_t* heap_word = nullptr;
};
shared_words in_tlm;
shared_words* own_words = &in_tlm;

std::uint64_t wrong = 0;

template <class T>
void check(T got, std::type_identity_t<T> expected) {
  wrong += got == expected ? 0 : 1;
}

// What each atomic leaves and gives back, on a word that only this copy uses.
template <class T>
void atomics(std::uint64_t object, T* there) {
  std::uint64_t random = 0x9e3779b97f4a7c15;
  for (int i = 0; i < 8; ++i) {
    random = random * 6364136223846793005 + 1442695040888963407;
    T const old = static_cast<T>(random >> 11);
    T const with = static_cast<T>(random >> 29 ^ random);
    using S = std::make_signed_t<T>;
    bool const less = static_cast<S>(old) < static_cast<S>(with);
    T const after[] = {with,
                       static_cast<T>(old + with),
                       static_cast<T>(old ^ with),
                       static_cast<T>(old | with),
                       static_cast<T>(old & with),
                       less ? old : with,
                       less ? with : old,
                       old < with ? old : with,
                       old < with ? with : old};
    T (*const operations[])(std::uint64_t, T*, T) = {
        xbgas::swap<T>,      xbgas::fetch_add<T>,          xbgas::fetch_xor<T>,
        xbgas::fetch_or<T>,  xbgas::fetch_and<T>,          xbgas::fetch_min<T>,
        xbgas::fetch_max<T>, xbgas::fetch_min_unsigned<T>, xbgas::fetch_max_unsigned<T>};
    for (int k = 0; k < 9; ++k) {
      xbgas::put(object, there, old);
      check(operations[k](object, there, with), old);
      check(xbgas::get(object, there), after[k]);
    }
    xbgas::put(object, there, old);
    check(xbgas::compare_swap(object, there, static_cast<T>(old + 1), with), old);
    check(xbgas::get(object, there), old);
    check(xbgas::compare_swap(object, there, old, with), old);
    check(xbgas::get(object, there), with);
  }
}

void edges(std::uint64_t object) {
  for (unsigned i = 0; i < 64; ++i) xbgas::put(object, &own_words->bytes[i], static_cast<std::uint8_t>(i));
  xbgas::put(object, reinterpret_cast<std::uint16_t*>(&own_words->bytes[10]), 0xfefe);
  xbgas::put(object, reinterpret_cast<std::uint32_t*>(&own_words->bytes[20]), 0xfefefefe);
  xbgas::put(object, reinterpret_cast<std::uint64_t*>(&own_words->bytes[32]), 0xfefefefefefefefe);
  for (unsigned i = 0; i < 64; ++i) {
    bool const changed = (i >= 10 && i < 12) || (i >= 20 && i < 24) || (i >= 32 && i < 40);
    check(xbgas::get(object, &own_words->bytes[i]), changed ? 0xfe : i);
  }
}

// The global name of what a tile has at this address of its local window: in its TLM, or in the partition's tail.
std::uint64_t flat(std::uint64_t number, std::uint64_t address) {
  std::uint64_t const tlm_bytes = tile::row(number, tile::info::row_tlm_bytes);
  if (address < tlm_bytes) return tile::row(number, tile::info::row_tlm) + address;
  return tile::row(number, tile::info::row_partition) + tile::row(number, tile::info::row_partition_bytes) + address -
         tlm_bytes;
}

[[noreturn]] void fault(std::string_view what) {
  std::uint64_t const own = tile::information(tile::info::tile) + 1;
  xbgas::fill(own, own - 1);
  if (what == "object") (void)xbgas::fetch_add(77, &own_words->sum, 1);
  if (what == "misaligned") (void)xbgas::fetch_add(own, reinterpret_cast<std::uint64_t*>(&own_words->bytes[4]), 1);
  if (what == "outside") xbgas::put(own, reinterpret_cast<std::uint64_t*>(0xffffff0000), 1);
  if (what == "device") (void)xbgas::get(own, reinterpret_cast<std::uint64_t*>(tile::registers::own_devices));
  if (what == "register") asm volatile(".insn i 0x77, 3, t0, 0(sp)" ::: "t0");
  std::puts("it did not trap");
  std::exit(3);
}

}  // namespace

int main(int count, char** words) {
  if (count == 3 && std::string_view(words[1]) == "fault") fault(words[2]);
  std::uint64_t times = 10;
  if (count >= 2) {
    std::string_view const given(words[1]);
    std::from_chars(given.begin(), given.end(), times);
  }
  if (count == 3)
    own_words = new (::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) shared_words;
  std::uint64_t const places = tile::information(tile::info::programs);
  std::uint64_t const own = tile::information(tile::info::program);
  for (std::uint64_t place = 0; place < places; ++place) xbgas::fill(place + 1, tile::of_program(place));
  tile::meeting all(tile::end_of_tlm(tile::of_program(0), 64));
  own_words->heap_word = new std::uint64_t(0);
  all.wait();
  std::uint64_t const next = (own + 1) % places;
  atomics(next + 1, &own_words->tried[0]);
  atomics(next + 1, reinterpret_cast<std::uint32_t*>(&own_words->tried[0]));
  edges(next + 1);
  atomics(own + 1, &own_words->tried[1]);
  for (std::uint64_t i = 0; i < times; ++i) {
    for (std::uint64_t place = 0; place < places; ++place) {
      (void)xbgas::fetch_add(place + 1, &own_words->sum, 1);
      (void)xbgas::fetch_add(place + 1, &own_words->small_sums[i % 2], 1);
      (void)tile::add(flat(tile::of_program(place), reinterpret_cast<std::uint64_t>(&own_words->sum)), 1);
      std::uint64_t seen = xbgas::get(place + 1, &own_words->swapped);
      for (std::uint64_t found = 0;
           (found = xbgas::compare_swap(place + 1, &own_words->swapped, seen, seen + 1)) != seen;)
        seen = found;
      std::uint64_t* const there = reinterpret_cast<std::uint64_t*>(
          xbgas::get(place + 1, reinterpret_cast<std::uint64_t*>(&own_words->heap_word)));
      (void)xbgas::fetch_add(place + 1, there, 1);
    }
    __atomic_fetch_add(&own_words->sum, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(own_words->heap_word, 1, __ATOMIC_RELAXED);
  }
  all.wait();
  check(__atomic_load_n(&own_words->sum, __ATOMIC_RELAXED), times * (2 * places + 1));
  check<std::uint64_t>(own_words->small_sums[0] + own_words->small_sums[1], times * places);
  check(own_words->swapped, times * places);
  check(*own_words->heap_word, times * (places + 1));
  all.wait();
  std::printf("%lu wrong\n", wrong);
  return wrong != 0;
}
