// kills: servers with files, pairs of servers and their clients are killed at random points, and what was acknowledged
// is compared with a model.
//
// Method: tests/rmem/acknowledged_writes.hpp, on a server with a file and on a pair at the same time, from two threads;
// a new server and a new pair begin every few seconds. TESS names the command.
#include <chrono>
#include <exception>
#include <string>
#include <thread>

#include "campaign.hpp"
#include "rmem/acknowledged_writes.hpp"
#include "rmem/memd_pair.hpp"
#include "rmem/memd_process.hpp"
#include "rmem/running_server.hpp"

namespace tess::hostile {
namespace {

using namespace rmem;

constexpr int kills_of_one = 60;

/// `kill_one` is false if the servers do not recover.
template <class Random, class F>
void kill_often(campaign& c, std::string const& at, Random& random, F&& kill_one) {
  acknowledged_writes writes(at);
  for (int i = 0; i < kills_of_one && c.goes_on(); ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 30000));
    if (!kill_one()) return c.failed("the servers do not recover");
    c.counted();
    if (random() % 2 == 0) {
      writes.kill_client();
      c.counted();
    }
    if (auto const problem = writes.problem(); !problem.empty()) return c.failed(problem);
  }
  if (auto const problem = writes.end(); !problem.empty()) c.failed(problem);
}

void kill_servers_with_files(campaign& c) {
  auto random = c.draw(1);
  while (c.goes_on()) {
    auto const at = fresh_address();
    kept_file const file;
    memd_process server({"--size", "32M", "--name", at, "--file", file.path.string()});
    kill_often(c, at, random, [&] {
      server.restart();
      return true;
    });
  }
}

void kill_pairs(campaign& c) {
  auto random = c.draw(2);
  while (c.goes_on()) {
    memd_pair pair;
    if (!pair.in_sync()) return c.failed("two servers do not begin");
    kill_often(c, pair.both(), random, [&] {
      pair.servers[random() % 2]->restart();
      return pair.in_sync();
    });
  }
}

template <class F>
void report_exceptions(campaign& c, F&& kill) {
  try {
    kill(c);
  } catch (std::exception const& e) {
    c.failed(e.what());
  }
}

}  // namespace
}  // namespace tess::hostile

int main(int argc, char** argv) {
  using namespace tess::hostile;
  campaign c("kills", argc, argv);
  std::thread files([&] { report_exceptions(c, kill_servers_with_files); });
  report_exceptions(c, kill_pairs);
  files.join();
  return c.end();
}
