// busy_place: the last place computes for some seconds without a co_await, while place 0 adds to a word of it.
//
//   The busy place must not be considered failed, and without windows its word must still be served. Prints how many
//   additions place 0 made meanwhile. Usage: busy_place SECONDS.
#include <charconv>
#include <chrono>
#include <cstdio>

#include "tess/tess.hpp"

namespace {

using clock_type = std::chrono::steady_clock;

constexpr auto compute = [](double seconds) {
  auto const end = clock_type::now() + std::chrono::duration<double>(seconds);
  std::uint64_t turns = 0;
  while (clock_type::now() < end) ++turns;
  return turns;
};

tess::task<int> busy_place(tess::args words) {
  double seconds = 1;
  if (!words.empty()) std::from_chars(words[0].data(), words[0].data() + words[0].size(), seconds);
  auto const busy = static_cast<tess::place_id>(tess::places() - 1);
  auto const counted = co_await tess::at(busy, [] {
    auto const p = tess::allocate<std::uint64_t>(1);
    *p.local() = 0;
    return p;
  });
  auto const begin = clock_type::now();
  std::uint64_t additions = 0;
  co_await tess::finish([&]() -> tess::task<void> {
    tess::at_async(busy, [](double s) { compute(s); }, seconds);
    co_await tess::yield();
    // Stop after half the time: the last additions must not be those that waited for its end.
    while (clock_type::now() - begin < std::chrono::duration<double>(seconds / 2)) {
      co_await tess::fetch_add(counted, std::uint64_t{1});
      ++additions;
    }
  });
  std::uint64_t const value = co_await tess::get(counted);
  std::printf("%llu additions\n", static_cast<unsigned long long>(additions));
  co_return additions >= 100 && value == additions ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return tess::run(argc, argv, busy_place);
}
