// kill_test: servers and clients are killed at random points, and no acknowledged write is lost. Method: what is read
// after a kill is compared with what was acknowledged (acknowledged_writes.hpp). TESS_SLOW: 200 rounds instead of 6.
// The seed is printed.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>

#include "acknowledged_writes.hpp"
#include "memd_pair.hpp"
#include "memd_process.hpp"
#include "running_server.hpp"

namespace tess::rmem {
namespace {

unsigned rounds() {
  return std::getenv("TESS_SLOW") != nullptr ? 200 : 6;
}

/// `kill_one` kills a server, restarts it, and returns when a server may be killed again.
template <class F>
void run(std::string const& at, F&& kill_one) {
  auto const seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  acknowledged_writes writes(at);
  for (unsigned round = 0; round < rounds() && !testing::Test::HasFailure(); ++round) {
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 30000));
    kill_one(random);
    if (random() % 2 == 0) writes.kill_client();
    ASSERT_EQ(writes.problem(), "");
  }
  ASSERT_EQ(writes.end(), "");
  for (std::size_t i = 0; i < acknowledged_writes::slots; ++i) EXPECT_GT(writes.acknowledged(i), 0U);
}

TEST(rmem_kill, a_server_with_a_file_loses_nothing_acknowledged) {
  auto const at = fresh_address();
  kept_file const file;
  memd_process server({"--size", "32M", "--name", at, "--file", file.path.string()});
  run(at, [&](std::mt19937&) { server.restart(); });
}

TEST(rmem_kill, two_servers_lose_nothing_acknowledged_when_either_is_killed) {
  memd_pair pair;
  ASSERT_TRUE(pair.in_sync());
  run(pair.both(), [&](std::mt19937& random) {
    pair.servers[random() % 2]->restart();
    ASSERT_TRUE(pair.in_sync()) << "the two are not in sync again";
  });
}

}  // namespace
}  // namespace tess::rmem
