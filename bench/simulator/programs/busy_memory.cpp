// busy_memory: a program for simulators: every hart of a tile reads memory of its own, a word of each line, as fast as
// it can, so that nearly all loads miss the second-level cache. With 56 harts of nemesys-4x4 the memories are about
// half busy.
//
//   The first word says how many harts, the second how many thousand lines each reads. Prints a check sum.
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t line_words = 4;                     // of the second-level cache: 32 bytes
constexpr std::size_t lines_max = std::size_t{1} << 16U;  // 2 MiB a hart
constexpr std::size_t stride = 1024 + line_words;         // words; another row of the DRAM every time

std::uint64_t number(char const* text, std::uint64_t otherwise) {
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), otherwise);
  return otherwise;
}

}  // namespace

int main(int count, char** words) {
  std::uint64_t const harts = number(count > 1 ? words[1] : nullptr, 4);
  std::uint64_t const lines = 1000 * number(count > 2 ? words[2] : nullptr, 10);
  std::vector<std::uint64_t> sums(harts * line_words * 2);
  auto const read = [&](std::size_t hart) {
    // As the system gives it: zeros that nobody has written.
    auto const own = std::make_unique_for_overwrite<std::uint64_t[]>(lines_max * line_words);
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0, at = 0; i < lines; ++i, at = (at + stride) % (lines_max * line_words)) sum += own[at] + i;
    sums[hart * line_words * 2] = sum;
  };
  std::vector<std::thread> others;
  for (std::size_t hart = 1; hart < harts; ++hart) others.emplace_back(read, hart);
  read(0);
  for (auto& one : others) one.join();
  std::uint64_t sum = 0;
  for (auto const each : sums) sum += each;
  std::printf("%lu\n", sum);
}
