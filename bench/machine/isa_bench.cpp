// isa_bench: a program for simulators: a sieve, a matrix product and a hash table, integers only.
//
//   About 29 million instructions a repetition; the first word says how many. Prints a check sum.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr std::size_t sieve_bytes = std::size_t{1} << 20U;
constexpr int n = 96;
constexpr std::size_t slots = std::size_t{1} << 14U;

std::uint8_t composite_free[sieve_bytes];
std::int64_t a[n][n], b[n][n], c[n][n];
std::uint64_t table[slots];

std::uint64_t sieve() {
  std::memset(composite_free, 1, sizeof composite_free);
  std::uint64_t primes = 0;
  for (std::uint32_t i = 2; i < sieve_bytes; ++i) {
    if (composite_free[i] == 0) continue;
    ++primes;
    for (std::uint64_t j = std::uint64_t{i} * i; j < sieve_bytes; j += i) composite_free[j] = 0;
  }
  return primes;
}

std::uint64_t product(std::int64_t seed) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      a[i][j] = seed * i + j;
      b[i][j] = i ^ (j + seed);
      c[i][j] = 0;
    }
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k) {
      std::int64_t const factor = a[i][k];
      for (int j = 0; j < n; ++j) c[i][j] += factor * b[k][j];
    }
  std::uint64_t sum = 0;
  for (auto const& row : c)
    for (std::int64_t const value : row) sum = sum * 31 + static_cast<std::uint64_t>(value);
  return sum;
}

std::uint64_t hash(std::uint64_t seed) {
  std::memset(table, 0, sizeof table);
  std::uint64_t h = seed * 0x9e3779b97f4a7c15U + 1;
  std::uint64_t used = 0;
  for (int i = 0; i < 400'000; ++i) {
    h ^= h << 13U;
    h ^= h >> 7U;
    h ^= h << 17U;
    std::size_t k = (h * 0xff51afd7ed558ccdU) >> 50U;
    while (table[k] != 0 && table[k] != h && used < slots / 2) k = (k + 1) % slots;
    if (table[k] == 0) ++used;
    table[k] = h;
  }
  std::uint64_t sum = 0;
  for (std::uint64_t const value : table) sum += value;
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  char const* const word = argc > 1 ? argv[1] : "20";
  int repetitions = 0;
  for (char const* digit = word; *digit >= '0' && *digit <= '9'; ++digit)
    repetitions = repetitions * 10 + (*digit - '0');
  std::uint64_t result = 0;
  for (int k = 0; k < repetitions; ++k) {
    result += sieve();
    result ^= product(k + 1);
    result += hash(static_cast<std::uint64_t>(k) + 7);
  }
  std::printf("check %016llx\n", static_cast<unsigned long long>(result));
}
