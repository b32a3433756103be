// patterns: remote atomics of 1 to 64 places on words of place 0, to measure the counters of its network interface.
//
//   patterns PATTERN COUNT PLACES [check]
//
//   PLACES places add 1 COUNT times each, one at a time, to words of place 0; so at most PLACES requests are
//   outstanding:
//     CENTRAL   all to one word
//     STRIDE1   to consecutive words, all places together
//     RAND      to random words of 2 MiB
//   Initially the words are in memory, in no cache. With `check`, place 0 reads them at the end, through its caches,
//   which also appears in the counters of the interface.
//
// Source    patterns of CircusTent (RAE, section 5), aimed at one place instead of the next one.
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <tess/machine/needs_time.hpp>

#include "tiles.hpp"

namespace {

namespace info = tiles::info;
namespace xbgas = tiles::xbgas;
using tiles::own_register;
using tiles::tile_of;

constexpr std::uint64_t words = std::uint64_t{1} << 18U;
alignas(64) std::uint64_t arrived = 0;
alignas(64) std::uint64_t begun = 0;

enum class pattern : std::uint8_t { central, stride1, random };

/// A barrier of all places. It is at the last place and polled rarely, so that place 0 receives only the pattern.
void meet(std::uint64_t round) {
  std::uint64_t const all = own_register(info::programs);
  if (xbgas::fetch_add(all, &arrived, 1) + 1 == round * all) {
    xbgas::put(all, &begun, round);
    return;
  }
  while (xbgas::get(all, &begun) < round) {
    for (int i = 0; i < 1000; ++i) asm volatile("");
  }
}

std::uint64_t index_of(pattern which, std::uint64_t i, std::uint64_t place, std::uint64_t places,
                       std::uint64_t& state) {
  if (which == pattern::central) return 0;
  if (which == pattern::stride1) return (i * places + place) % words;
  state = state * 6364136223846793005U + 1442695040888963407U;
  return (state >> 33U) % words;
}

[[noreturn]] void usage() {
  std::fputs("patterns: expected CENTRAL, STRIDE1 or RAND, a count, and places from 1 to those of the machine\n",
             stderr);
  std::exit(2);
}

std::uint64_t number_of(std::string_view word) {
  std::uint64_t number = 0;
  auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc{} || end != word.data() + word.size()) usage();
  return number;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4 && (count != 5 || std::string_view(arguments[4]) != "check")) usage();
  std::string_view const name = arguments[1];
  if (name != "CENTRAL" && name != "STRIDE1" && name != "RAND") usage();
  pattern const which = name == "CENTRAL" ? pattern::central : name == "STRIDE1" ? pattern::stride1 : pattern::random;
  std::uint64_t const times = number_of(arguments[2]);
  std::uint64_t const places = number_of(arguments[3]);
  std::uint64_t const all = own_register(info::programs);
  std::uint64_t const own = own_register(info::program);
  if (places == 0 || places > all) usage();
  std::uint64_t* const array = tiles::words_of(0);
  xbgas::fill(1, tile_of(0));
  xbgas::fill(all, tile_of(all - 1));
  meet(1);
  if (own == 0) own_register(info::measured) = 1;
  std::uint64_t state = own * 0x9e3779b97f4a7c15U;
  for (std::uint64_t i = 0; i < times && own < places; ++i)
    (void)xbgas::fetch_add(1, &array[index_of(which, i, own, places, state)], 1);
  meet(2);
  if (own != 0) return 0;
  own_register(info::measured) = 0;
  if (count == 4) return 0;
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < words; ++i) sum += array[i];
  std::printf("%lu of %lu\n", sum, times * places);
  return sum == times * places ? 0 : 1;
}
