// busy_memory: a program for simulators: every hart of a tile reads its own memory, a word of each line, as fast as
// possible, so that nearly all loads miss the second-level cache. With 56 harts of nemesys-4x4 the memories are about
// half busy.
//
//   Arguments: number of harts; thousands of lines that each reads. Prints a checksum.
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t line_words = 4;                     // second-level cache lines have 32 bytes
constexpr std::size_t lines_max = std::size_t{1} << 16U;  // 2 MiB per hart
constexpr std::size_t stride = 1024 + line_words;         // in words; a different row of the DRAM each time

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
    // As mapped by the system: zero, never written.
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
