// stalling_program: a program whose one task waits for a counter that nobody acknowledges; stall_report_test runs it.
#include "tess/tess.hpp"

namespace {

tess::task<void> wait_for_ever() {
  tess::counter never;
  never.expect(1);
  co_await never;  // the line that the report names
}

}  // namespace

int main(int argc, char** argv) {
  return tess::run(argc, argv, [](tess::args) -> tess::task<int> {
    co_await tess::at(static_cast<tess::place_id>(tess::places() - 1), []() -> tess::task<void> { co_await wait_for_ever(); });
    co_return 0;
  });
}
