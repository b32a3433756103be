// waiting_places: all places communicate in one way without end, so that a test can fail one of them.
//
//   Usage: waiting_places words|blocks|calls|barrier|graphs|events|catch. Prints "at work" at the start. With `catch`,
//   place 0 continues when a place fails, works with the remaining ones and exits with 0; it prints the errors.
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tess/tess.hpp"

namespace {

using namespace tess;

place_id next() {
  return static_cast<place_id>((here() + 1) % places());
}

struct node {
  node* next;
  std::uint64_t number;
};

task<void> words() {
  auto const there = co_await at(next(), [] { return allocate<std::uint64_t>(); });
  for (;; co_await barrier())
    for (int i = 0; i < 1000; ++i) co_await fetch_add(there, 1);
}
task<void> blocks() {
  auto const there = co_await at(next(), [] { return allocate<std::uint64_t>(20000); });
  std::vector<std::uint64_t> numbers(20000, here());
  for (;; co_await barrier()) {
    co_await put(numbers, there);
    co_await get(there, numbers);
  }
}
task<void> calls() {
  for (;;)
    co_await finish([] {
      for (unsigned p = 0; p < places(); ++p)
        at_async(static_cast<place_id>(p),
                 []() -> task<void> { static_cast<void>(co_await at(next(), [] { return 1; })); });
    });
}
task<void> barriers() {
  for (;;) co_await barrier();
}
constexpr std::uint64_t list_length = 20000;

std::uint64_t sum_of(node const* list) {
  std::uint64_t sum = 0;
  for (; list != nullptr; list = list->next) sum += list->number;
  return sum;
}

void check(std::uint64_t sum) {
  if (sum != list_length * (list_length - 1) / 2)
    throw std::runtime_error("a list arrived with the sum " + std::to_string(sum));
}

/// There and back by every copier.
task<void> graphs() {
  node* list = nullptr;
  for (std::uint64_t i = 0; i < list_length; ++i) list = make<node>(list, i);
  for (;; co_await barrier())
    for (copier const by : {copier::message_passing, copier::pegasus, copier::nemesys}) {
      check(co_await at(next(), by, [](node* l) { return sum_of(l); }, list));
      check(sum_of((co_await at(next(), by, [](node* l) { return l; }, list)).get()));
    }
}
task<void> events() {
  // The word is never written: only the failure of a place ends the wait.
  sync_var<int> empty;
  co_await at(
      next(), [](global_ptr<sync_var<int>> v) -> task<void> { static_cast<void>(co_await read_fe(v)); },
      empty.address());
}

task<void> everywhere(std::string_view what) {
  co_await finish([what] {
    for (unsigned p = 0; p < places(); ++p) {
      auto const to = static_cast<place_id>(p);
      if (what == "words") at_async(to, [] { return words(); });
      if (what == "blocks") at_async(to, [] { return blocks(); });
      if (what == "calls") at_async(to, [] { return calls(); });
      if (what == "barrier" || what == "catch") at_async(to, [] { return barriers(); });
      if (what == "graphs") at_async(to, [] { return graphs(); });
      if (what == "events") at_async(to, [] { return events(); });
    }
  });
}

task<int> waiting_places(args given) {
  std::string const what = given.empty() ? "" : given[0];
  std::puts("at work");
  std::fflush(stdout);
  if (what != "catch") {
    co_await everywhere(what);
    co_return 3;
  }
  std::optional<place_id> failed;
  try {
    co_await everywhere(what);
  } catch (place_failed const& e) {
    std::printf("caught: %s\n", e.what());
    failed = e.place();
  }
  if (!failed) co_return 3;
  std::uint64_t left = 0;
  for (unsigned p = 0; p < places(); ++p)
    if (p != *failed) left += co_await at(static_cast<place_id>(p), [] { return std::uint64_t{1}; });
  std::printf("%llu places are left\n", static_cast<unsigned long long>(left));
  co_return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return tess::run(argc, argv, waiting_places);
}
