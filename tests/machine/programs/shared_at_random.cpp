// shared_at_random: harts that load, store and add at random to words that they share, within lines and across them, in
// the tile-local memory, behind the L2, of their own and of the next copy's tile. It prints what they have read, as one
// number: that depends on who came first, so it is the same again only if all times are.
//
//   shared_at_random seed threads operations [remote]    remote: words of the next copy's tile-local memory, too
#include <sys/mman.h>

#include <atomic>
#include <charconv>
#include <cstdio>
#include <ctime>
#include <string_view>
#include <thread>
#include <vector>

#include "tile.hpp"

namespace {

using tile::word;

constexpr std::uint64_t words = 64;  // sixteen lines of 32 bytes

alignas(64) std::uint64_t near[words];

class generator {
 public:
  explicit generator(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15U + 1) {}
  /// Below `limit`. G. Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8(14), 2003.
  std::uint64_t operator()(std::uint64_t limit) {
    state_ ^= state_ << 13U;
    state_ ^= state_ >> 7U;
    state_ ^= state_ << 17U;
    return (state_ >> 20U) % limit;
  }

 private:
  std::uint64_t state_;
};

/// Waits without memory; an instruction each turn.
void spend(std::uint64_t turns) {
  while (turns-- > 0) asm volatile("");
}

/// One thread's operations; returns a hash of all that it has read.
std::uint64_t operate(std::uint64_t seed, std::uint64_t operations, std::uint64_t far, std::uint64_t of_next) {
  generator draw(seed);
  std::uint64_t own[words] = {};
  std::uint64_t hash = seed;
  for (std::uint64_t k = 0; k < operations; ++k) {
    std::uint64_t const at = 8 * draw(words);
    auto const near_word = reinterpret_cast<std::uint64_t>(near) + at;
    std::uint64_t read = 0;
    switch (draw(of_next == 0 ? 14 : 16)) {
      case 0:
      case 1:
      case 2:
        read = word(near_word);
        break;
      case 3:
      case 4:
        word(near_word) = hash;
        break;
      case 5:
      case 6:
        read = word(far + at);
        break;
      case 7:
        word(far + at) = hash;
        break;
      case 8:
        read = tile::add(near_word, k);
        break;
      case 9:
        read = tile::add(far + at, k);
        break;
      case 10:
        own[draw(words)] += hash;
        break;
      case 11:
        spend(draw(100));
        break;
      case 12:
        for (std::uint64_t const each : own) read += each;
        break;
      case 13:
        // Rarely: a call, a fence, the clock.
        if (draw(8) == 0) {
          timespec now{};
          clock_gettime(CLOCK_MONOTONIC, &now);
          read = static_cast<std::uint64_t>(now.tv_nsec);
        }
        tile::fence();
        break;
      case 14:
        read = word(of_next + at);
        break;
      default:
        word(of_next + at) = hash;
    }
    hash = (hash ^ read) * 0x100000001b3U;
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
  if (count < 4) return 2;
  std::uint64_t const seed = number(arguments[1]);
  auto const threads = static_cast<unsigned>(number(arguments[2]));
  std::uint64_t const operations = number(arguments[3]);
  void* const far = mmap(nullptr, 8 * words, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  std::uint64_t of_next = 0;
  std::uint64_t const copy = tile::information(tile::info::program);
  if (count > 4) {
    std::uint64_t const copies = tile::information(tile::info::programs);
    of_next = tile::end_of_tlm(tile::of_program((copy + 1) % copies), 4096);
  }
  std::atomic<std::uint64_t> sum = 0;
  auto const one = [&](unsigned thread) {
    sum += operate(seed + 1000 * copy + thread, operations, reinterpret_cast<std::uint64_t>(far), of_next);
  };
  {
    std::vector<std::jthread> others;
    for (unsigned i = 1; i < threads; ++i) others.emplace_back(one, i);
    one(0);
  }
  std::printf("%016llx\n", static_cast<unsigned long long>(sum));
}
