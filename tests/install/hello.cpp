// hello: the smallest program; prints the number of places.
#include <cstdio>
#include <tess/tess.hpp>

int main(int argc, char** argv) {
  return tess::run(argc, argv, [](tess::args) -> tess::task<int> {
    std::printf("hello from one of %d places\n", static_cast<int>(tess::places()));
    co_return 0;
  });
}
