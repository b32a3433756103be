// replication_test: two servers of which one dies, and what was acknowledged to their clients. Method: `tess memd`
// processes are killed with SIGKILL; clients in this process compare with a copy.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "fresh_tcp_address.hpp"
#include "memd_process.hpp"
#include "rmem/client/connection.hpp"
#include "running_server.hpp"

namespace tess::rmem {
namespace {

struct two_servers {
  std::string a = fresh_address();
  std::string b = fresh_address();
  memd_process first{words(a, b)};
  memd_process second{words(b, a)};

  static std::vector<std::string> words(std::string const& own, std::string const& other) {
    return {"--size", "64M", "--name", own, "--replicas", "2", "--peer", other};
  }
  /// The primary, once the backup is in sync; null: they are not after 10 s.
  memd_process* settle() {
    auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (std::chrono::steady_clock::now() < deadline) {
      for (auto* const one : {&first, &second})
        if (one->has_printed("the backup is in sync")) return one->wait_for("the backup is in sync") ? one : nullptr;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return nullptr;
  }
  memd_process& other(memd_process const& of) { return &of == &first ? second : first; }
};

TEST(rmem_replication, what_was_acknowledged_is_on_the_backup_when_the_primary_is_killed) {
  two_servers two;
  memd_process* primary = two.settle();
  ASSERT_NE(primary, nullptr);
  client c(two.a + "," + two.b);
  auto const r = c.create("matrix", 5 * mebibyte, rights::read);
  auto const token = c.grant_token(r.base, rights::read);
  for (unsigned round = 0; round < 6; ++round) {
    auto const bytes = random_bytes(5 * mebibyte, round);
    c.memwrite(r.base, bytes.data(), bytes.size());
    std::uint64_t const word = round;
    c.memwrite(r + 4097, &word, sizeof word);
    primary->restart();
    primary = &two.other(*primary);
    auto const again = c.open("matrix", rights::read_write);
    EXPECT_EQ(again.base, r.base);
    std::vector<char> got(bytes.size());
    c.memread(got.data(), r.base, got.size());
    ASSERT_EQ(std::memcmp(got.data() + 4097, &word, sizeof word), 0);
    std::memcpy(got.data() + 4097, bytes.data() + 4097, sizeof word);
    ASSERT_TRUE(got == bytes) << "round " << round;
    // Only what is on both is safe, so the restarted one must be in sync before the next round.
    ASSERT_TRUE(primary->wait_for("the backup is in sync"));
  }
  EXPECT_EQ(client(two.a + "," + two.b, {token}).open("matrix", rights::read).base, r.base);
}

TEST(rmem_replication, the_primary_continues_alone_and_synchronises_a_backup_that_restarts) {
  two_servers two;
  memd_process* const primary = two.settle();
  ASSERT_NE(primary, nullptr);
  memd_process& backup = two.other(*primary);
  client c(two.a + "," + two.b);
  auto const r = c.create("a", mebibyte);
  backup.kill();
  std::uint64_t word = 5;
  c.memwrite(r.base, &word, sizeof word);
  backup.start();
  ASSERT_TRUE(primary->wait_for("the backup is in sync"));
  primary->kill();
  word = 0;
  c.memread(&word, r.base, sizeof word);
  EXPECT_EQ(word, 5U);
}

TEST(rmem_replication, a_client_that_knows_one_server_learns_the_address_of_the_other) {
  two_servers two;
  memd_process* const primary = two.settle();
  ASSERT_NE(primary, nullptr);
  client c(primary == &two.first ? two.a : two.b);
  auto const r = c.create("a", mebibyte);
  std::uint64_t word = 5;
  c.memwrite(r.base, &word, sizeof word);
  primary->kill();
  word = 0;
  c.memread(&word, r.base, sizeof word);
  EXPECT_EQ(word, 5U);
}

TEST(rmem_replication, a_pair_may_be_one_of_several_servers_of_a_region) {
  two_servers two;
  std::string const third = fresh_address();
  memd_process const alone({"--size", "64M", "--name", third, "--number", "3"});
  memd_process* const primary = two.settle();
  ASSERT_NE(primary, nullptr);
  client c(two.a + "," + two.b + "+" + third);
  auto const r = c.create("matrix", 9 * mebibyte);
  auto const bytes = random_bytes(r.size, 5);
  c.memwrite(r.base, bytes.data(), bytes.size());
  primary->kill();
  std::vector<char> got(bytes.size());
  c.memread(got.data(), r.base, got.size());
  EXPECT_TRUE(got == bytes);
  EXPECT_EQ(client(two.b + "," + two.a + "+" + third).open("matrix", rights::read).size, r.size);
}

struct secret_file {
  std::string path;
  explicit secret_file(std::string const& name, std::string const& text)
      : path("/dev/shm/tess-rmem-" + name + "-" + std::to_string(getpid())) {
    std::ofstream(path) << text << "\n";
  }
  secret_file(secret_file const&) = delete;
  secret_file& operator=(secret_file const&) = delete;
  ~secret_file() { unlink(path.c_str()); }
};

/// One of them ends within 10 s.
bool ends(memd_process const& a, memd_process const& b) {
  auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (std::chrono::steady_clock::now() < deadline) {
    for (pid_t const p : {a.number(), b.number()}) {
      std::string state;
      std::getline(std::ifstream("/proc/" + std::to_string(p) + "/stat"), state);
      if (state.contains(") Z ")) return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return false;
}

TEST(rmem_replication, two_hosts_need_one_secret_and_clients_by_tcp_continue_at_the_backup) {
  secret_file const good("good", "a secret of both servers");
  secret_file const bad("bad", "some other secret, long");
  std::string const a = fresh_tcp_address();
  std::string const b = fresh_tcp_address();
  std::string const local_a = fresh_address();
  std::string const local_b = fresh_address();
  auto const words = [](std::string const& own, std::string const& local, std::string const& other,
                        std::string const& secret) {
    auto all = two_servers::words(own, other);
    all.insert(all.end(), {"--listen", local, "--secret", secret});
    return all;
  };
  {
    memd_process one(words(a, local_a, b, good.path));
    memd_process impostor(words(b, local_b, a, bad.path));
    // Either of them may have been the one that asked to join.
    EXPECT_TRUE(ends(one, impostor));
    for (auto* const each : {&one, &impostor}) EXPECT_FALSE(each->has_printed("the backup is in sync"));
  }
  memd_process first(words(a, local_a, b, good.path));
  memd_process second(words(b, local_b, a, good.path));
  bool const first_serves = [&] {
    auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (std::chrono::steady_clock::now() < deadline) {
      if (first.has_printed("the backup is in sync")) return true;
      if (second.has_printed("the backup is in sync")) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    ADD_FAILURE() << "they are not in sync";
    return true;
  }();
  client owner(first_serves ? local_a : local_b);
  auto const r = owner.create("far", 3 * mebibyte);
  client c(a + "," + b, {owner.grant_token(r.base, rights::read_write)});
  auto const bytes = random_bytes(r.size, 3);
  c.memwrite(r.base, bytes.data(), bytes.size());
  (first_serves ? first : second).kill();
  std::vector<char> got(bytes.size());
  c.memread(got.data(), r.base, got.size());
  EXPECT_TRUE(got == bytes);
}

TEST(rmem_replication, silence_proves_nothing_and_without_the_backup_nothing_is_acknowledged) {
  two_servers two;
  memd_process* const primary = two.settle();
  ASSERT_NE(primary, nullptr);
  memd_process& backup = two.other(*primary);
  client c(two.a + "," + two.b);
  auto const r = c.create("a", mebibyte);
  backup.signal(SIGSTOP);
  std::atomic<bool> acknowledged{false};
  std::thread writer([&] {
    std::uint64_t const word = 2;
    c.memwrite(r.base, &word, sizeof word);
    acknowledged = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_FALSE(acknowledged);
  backup.signal(SIGCONT);
  writer.join();
  // The backup does not serve while the primary is connected, even if the operator says so.
  connection operators(&backup == &two.first ? two.a : two.b);
  EXPECT_EQ(refusal_of([&] { operators.call({.what = wire::operation::take_over}); }),
            "the primary is connected: end it first");
}

TEST(rmem_replication, a_server_whose_file_may_be_old_waits_for_the_one_that_continued) {
  kept_file const file;
  std::string const at = fresh_address();
  std::string const other_at = fresh_address();
  auto words = two_servers::words(at, other_at);
  words.insert(words.end(), {"--file", file.path.string()});
  memd_process kept(words);
  memd_process other(two_servers::words(other_at, at));
  setenv("TESS_FAILURE_TIMEOUT", "0.2", 1);
  client c(at + "," + other_at);
  auto const r = c.create("a", mebibyte);
  std::uint64_t word = 1;
  c.memwrite(r.base, &word, sizeof word);
  bool const kept_serves = kept.has_printed("serves, epoch");
  ASSERT_TRUE(kept_serves ? kept.wait_for("the backup is in sync") : kept.wait_for("is in sync with"));
  kept.kill();
  c.memread(&word, r.base, sizeof word);
  word = 2;
  c.memwrite(r.base, &word, sizeof word);  // acknowledged by the other alone
  other.kill();
  kept.start();
  EXPECT_THROW(c.memread(&word, r.base, sizeof word), lost) << "what the file has is old";
  // The other server comes back empty: then the file is the best copy. Only the operator can decide that.
  other.start();
  EXPECT_THROW(c.memread(&word, r.base, sizeof word), lost);
  EXPECT_FALSE(kept.has_printed("serves, epoch"));
  connection(at).call({.what = wire::operation::take_over});
  ASSERT_TRUE(kept.wait_for("the backup is in sync"));
  c.memread(&word, r.base, sizeof word);
  EXPECT_EQ(word, 1U);
  unsetenv("TESS_FAILURE_TIMEOUT");
}

}  // namespace
}  // namespace tess::rmem
