// stalling_program: a program that hangs in the way that its argument names; stall_report_test runs it.
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
  [[maybe_unused]] auto const nobody_listens = tess::at(1, [] { std::this_thread::sleep_for(std::chrono::hours(1)); });
  co_await tess::yield();  // the line before the flood
  for (;;) tess::at_async(1, [](std::array<std::uint64_t, 64>) {}, std::array<std::uint64_t, 64>{});
}

tess::task<int> forty_two(tess::sync_var<int>& v) {
  co_return co_await v.read_ff();  // the future's own wait
}

/// Waits for ever for an event of the kind that the word names.
tess::task<void> wait_for_event(std::string_view kind) {
  tess::sync_var<int> empty;
  tess::sync_var<int> full(1);
  tess::queue<int, 1> items;
  tess::match_queue<int, 1> matched;
  tess::mutex locked;
  tess::semaphore none(0);
  tess::event_counter never(1);
  auto const alone = co_await tess::tree_barrier::make(2);
  static_cast<void>(locked.try_lock());
  if (kind == "read_fe") co_await empty.read_fe();               // event read_fe
  if (kind == "read_ff") co_await empty.read_ff();               // event read_ff
  if (kind == "write_ef") co_await full.write_ef(2);             // event write_ef
  if (kind == "future") co_await tess::async(forty_two(empty));  // event future
  if (kind == "pop") co_await items.pop();                       // event pop
  static_cast<void>(items.try_push(1));
  if (kind == "push") co_await items.push(2);       // event push
  if (kind == "match_pop") co_await matched.pop();  // event match_pop
  static_cast<void>(matched.try_push(1));
  if (kind == "match_push") co_await matched.push(2);       // event match_push
  if (kind == "lock") co_await locked.lock();               // event lock
  if (kind == "acquire") co_await none.acquire();           // event acquire
  if (kind == "counter") co_await never;                    // event counter
  if (kind == "barrier") co_await alone.arrive_and_wait();  // event barrier
  if (kind == "remote") {
    auto const there = co_await tess::place_local<tess::sync_var<int>>::make();
    co_await tess::read_fe(there.of(static_cast<tess::place_id>(tess::places() - 1)));  // event remote
  }
}

}  // namespace

int main(int argc, char** argv) {
  return tess::run(argc, argv, [](tess::args words) -> tess::task<int> {
    std::string_view const how = words.empty() ? "counter" : std::string_view(words.front());
    auto const last = static_cast<tess::place_id>(tess::places() - 1);
    if (how == "counter") co_await tess::at(last, []() -> tess::task<void> { co_await wait_for_ever(); });
    if (how == "destructor") co_await tess::at(last, []() -> tess::task<void> { co_await destroy_too_early(); });
    if (how == "credit") co_await flood();
    if (how == "event") co_await wait_for_event(words.back());
    co_return 0;
  });
}
