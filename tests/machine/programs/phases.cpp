// phases: a measured part of parts with known costs, for runs that are not timed as a whole: phases ROUNDS [READ_FILE].
//
//   A round adds, one instruction a cycle, then follows pointers through a table that no L1 holds. The sum that is
//   printed depends on each step.
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <tess/machine/measure.hpp>
#include <vector>

namespace {

namespace registers = tess::machine::registers;

/// As programs of the runtime do it. Natively there is no such register.
void mark(std::uint64_t begins) {
  constexpr std::uint64_t at = registers::own_devices +
                               static_cast<std::uint64_t>(registers::unit::information) * registers::unit_bytes +
                               registers::information::measured;
  if (std::getenv("TESS_TIMING") != nullptr) *reinterpret_cast<std::uint64_t volatile*>(at) = begins;  // NOLINT
}

[[gnu::noinline]] std::uint64_t add(std::uint64_t sum, long steps) {
  for (long i = 0; i < steps; ++i) asm volatile("add %0, %0, %1" : "+r"(sum) : "r"(i));
  return sum;
}

[[gnu::noinline]] std::uint64_t follow(std::vector<std::uint32_t> const& next, std::uint64_t at, long steps) {
  for (long i = 0; i < steps; ++i) at = next[at];
  return at;
}

}  // namespace

int main(int count, char** words) {
  long rounds = 4;
  if (count > 1) std::from_chars(words[1], words[1] + std::strlen(words[1]), rounds);
  std::vector<std::uint32_t> next(std::size_t{1} << 16U);
  // A permutation with one cycle, as the multiplier is 1 modulo 4 and the increment is odd.
  for (std::uint32_t i = 0; i < next.size(); ++i) next[i] = (i * 40'501U + 12'345U) % next.size();
  std::uint64_t sum = add(0, 100'000);
  mark(1);
  for (long i = 0; i < rounds; ++i) {
    {
      tess::machine::region const r("adding");
      sum = add(sum, 20'000);
    }
    tess::machine::region const r("following");
    sum += follow(next, sum % next.size(), 4'000);
  }
  mark(0);
  if (count > 2) {
    std::FILE* const file = std::fopen(words[2], "r");
    for (int letter = file == nullptr ? EOF : std::fgetc(file); letter != EOF; letter = std::fgetc(file))
      sum += static_cast<std::uint64_t>(letter);
    if (file != nullptr) std::fclose(file);
  }
  sum = add(sum, 100'000);
  std::printf("%llu\n", static_cast<unsigned long long>(sum));
}
