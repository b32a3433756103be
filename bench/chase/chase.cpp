// chase: tasks that follow lists, the gate at which they start together, and two places that follow each other's lists.
#include "chase/chase.hpp"

#include <array>
#include <memory>
#include <optional>
#include <stdexcept>

#include "harness/clock.hpp"
#include "harness/splitmix.hpp"

namespace bench {
namespace {

/// Lines that a task follows between two checks of the common count.
constexpr std::uint64_t stretch = 16;

/// State shared by all tasks of a measurement.
struct course {
  std::uint64_t left;  ///< remaining lines, all tasks together
  std::unique_ptr<tess::counter[]> gates;
  std::uint32_t waiting = 0;
  double end = 0;

  /// Reports a followed stretch; whether to continue.
  bool go_on() noexcept {
    if (left > stretch) {
      left -= stretch;
      return true;
    }
    left = 0;
    if (end == 0) end = timestamp();
    return false;
  }
};

tess::task<void> follow(std::uint64_t at, course& c, tess::counter& gate) {
  ++c.waiting;
  co_await gate;
  do {
    for (std::uint64_t i = 0; i < stretch; ++i) at = co_await tess::get(tess::global_ptr<std::uint64_t>::from_bits(at));
  } while (c.go_on());
  do_not_optimize(at);
}

tess::task<void> follow_and_update(std::uint64_t at, course& c, tess::counter& gate, updates extra) {
  std::size_t const words = extra.bytes / sizeof(std::uint64_t);
  std::vector<std::uint64_t> own(words);
  std::uint64_t random = at;
  ++c.waiting;
  co_await gate;
  do {
    for (std::uint64_t i = 0; i < stretch; ++i) {
      at = co_await tess::get(tess::global_ptr<std::uint64_t>::from_bits(at));
      for (std::uint32_t u = 0; u < extra.count; ++u) {
        random = random * 6364136223846793005U + 1442695040888963407U;
        own[(random >> 33U) & (words - 1)] += random;
      }
    }
  } while (c.go_on());
  do_not_optimize(own.data());
}

/// Rates by number of tasks.
tess::task<std::vector<double>> measure_between(std::vector<std::uint32_t> const& counts, std::size_t bytes,
                                                std::uint64_t least_lines) {
  // The places of this job are threads of one process, so the lists of both can be built by their owners and stored
  // here.
  std::array<std::optional<lists>, 2> made;
  co_await tess::on_all_places(tess::unchecked([&made, bytes]() -> tess::task<void> {
    made[tess::here()].emplace(make_lists(bytes, tess::here() + 1U));
    co_return;
  }));
  std::vector<double> rates;
  for (std::uint32_t const tasks : counts) {
    std::array<double, 2> rate{};
    co_await tess::on_all_places(tess::unchecked([&, tasks]() -> tess::task<void> {
      co_await tess::barrier();
      unsigned const me = tess::here();
      rate[me] = co_await chase(*made[1 - me], tasks / 2, lines_for(tasks, least_lines) / 2);
    }));
    rates.push_back(rate[0] + rate[1]);
  }
  co_return rates;
}

}  // namespace

lists make_lists(std::size_t bytes, std::uint64_t seed) {
  auto const memory = tess::allocate<list_line>(bytes / sizeof(list_line));
  return {std::span(memory.local(), bytes / sizeof(list_line)), memory.bits(), seed};
}

tess::task<double> chase(lists const& followed, std::uint32_t tasks, std::uint64_t lines, updates extra) {
  course c{lines, std::make_unique<tess::counter[]>(tasks)};
  double begin = 0;
  co_await tess::finish([&]() -> tess::task<void> {
    for (std::uint32_t k = 0; k < tasks; ++k) {
      c.gates[k].expect(1);
      std::uint64_t const at = followed.start_for_tasks(k, tasks);
      tess::spawn(extra.bytes == 0 ? follow(at, c, c.gates[k]) : follow_and_update(at, c, c.gates[k], extra));
    }
    while (c.waiting != tasks) co_await tess::yield();
    begin = timestamp();
    for (std::uint32_t k = 0; k < tasks; ++k) c.gates[k].acknowledge();
  });
  co_return static_cast<double>(lines) / (c.end - begin) / 1e6;
}

std::vector<double> chase_between_places(std::vector<std::uint32_t> const& counts, std::size_t bytes,
                                         tess::delay const& delay, std::uint64_t least_lines) {
  std::vector<double> rates;
  tess::settings s;
  s.places = 2;
  s.delay = delay;
  int const code = tess::run(s, {}, [&](tess::args) -> tess::task<int> {
    rates = co_await measure_between(counts, bytes, least_lines);
    co_return 0;
  });
  if (code != 0) throw std::runtime_error("the measured job failed");
  return rates;
}

}  // namespace bench
