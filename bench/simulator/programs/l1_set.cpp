// l1_set: a program for simulators whose data, 12 KiB per hart, fit in a first-level cache: random numbers into an
// array, a running sum with stores, and a search. Arguments: thousands of rounds; number of harts.
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t words = 1024;
constexpr std::size_t harts_max = 4;

struct arrays {
  std::uint64_t values[words];
  std::uint32_t sums[words];
};
alignas(4096) arrays of_harts[harts_max];

std::uint64_t round_of(arrays& of, std::uint64_t h) {
  for (std::uint64_t& each : of.values) {
    h ^= h << 13U;
    h ^= h >> 7U;
    h ^= h << 17U;
    each += h;
  }
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < words; ++i) of.sums[i] = sum += static_cast<std::uint32_t>(of.values[i] & 0xffU);
  std::size_t low = 0;
  for (std::size_t step = words / 2; step > 0; step /= 2)
    if (of.sums[low + step - 1] < sum / 2) low += step;
  return h + low;
}

std::uint64_t all(arrays& of, std::uint64_t rounds) {
  std::uint64_t h = 88172645463325252U;
  for (std::uint64_t i = 0; i < rounds; ++i) h = round_of(of, h) | 1U;
  return h;
}

std::uint64_t number(int argc, char** argv, int which, std::uint64_t otherwise) {
  if (which >= argc) return otherwise;
  std::uint64_t value = 0;
  for (char const* digit = argv[which]; *digit >= '0' && *digit <= '9'; ++digit)
    value = value * 10 + static_cast<std::uint64_t>(*digit - '0');
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t const rounds = 1000 * number(argc, argv, 1, 4);
  auto const harts = static_cast<std::size_t>(number(argc, argv, 2, 1));
  if (harts < 1 || harts > harts_max) return 2;
  std::vector<std::thread> others;
  for (std::size_t hart = 1; hart < harts; ++hart)
    others.emplace_back([hart, rounds] { (void)all(of_harts[hart], rounds); });
  std::uint64_t const result = all(of_harts[0], rounds);
  for (auto& one : others) one.join();
  std::printf("check %016llx\n", static_cast<unsigned long long>(result));
}
