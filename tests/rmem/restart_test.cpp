// restart_test: clients of servers that restart or are silent. Method: a server on a thread of the test is ended and
// created again while clients write, read what they wrote, and look names up.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "fresh_tcp_address.hpp"
#include "running_server.hpp"

namespace tess::rmem {
namespace {

/// A server with a file restarts again and again while clients work.
TEST(rmem_restart, clients_of_a_server_that_restarts_continue_and_miss_nothing) {
  auto const at = fresh_address();
  std::string const tcp = fresh_tcp_address();
  kept_file const file;
  std::optional<running_server> s(std::in_place, at, 64 * mebibyte, tcp, file.path);
  client local(at);
  auto const r = local.create("a", 3 * mebibyte, rights::read);
  std::string const token = local.grant_token(r.base, rights::read_write);
  std::atomic<bool> done{false};
  std::atomic<int> rounds{0};
  std::atomic<int> connected{0};
  std::vector<std::thread> all;
  for (std::size_t i = 0; i < 2; ++i)
    all.emplace_back([&, i] {
      client c(i == 0 ? at : tcp, {token});
      ++connected;
      std::uint64_t const mine = r + i * mebibyte;
      for (unsigned round = 1; !done; ++round) {
        auto const bytes = random_bytes(round % 3 == 0 ? 300000 : 77, round);
        std::vector<char> got(bytes.size());
        c.memwrite(mine, bytes.data(), bytes.size());
        ASSERT_EQ(c.open("a", rights::read).base, r.base);
        c.memread(got.data(), mine, got.size());
        ASSERT_TRUE(got == bytes) << "round " << round;
        ++rounds;
      }
    });
  // A client does not wait for a server that never answered.
  while (connected < 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  for (int i = 0; i < 10; ++i) {
    int const before = rounds;
    while (rounds < before + 4) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    s.reset();
    s.emplace(at, 64 * mebibyte, tcp, file.path);
  }
  done = true;
  for (auto& t : all) t.join();
}

/// A region often has the pages of one that was removed before it: the journal has both.
TEST(rmem_restart, every_region_has_its_bytes_whatever_was_removed_before) {
  auto const at = fresh_address();
  kept_file const file;
  std::mt19937_64 draw(static_cast<std::uint64_t>(testing::UnitTest::GetInstance()->random_seed()));
  std::map<std::string, std::vector<char>> written;
  unsigned made = 0;
  for (int restart = 0; restart < 6; ++restart) {
    running_server const s(at, 8 * mebibyte, "", file.path);
    client c(at);
    auto const check = [&] {
      for (auto const& [name, bytes] : written) {
        std::vector<char> got(bytes.size());
        c.memread(got.data(), c.open(name, rights::read).base, got.size());
        ASSERT_TRUE(got == bytes) << name << " after " << restart << " restarts";
      }
    };
    check();
    for (int i = 0; i < 20; ++i) {
      if (draw() % 2 == 0 && !written.empty()) {
        auto const gone = std::next(written.begin(), static_cast<std::ptrdiff_t>(draw() % written.size()));
        c.remove(c.open(gone->first, rights::read).base);
        written.erase(gone);
      }
      auto const bytes = random_bytes(1 + draw() % 100000, ++made);
      std::string const name = "r" + std::to_string(made);
      c.memwrite(c.create(name, bytes.size(), rights::read_write).base, bytes.data(), bytes.size());
      written.emplace(name, bytes);
    }
    check();
  }
}

/// A stopped server answers nothing: that is an error after the failure time-out, not a hang.
TEST(rmem_restart, a_client_of_a_stopped_server_waits_for_the_failure_timeout) {
  auto const at = fresh_address();
  auto const silent = listen_at(at);
  setenv("TESS_FAILURE_TIMEOUT", "0.1", 1);
  auto const begun = std::chrono::steady_clock::now();
  EXPECT_THROW(client{at}, lost);
  auto const took = std::chrono::steady_clock::now() - begun;
  unsetenv("TESS_FAILURE_TIMEOUT");
  EXPECT_GE(took, std::chrono::milliseconds(90));
  EXPECT_LT(took, std::chrono::seconds(5));
  unlink(at.substr(at.find(':') + 1).c_str());
}

}  // namespace
}  // namespace tess::rmem
