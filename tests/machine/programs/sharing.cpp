// sharing: what it costs two harts to store to one line of the L2, or to store beside a word that the other one loads.
//
//   sharing stores line|lines    both begin with one miss, or each with one of its own; then each stores 1000 times
//   sharing loads line|lines     one loads a word 1000 times, the other stores to the word beside it, or elsewhere
//
// It prints the cycles that the slower, or the loading, hart took.
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <tess/machine/needs_time.hpp>
#include <thread>

namespace {

using word = std::uint64_t volatile;

constexpr int times = 1000;
std::atomic<int> there = 0;

std::uint64_t cycle() {
  std::uint64_t now = 0;
  asm volatile("rdcycle %0" : "=r"(now)::"memory");
  return now;
}
/// Both leave it together.
void meet() {
  ++there;
  while (there < 2) {
  }
}
std::uint64_t store(word* at) {
  meet();
  std::uint64_t const begin = cycle();
  for (int i = 0; i < times; ++i) *at = static_cast<std::uint64_t>(i);
  return cycle() - begin;
}
std::uint64_t load(word* at) {
  meet();
  std::uint64_t const begin = cycle();
  for (int i = 0; i < times; ++i) (void)*at;
  return cycle() - begin;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return 2;
  bool const loads = std::string_view(arguments[1]) == "loads";
  bool const line = std::string_view(arguments[2]) == "line";
  auto* const words =
      static_cast<word*>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  {
    std::jthread const other([&] { second = store(words + (line ? 1 : 32)); });
    first = loads ? load(words) : store(words);
  }
  std::printf("%llu\n", static_cast<unsigned long long>(loads ? first : std::max(first, second)));
}
