// program: uses the shared object it is linked with.
#include <cstdio>
#include <stdexcept>

#include "library.hpp"

int main(int argc, char** argv) {
  return tess::run(argc, argv, [](tess::args) -> tess::task<int> {
    int const checks = co_await library::check_calls();
    for (tess::place_id p = 0; p < tess::places(); ++p) {
      int const theirs = co_await library::call_common(p, 10);
      int const ours = co_await tess::at(p, common_callable{20});
      // A call from the program at a place whose handler calls library code.
      int const through =
          co_await tess::at(p, [p]() -> tess::task<int> { co_return co_await library::call_common(p, 30); });
      if (theirs != p + 10 || ours != p + 20 || through != p + 30) throw std::runtime_error("program: wrong results");
    }
    std::printf("%d checks for each of %d places\n", (checks - 2) / tess::places(), tess::places());
    co_return 0;
  });
}
