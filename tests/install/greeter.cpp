// greeter: a program that calls the shared library `greeting`.
#include <tess/tess.hpp>

tess::task<void> greet();

int main(int argc, char** argv) {
  return tess::run(argc, argv, [](tess::args) -> tess::task<int> {
    co_await greet();
    co_return 0;
  });
}
