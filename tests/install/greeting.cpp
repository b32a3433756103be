// greeting: a shared library that prints, at the last place, the number of places.
#include <cstdio>
#include <tess/tess.hpp>

tess::task<void> greet() {
  auto const last = static_cast<tess::place_id>(tess::places() - 1);
  co_await tess::at(last, [] { std::printf("hello from one of %d places\n", static_cast<int>(tess::places())); });
}
