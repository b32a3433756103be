// event_nodes: the load on our event kernel, as processes and as devices.
#include "simulator/event_nodes.hpp"

#include <chrono>
#include <deque>

#include "machine/kernel/kernel.hpp"

namespace bench {
namespace {

using tess::machine::event;
using tess::machine::kernel;
using tess::machine::process;

double rate(kernel& k, std::uint64_t cycles) {
  std::uint64_t const before = k.events();
  auto const start = std::chrono::steady_clock::now();
  k.run_until(k.now() + cycles * event_period_ps);
  std::chrono::duration<double> const took = std::chrono::steady_clock::now() - start;
  return static_cast<double>(k.events() - before) / took.count() * 1e-6;
}

process node(kernel& k, std::uint32_t number) {
  node_delays delays(number);
  for (;;) co_await k.delay(delays.next() * event_period_ps);
}

struct device : event {
  device(kernel& owner, std::uint32_t number) : event(tick), k(owner), delays(number) {}
  static void tick(event& self) {
    auto& ticked = static_cast<device&>(self);
    ticked.k.after(ticked.delays.next() * event_period_ps, ticked);
  }
  kernel& k;
  node_delays delays;
};

}  // namespace

double process_events(std::uint32_t nodes, std::uint64_t events) {
  kernel k(event_period_ps);
  for (std::uint32_t i = 0; i < nodes; ++i) k.start(node(k, i));
  return rate(k, 2 * events / nodes);  // the mean delay is 2 cycles
}

double device_events(std::uint32_t nodes, std::uint64_t events) {
  kernel k(event_period_ps);
  std::deque<device> devices;
  for (std::uint32_t i = 0; i < nodes; ++i) k.after(0, devices.emplace_back(k, i));
  return rate(k, 2 * events / nodes);
}

}  // namespace bench
