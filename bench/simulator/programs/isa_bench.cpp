// isa_bench: a program for simulators: a sieve, a matrix product and a hash table, integers only.
//
//   Arguments: repetitions of about 36 million instructions; number of harts, each with its own arrays; and,
//   optionally, a third one, with which the arrays are in mapped memory (on a tile: in its partition, behind the L2)
//   instead of static memory. Prints a checksum.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t sieve_bytes = std::size_t{1} << 20U;
constexpr int n = 96;
constexpr std::size_t slots = std::size_t{1} << 14U;
constexpr std::size_t harts_max = 4;

struct arrays {
  std::uint8_t composite_free[sieve_bytes];
  std::int64_t a[n][n], b[n][n], c[n][n];
  std::uint64_t table[slots];
};
arrays of_harts[harts_max];

std::uint64_t sieve(std::uint8_t (&composite_free)[sieve_bytes]) {
  std::memset(composite_free, 1, sizeof composite_free);
  std::uint64_t primes = 0;
  for (std::uint32_t i = 2; i < sieve_bytes; ++i) {
    if (composite_free[i] == 0) continue;
    ++primes;
    for (std::uint64_t j = std::uint64_t{i} * i; j < sieve_bytes; j += i) composite_free[j] = 0;
  }
  return primes;
}

std::uint64_t product(arrays& of, std::int64_t seed) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      of.a[i][j] = seed * i + j;
      of.b[i][j] = i ^ (j + seed);
      of.c[i][j] = 0;
    }
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k) {
      std::int64_t const factor = of.a[i][k];
      for (int j = 0; j < n; ++j) of.c[i][j] += factor * of.b[k][j];
    }
  std::uint64_t sum = 0;
  for (auto const& row : of.c)
    for (std::int64_t const value : row) sum = sum * 31 + static_cast<std::uint64_t>(value);
  return sum;
}

std::uint64_t hash(std::uint64_t (&table)[slots], std::uint64_t seed) {
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

std::uint64_t all(arrays& of, int repetitions) {
  std::uint64_t result = 0;
  for (int k = 0; k < repetitions; ++k) {
    result += sieve(of.composite_free);
    result ^= product(of, k + 1);
    result += hash(of.table, static_cast<std::uint64_t>(k) + 7);
  }
  return result;
}

int number(int argc, char** argv, int which, int otherwise) {
  if (which >= argc) return otherwise;
  int value = 0;
  for (char const* digit = argv[which]; *digit >= '0' && *digit <= '9'; ++digit) value = value * 10 + (*digit - '0');
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  int const repetitions = number(argc, argv, 1, 20);
  auto const harts = static_cast<std::size_t>(number(argc, argv, 2, 1));
  if (harts < 1 || harts > harts_max) return 2;
  std::unique_ptr<arrays[]> const mapped(argc > 3 ? new arrays[harts] : nullptr);
  arrays* const own = mapped != nullptr ? mapped.get() : of_harts;
  std::vector<std::thread> others;
  for (std::size_t hart = 1; hart < harts; ++hart)
    others.emplace_back([own, hart, repetitions] { (void)all(own[hart], repetitions); });
  std::uint64_t const result = all(own[0], repetitions);
  for (auto& one : others) one.join();
  std::printf("check %016llx\n", static_cast<unsigned long long>(result));
}
