// rmem_vector: multiplies a vector in remote memory, 8 times as large as all the memory this process may have.
#include <sys/resource.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <string>

#include "tess/rmem_array.hpp"
#include "tess/tess.hpp"

namespace rmem = tess::rmem;

constexpr std::uint64_t memory_bytes = std::uint64_t{64} << 20;
constexpr std::uint64_t items = 8 * memory_bytes / sizeof(double);

tess::task<int> multiply(tess::args) {
  auto v = co_await rmem::array<double>::create("vector", items);
  co_await v.forall([](std::uint64_t i, double& x) { x = static_cast<double>(i % 1000); });

  for (auto& tile : v.tiles(128 * 1024))
    for (double& x : tile) x *= 3;

  std::atomic<std::uint64_t> wrong{0};
  co_await v.as_const().forall([&wrong](std::uint64_t i, double const& x) {
    if (x != 3 * static_cast<double>(i % 1000)) ++wrong;
  });
  std::printf("%llu items multiplied, %llu wrong, in %llu bytes of memory\n", static_cast<unsigned long long>(items),
              static_cast<unsigned long long>(wrong), static_cast<unsigned long long>(memory_bytes));
  tess::report_result("wrong", std::to_string(wrong));
  co_return wrong == 0 ? 0 : 1;
}

int main(int argc, char** argv) {
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = memory_bytes;  // of addresses: code, stacks and everything mapped
  if (setrlimit(RLIMIT_AS, &limit) != 0) return 1;
  return tess::run(argc, argv, multiply);
}
