// stalling_program: a program that hangs in the way that its word says; stall_report_test runs it.
#include <array>
#include <chrono>
#include <string_view>
#include <thread>

#include "tess/tess.hpp"

namespace {

tess::task<void> wait_for_ever() {
  tess::counter never;
  never.expect(1);
  co_await never;  // the line that the report names
}

tess::task<void> destroy_too_early() {
  co_await tess::yield();  // the line before the destructor
  tess::counter never;
  never.expect(1);
}

/// The other place sleeps in the system, and takes no message.
tess::task<void> flood() {
  auto const nobody_listens = tess::at(1, [] { std::this_thread::sleep_for(std::chrono::hours(1)); });
  co_await tess::yield();  // the line before the flood
  for (;;) tess::at_async(1, [](std::array<std::uint64_t, 64>) {}, std::array<std::uint64_t, 64>{});
}

}  // namespace

int main(int argc, char** argv) {
  return tess::run(argc, argv, [](tess::args words) -> tess::task<int> {
    std::string_view const how = words.empty() ? "counter" : std::string_view(words.front());
    auto const last = static_cast<tess::place_id>(tess::places() - 1);
    if (how == "counter") co_await tess::at(last, []() -> tess::task<void> { co_await wait_for_ever(); });
    if (how == "destructor") co_await tess::at(last, []() -> tess::task<void> { co_await destroy_too_early(); });
    if (how == "credit") co_await flood();
    co_return 0;
  });
}
