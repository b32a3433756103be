// library: code of a shared object that calls at other places, in every way available to a program.
#include "library.hpp"

#include <array>
#include <stdexcept>
#include <string>

namespace library {
namespace {

int checks = 0;

void check(bool good, char const* what) {
  if (!good) throw std::runtime_error(std::string("library: ") + what);
  ++checks;
}

tess::task<int> twice(int x) {
  co_await tess::yield();
  co_return 2 * x;
}

/// What `body` throws, as text.
template <class Error, class F>
tess::task<std::string> text_thrown(F body) {
  std::string text;
  try {
    co_await body();
  } catch (Error const& e) {
    text = e.what();
  }
  co_return text;
}

tess::task<void> check_place(tess::place_id p) {
  check(co_await tess::at(p, [] { return tess::here(); }) == p, "a plain callable runs at its place");
  std::array<long, 20> captured{};
  captured[19] = 19 + p;
  check(
      co_await tess::at(p, [captured](long x) { return captured[19] + x; }, 100L) == 119 + p, "captures and arguments");
  check(co_await tess::at(p,
                          [p]() -> tess::task<int> {
                            int const x = co_await tess::at(static_cast<tess::place_id>((p + 1) % tess::places()),
                                                            [] { return 20; });
                            co_return co_await twice(x + tess::here());
                          }) == 2 * (20 + p),
        "a coroutine suspends, and calls on");

  std::string const other = co_await text_thrown<std::exception>(
      [p] { return tess::at(p, [] { throw std::runtime_error("thrown in the library"); }); });
  check(other.find("thrown in the library") != std::string::npos, "an exception comes back");
  std::string const ours = co_await text_thrown<tess::error>([p]() -> tess::task<void> {
    co_await tess::at(p, []() -> tess::task<void> {
      co_await tess::yield();
      throw tess::error("library", "what", "expected");
    });
  });
  check(ours.find("expected") != std::string::npos, "tess::error keeps its type");
}

}  // namespace

tess::task<int> check_calls() {
  checks = 0;
  for (tess::place_id p = 0; p < tess::places(); ++p) co_await check_place(p);

  auto const counts = co_await tess::place_local<long>::make(0);
  co_await tess::finish([&] {
    for (int i = 0; i < 300; ++i)
      tess::spawn([counts, i]() -> tess::task<void> {
        auto const p = static_cast<tess::place_id>(i % tess::places());
        tess::at_async(p, [counts] { tess::place_atomic([&] { ++*counts; }); });
        tess::at_async(
            p,
            [counts](long n) -> tess::task<void> {
              co_await tess::yield();
              tess::place_atomic([&] { *counts += n; });
            },
            10L);
        co_return;
      });
  });
  long sum = 0;
  for (tess::place_id p = 0; p < tess::places(); ++p) sum += co_await tess::at(p, [counts] { return *counts; });
  check(sum == 3300, "at_async of plain callables and coroutines");

  std::string const late = co_await text_thrown<std::exception>([]() -> tess::task<void> {
    co_await tess::finish([] {
      tess::at_async(static_cast<tess::place_id>(tess::places() - 1),
                     [] { throw std::runtime_error("for the finish"); });
    });
  });
  check(late.find("for the finish") != std::string::npos, "an exception of at_async reaches the finish");
  co_return checks;
}

tess::task<int> call_common(tess::place_id place, int summand) {
  co_return co_await tess::at(place, common_callable{summand});
}

}  // namespace library
