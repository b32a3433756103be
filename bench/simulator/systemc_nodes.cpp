// systemc_nodes: the same load on SystemC. Compiled as C++17, like Debian's library.
#include <chrono>
#include <deque>
#include <string>
#include <systemc>

#include "simulator/event_nodes.hpp"

namespace bench {
namespace {

std::uint64_t happened = 0;

struct node : sc_core::sc_module {
  SC_HAS_PROCESS(node);
  node(sc_core::sc_module_name const& name, std::uint32_t number) : sc_core::sc_module(name), delays(number) {
    SC_METHOD(tick);
    sensitive << wake;  // cheaper than next_trigger(), which needs one more event per wait
  }
  void tick() {
    ++happened;
    wake.notify(periods[delays.next()]);
  }
  node_delays delays;
  sc_core::sc_event wake;
  // Constructed once: constructing an sc_time from a number is slower than waiting for it.
  sc_core::sc_time periods[4] = {sc_core::SC_ZERO_TIME, sc_core::sc_time(1, sc_core::SC_NS),
                                 sc_core::sc_time(2, sc_core::SC_NS), sc_core::sc_time(3, sc_core::SC_NS)};
};

}  // namespace

double systemc_events(std::uint32_t nodes, std::uint64_t events) {
  static std::deque<node> built;
  if (built.empty()) {
    for (std::uint32_t i = 0; i < nodes; ++i) built.emplace_back(("node_" + std::to_string(i)).c_str(), i);
    sc_core::sc_start(1, sc_core::SC_NS);
  }
  std::uint64_t const before = happened;
  auto const start = std::chrono::steady_clock::now();
  sc_core::sc_start(static_cast<double>(2 * events / nodes), sc_core::SC_NS);
  std::chrono::duration<double> const took = std::chrono::steady_clock::now() - start;
  return static_cast<double>(happened - before) / took.count() * 1e-6;
}

}  // namespace bench

// Required by the library of SystemC; not called.
int sc_main(int, char**) {
  return 0;
}
