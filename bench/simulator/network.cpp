// network: simulated cycles per second of the network alone: a 4x4 mesh, 4 channels, packets of one flit.
//
// BookSim2 (commit 28f4329) simulates the same network at 78, 45, 33 and 26 thousand cycles/s for 0.1, 0.2, 0.3 and 0.4
// flits per node and cycle, on the machine on which reference/booksim_curves.csv was measured.
#include <CLI/CLI.hpp>
#include <chrono>

#include "harness/pin.hpp"
#include "harness/suite.hpp"
#include "machine/network/traffic.hpp"

namespace {

double thousand_cycles(double rate) {
  tess::machine::network_parameters parameters;
  parameters.width = parameters.height = 4;
  parameters.virtual_networks = {{4}};
  tess::machine::traffic load;
  load.rate = rate;
  load.measured_cycles = 100'000;
  auto const start = std::chrono::steady_clock::now();
  auto const result = tess::machine::measure(parameters, load);
  std::chrono::duration<double> const took = std::chrono::steady_clock::now() - start;
  return static_cast<double>(result.cycles) / took.count() * 1e-3;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Simulated cycles per second of a 4x4 mesh under uniform load.");
  bench::options chosen;
  bench::declare(app, chosen);
  if (auto const code = bench::parse(app, argc, argv)) return *code;

  bench::suite cycles("machine_network", chosen);
  for (double const rate : {0.1, 0.2, 0.3, 0.4}) {
    cycles.alone("4x4 mesh, 4 channels, at 0." + std::to_string(static_cast<int>(rate * 10 + 0.5)), 1, "k/s",
                 [rate] { return bench::on_cpu(0, [rate] { return thousand_cycles(rate); }); });
  }
  return cycles.finish();
}
