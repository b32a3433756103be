// kernel: events per second of the simulator's event kernel, against SystemC where that is installed.
#include <CLI/CLI.hpp>

#include "harness/pin.hpp"
#include "harness/suite.hpp"
#include "simulator/event_nodes.hpp"

int main(int argc, char** argv) {
  CLI::App app("Events per second of the simulator's kernel: nodes that wait 1 to 3 cycles.");
  bench::options chosen;
  bench::declare(app, chosen);
  if (auto const code = bench::parse(app, argc, argv)) return *code;

  bench::suite events("machine_kernel", chosen);
  auto const processes = [](std::uint32_t nodes) {
    return [nodes] { return bench::on_cpu(0, [nodes] { return bench::process_events(nodes, 5'000'000); }); };
  };
  auto const devices = [] { return bench::on_cpu(0, [] { return bench::device_events(256, 5'000'000); }); };
#if TESS_BENCH_SYSTEMC
  auto const systemc = [] { return bench::on_cpu(0, [] { return bench::systemc_events(256, 2'000'000); }); };
  events.pair("processes, 256 nodes, to SC_METHOD", 1, "M/s", systemc, processes(256));
  events.pair("devices, 256 nodes, to SC_METHOD", 1, "M/s", systemc, devices);
#else
  events.alone("processes, 256 nodes", 1, "M/s", processes(256));
  events.alone("devices, 256 nodes", 1, "M/s", devices);
#endif
  events.alone("processes, 4096 nodes", 1, "M/s", processes(4096));
  return events.finish();
}
