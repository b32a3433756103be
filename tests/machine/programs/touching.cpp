// touching: writes a word into each page of 64 MiB, and adds them up again.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

int main() {
  constexpr std::size_t page_words = 4096 / sizeof(std::uint64_t);
  constexpr std::size_t pages = (std::size_t{64} << 20U) / 4096;
  // Pages of zeros that have not been touched yet.
  auto* const memory = static_cast<std::uint64_t*>(std::calloc(page_words * pages, sizeof(std::uint64_t)));
  for (std::size_t page = 0; page < pages; ++page) memory[page * page_words + page % page_words] = page;
  std::uint64_t sum = 0;
  for (std::size_t page = 0; page < pages; ++page) sum += memory[page * page_words + page % page_words];
  std::printf("%lu\n", sum);
}
