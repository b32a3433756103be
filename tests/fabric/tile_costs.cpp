// tile_costs: cycles of the runtime's operations between tiles of a simulated machine, as a task measures them.
//
//   Built and run by hand; a run is the same every time: docs/use/performance.md has the command and the figures.
#include <array>
#include <cstdio>
#include <vector>

#include "tess/tess.hpp"

namespace {

std::uint64_t cycles() {
  std::uint64_t now;
  asm volatile("rdcycle %0" : "=r"(now));
  return now;
}

constexpr unsigned rounds = 64;

/// In sequence; the first ones fill the caches.
template <class Operation>
tess::task<> measure(char const* what, Operation operation) {
  for (unsigned i = 0; i < rounds / 4; ++i) co_await operation();
  std::uint64_t const begin = cycles();
  for (unsigned i = 0; i < rounds; ++i) co_await operation();
  std::printf("%-40s %8llu\n", what, static_cast<unsigned long long>((cycles() - begin) / rounds));
}

tess::task<> measure_blocks(tess::place_id there) {
  for (std::size_t const bytes : {64UZ, 512UZ, 4096UZ, 32768UZ}) {
    auto const far = co_await tess::at(there, [](std::size_t n) { return tess::allocate<std::byte>(n); }, bytes);
    std::vector<std::byte> here(bytes);
    std::array<char, 40> name{};
    std::snprintf(name.data(), name.size(), "put of %zu bytes", bytes);
    co_await measure(name.data(), [&]() -> tess::task<> { co_await tess::put(here, far); });
    std::snprintf(name.data(), name.size(), "get of %zu bytes", bytes);
    co_await measure(name.data(),
                     [&]() -> tess::task<> { co_await tess::get(tess::global_ptr<std::byte const>(far), here); });
  }
}

/// At the other place; uncontended.
tess::task<> measure_events(tess::place_id there) {
  using queue = tess::match_queue<std::uint64_t>;
  struct events {
    tess::mutex lock;
    queue items;
  };
  auto const made = co_await tess::at(there, [] {
    auto const raw = tess::allocate<std::byte>(sizeof(events));
    auto* const e = new (raw.local()) events;
    return std::array{e->lock.address().bits(), e->items.address().bits()};
  });
  auto const lock = tess::global_ptr<tess::mutex>::from_bits(made[0]);
  auto const items = tess::global_ptr<queue>::from_bits(made[1]);
  co_await measure("lock and unlock of a mutex", [&]() -> tess::task<> {
    co_await tess::lock(lock);
    co_await tess::unlock(lock);
  });
  co_await measure("push and pop of a match_queue", [&]() -> tess::task<> {
    co_await tess::push(items, 1);
    static_cast<void>(co_await tess::pop(items));
  });
}

struct leaf {
  std::uint64_t words[4];
};
struct small_graph {
  std::array<leaf*, 10> leaves{};
  tess::array<std::uint64_t> data;
};

/// Ten objects and an array, about the size of a closure of IMSuite; no other call is under way.
tess::task<> measure_graphs(tess::place_id there, std::uint64_t array_words) {
  auto* const root = tess::make<small_graph>();
  for (leaf*& l : root->leaves) l = tess::make<leaf>();
  root->data = tess::place_objects().make_array<std::uint64_t>(array_words);
  constexpr std::array names = {"message_passing", "pegasus", "nemesys", "no_nca"};
  constexpr std::array by = {tess::copier::message_passing, tess::copier::pegasus, tess::copier::nemesys,
                             tess::copier::no_nca};
  for (std::size_t i = 0; i < by.size(); ++i) {
    std::array<char, 64> name{};
    std::snprintf(name.data(), name.size(), "at, graph with %llu words, %s",
                  static_cast<unsigned long long>(array_words), names[i]);
    co_await measure(name.data(),
                     [&]() -> tess::task<> { co_await tess::at(there, by[i], [](small_graph*) {}, root); });
  }
  // The message is too long for the accelerators: the runtimes exchange the address and send the call.
  std::array<std::byte, 512> const more{};
  co_await measure("the same, nemesys, with 512 bytes more", [&]() -> tess::task<> {
    co_await tess::at(there, tess::copier::nemesys, [more](small_graph*) { static_cast<void>(more); }, root);
  });
}

tess::task<int> measure_all(tess::args) {
  auto const there = static_cast<tess::place_id>(tess::places() - 1);
  std::printf("%u places, to place %u; cycles\n", unsigned{tess::places()}, unsigned{there});
  auto const word = co_await tess::at(there, [] { return tess::allocate<std::uint64_t>(); });
  co_await measure("get of a word", [&]() -> tess::task<> { static_cast<void>(co_await tess::get(word)); });
  co_await measure("put of a word", [&]() -> tess::task<> { co_await tess::put(word, std::uint64_t{1}); });
  co_await measure("fetch_add",
                   [&]() -> tess::task<> { static_cast<void>(co_await tess::fetch_add(word, std::uint64_t{1})); });
  co_await measure("compare_swap", [&]() -> tess::task<> {
    static_cast<void>(co_await tess::compare_swap(word, std::uint64_t{1}, std::uint64_t{1}));
  });
  co_await measure("empty at, function", [&]() -> tess::task<> { co_await tess::at(there, [] {}); });
  co_await measure("empty at, task",
                   [&]() -> tess::task<> { co_await tess::at(there, []() -> tess::task<> { co_return; }); });
  co_await measure("empty at of the own place", [&]() -> tess::task<> { co_await tess::at(tess::here(), [] {}); });
  co_await measure_events(there);
  co_await measure_blocks(there);
  co_await measure_graphs(there, 8);
  co_await measure_graphs(there, 2048);
  // A barrier of one task at every place; place 0 measures it.
  co_await tess::on_all_places([]() -> tess::task<> {
    auto const wait = []() -> tess::task<> { co_await tess::barrier(); };
    if (tess::here() == 0) {
      co_await measure("barrier of all places", wait);
    } else {
      for (unsigned i = 0; i < rounds + rounds / 4; ++i) co_await wait();
    }
  });
  co_return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return tess::run(argc, argv, measure_all);
}
