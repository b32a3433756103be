// regions: named parts whose instructions are known: nested, repeated, inside of themselves, on several threads, and
// left open by a thread that ends.
#include <cstdio>
#include <cstdlib>
#include <tess/machine/measure.hpp>
#include <thread>

namespace {

using tess::machine::region;

/// Three instructions a round.
[[gnu::noinline]] void spin(long rounds) {
  asm volatile("1: addi %0, %0, -1\n addi zero, zero, 0\n bnez %0, 1b" : "+r"(rounds));
}

[[gnu::noinline]] void again(int depth) {
  region const r("again");
  spin(100);
  if (depth > 0) again(depth - 1);
}

void work() {
  region const r("thread");
  spin(20'000);
}

void leave() {
  tess::machine::begin_region("left");
  spin(100);
}

}  // namespace

int main(int count, char**) {
  {
    region const outer("outer");
    spin(1000);
    for (int i = 0; i < 3; ++i) {
      region const inner("inner, \"<quoted>\"");
      spin(2000);
    }
    spin(1000);
  }
  again(4);
  std::thread one(work);
  std::thread two(work);
  one.join();
  two.join();
  std::thread(leave).join();
  spin(10'000);
  tess::machine::end_region();  // of none
  std::puts(count > 1 ? "and ends inside" : "done");
  tess::machine::begin_region("end");
  spin(500);
  std::exit(0);
}
