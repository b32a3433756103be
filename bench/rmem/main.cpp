// main: remote memory beside the limits of this host: transfers, round trips, arrays larger than their cache, several
// clients, and a primary with a backup. Rows by the socket use TCP on this host, because local clients get a mapping.
#include <CLI/CLI.hpp>

#include "rmem/cases.hpp"

int main(int argc, char** argv) {
  CLI::App app("remote memory: transfers, round trips, arrays, several clients, two servers");
  bench::options chosen;
  bench::declare(app, chosen);
  if (auto const code = bench::parse(app, argc, argv)) return *code;
  bench::suite suite("rmem", chosen);
  // Before any thread is started.
  bench::memory_server const server("2G");
  bench::echo empty;
  bench::mapped_transfers(suite, server);
  bench::round_trip(suite, server, empty);
  bench::scans(suite, server);
  bench::random_access(suite, server);
  bench::several_clients(suite, server);
  bench::replicated_writes(suite, server);
  return suite.finish();
}
