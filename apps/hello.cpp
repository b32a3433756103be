// hello: one line from every place, in order.
#include <cstdio>
#include <string>

#include "tess/tess.hpp"

int main(int argc, char** argv) {
  return tess::run(argc, argv, [](tess::args) -> tess::task<int> {
    for (unsigned p = 0; p < tess::places(); ++p) {
      // The place reports its number; place 0 prints, so that the lines are in order.
      struct greeting {
        unsigned place, workers;
      };
      greeting const g =
          co_await tess::at(static_cast<tess::place_id>(p), [] { return greeting{tess::here(), tess::workers()}; });
      std::printf("hello from place %u of %u, with %u worker%s\n", g.place, unsigned{tess::places()}, g.workers,
                  g.workers == 1 ? "" : "s");
    }
    tess::report_result("greetings", std::to_string(tess::places()));
    co_return 0;
  });
}
