// system_watch: prints what the program on a tile's system hart has found (programs/bare), while harts of this tile
// disturb its own.
#include <charconv>
#include <cstdio>
#include <cstring>
#include <tess/machine/needs_time.hpp>
#include <tess/machine/registers.hpp>
#include <thread>
#include <vector>

namespace {

using namespace tess::machine::registers;  // NOLINT
constexpr std::uint64_t results = 0xc000;

std::uint64_t volatile& at(std::uint64_t address) {
  return *reinterpret_cast<std::uint64_t volatile*>(address);
}
std::uint64_t memory_of(std::uint64_t tile) {
  return at(own_devices + information::table + tile * information::row_bytes + information::row_tlm);
}
bool await(std::uint64_t tile) {
  for (int spins = 0; at(memory_of(tile) + results) == 0; ++spins)
    if (spins == 100'000) return false;
  return true;
}

std::uint64_t number(char const* text) {
  std::uint64_t value = 0;
  std::from_chars(text, text + std::strlen(text), value);
  return value;
}

std::uint64_t shared[1024];

}  // namespace

// Arguments: harts that disturb; the tile whose results are wanted, of which nothing is read until some time
// after the own system hart has ended.
int main(int count, char** words) {
  std::uint64_t const own = at(own_devices + information::tile);
  std::uint64_t const tile = count > 2 ? number(words[2]) : own;
  std::vector<std::thread> noise;
  bool volatile ends = false;
  for (unsigned k = 1; k < (count > 1 ? number(words[1]) : 1); ++k)
    noise.emplace_back([&ends, k] {
      for (std::uint64_t i = 0; !ends; ++i) {
        auto& one = *static_cast<std::uint64_t volatile*>(&shared[i * 31 * k % 1024]);
        one = one + i;
      }
    });
  bool const own_ended = await(own);
  for (int spins = 0; tile != own && spins < 20'000; ++spins) asm volatile("");
  bool const there = own_ended && await(tile);
  ends = true;
  for (auto& one : noise) one.join();
  if (!there) return std::puts("it has not ended"), 1;
  std::uint64_t const from = memory_of(tile) + results;
  for (std::uint64_t i = 0; i < at(from + 8); ++i)
    std::printf("%lu\n", static_cast<unsigned long>(at(from + 16 + 8 * i)));
}
