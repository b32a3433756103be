// crowded_lines: harts that store and load in bursts, each to words of its own, behind the L2 and in lines that take
// each other's place there, write lines back and drop them, and now and then read each other's words. So lines are lost
// while stores to them, or to the tile-local memory, are under way. It prints what they have read, as one number, and
// whether own words were right.
//
//   crowded_lines seed threads operations stride    stride: from line to line, a way of the L2; small: they all fit
#include <atomic>
#include <charconv>
#include <cstdio>
#include <string_view>
#include <thread>
#include <vector>

#include "tile.hpp"

namespace {

using tile::word;
namespace registers = tile::registers;
namespace ranges = registers::ranges;

constexpr std::uint64_t lines = 7;
constexpr std::uint64_t line_bytes = 32;
constexpr unsigned threads_max = 4;

/// In the tile-local memory, where no line is lost; each thread has one.
struct alignas(64) local_words {
  std::uint64_t volatile words[8];
} local[threads_max];

std::uint64_t next(std::uint64_t& state) {
  // G. Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8(14), 2003.
  state ^= state << 13U;
  state ^= state >> 7U;
  state ^= state << 17U;
  return state >> 20U;
}

/// A range operation on a line; others store to it meanwhile.
void act(std::uint64_t operation, std::uint64_t line) {
  std::uint64_t const window = tile::window(registers::unit::ranges);
  word(window + ranges::operation) = operation;
  word(window + ranges::address) = line;
  word(window + ranges::bytes) = line_bytes;
  word(window + ranges::counter) = 0;
  word(window + ranges::doorbell) = 1;
}

/// One thread's operations; returns a hash of all that it has read, and counts its own words that were wrong.
std::uint64_t operate(std::uint64_t seed, unsigned thread, std::uint64_t operations, std::uint64_t first,
                      std::uint64_t stride, std::atomic<std::uint64_t>& wrong) {
  std::uint64_t state = seed * 0x9e3779b97f4a7c15U + 1;
  std::uint64_t hash = seed;
  std::uint64_t stored[lines] = {};
  for (std::uint64_t k = 0; k < operations; ++k) {
    std::uint64_t const line = next(state) % lines;
    std::uint64_t const own = first + line * stride + 8 * thread;
    std::uint64_t const what = next(state) % 32;
    if (what < 12) {
      for (std::uint64_t burst = next(state) % 12; burst-- > 0;) word(own) = stored[line] = hash + burst;
      for (std::uint64_t burst = next(state) % 6; burst-- > 0;) local[thread].words[burst] = hash + word(own);
    } else if (what < 24) {
      for (std::uint64_t burst = next(state) % 6; burst-- > 0;) {
        std::uint64_t const read = word(own);
        if (read != stored[line]) ++wrong;
        word(own) = stored[line] = hash ^ read;
        hash = (hash ^ read) * 0x100000001b3U;
      }
    } else if (what < 28) {
      hash = (hash ^ word(first + line * stride + 8 * (next(state) % 4))) * 0x100000001b3U;
    } else if (what < 30) {
      act(ranges::write_back + 2 * (next(state) % 2), first + line * stride);  // or flush
    } else {
      tile::fence();
    }
  }
  return hash;
}

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 5) return 2;
  std::uint64_t const seed = number(arguments[1]);
  auto const threads = static_cast<unsigned>(number(arguments[2]));
  std::uint64_t const operations = number(arguments[3]);
  std::uint64_t const stride = number(arguments[4]);
  // The tile's partition of DDR.
  std::uint64_t const first =
      tile::row(tile::of_program(tile::information(tile::info::program)), tile::info::row_partition);
  std::atomic<std::uint64_t> sum = 0;
  std::atomic<std::uint64_t> wrong = 0;
  if (threads > threads_max) return 2;
  auto const one = [&](unsigned thread) { sum += operate(seed + thread, thread, operations, first, stride, wrong); };
  {
    std::vector<std::jthread> others;
    for (unsigned i = 1; i < threads; ++i) others.emplace_back(one, i);
    one(0);
  }
  std::printf("%016llx %s\n", static_cast<unsigned long long>(sum), wrong == 0 ? "right" : "wrong");
  return wrong == 0 ? 0 : 1;
}
