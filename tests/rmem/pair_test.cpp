// pair_test: two servers of which one dies, and what its clients had acknowledged. Method: `tess memd` processes that
// are killed with SIGKILL, and clients in this process that compare with a copy of their own.
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
  /// Which of the two serves; both are up, and the second has all.
  memd_process* settle() {
    auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (std::chrono::steady_clock::now() < deadline) {
      for (auto* const one : {&first, &second})
        if (one->has_said("the second server has all")) return one->says("the second server has all") ? one : nullptr;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return nullptr;
  }
  memd_process& other(memd_process const& of) { return &of == &first ? second : first; }
};

TEST(rmem_pair, what_was_acknowledged_is_on_the_second_server_when_the_first_is_killed) {
  two_servers two;
  memd_process* serves = two.settle();
  ASSERT_NE(serves, nullptr);
  client c(two.a + "," + two.b);
  auto const r = c.create("matrix", 5 * mebibyte, rights::read);
  auto const token = c.grant_token(r.base, rights::read);
  for (unsigned round = 0; round < 6; ++round) {
    auto const bytes = random_bytes(5 * mebibyte, round);
    c.memwrite(r.base, bytes.data(), bytes.size());
    std::uint64_t const word = round;
    c.memwrite(r + 4097, &word, sizeof word);
    serves->kill_and_start_again();
    serves = &two.other(*serves);
    auto const again = c.open("matrix", rights::read_write);
    EXPECT_EQ(again.base, r.base);
    std::vector<char> got(bytes.size());
    c.memread(got.data(), r.base, got.size());
    ASSERT_EQ(std::memcmp(got.data() + 4097, &word, sizeof word), 0);
    std::memcpy(got.data() + 4097, bytes.data() + 4097, sizeof word);
    ASSERT_TRUE(got == bytes) << "round " << round;
    // Only what is on both is safe: the killed one must have it all before the next round.
    ASSERT_TRUE(serves->says("the second server has all"));
  }
  EXPECT_EQ(client(two.a + "," + two.b, {token}).open("matrix", rights::read).base, r.base);
}

TEST(rmem_pair, the_first_goes_on_alone_when_the_second_is_killed_and_shares_again_when_it_is_back) {
  two_servers two;
  memd_process* const serves = two.settle();
  ASSERT_NE(serves, nullptr);
  memd_process& second = two.other(*serves);
  client c(two.a + "," + two.b);
  auto const r = c.create("a", mebibyte);
  second.kill();
  std::uint64_t word = 5;
  c.memwrite(r.base, &word, sizeof word);
  second.start();
  ASSERT_TRUE(serves->says("the second server has all"));
  serves->kill();
  word = 0;
  c.memread(&word, r.base, sizeof word);
  EXPECT_EQ(word, 5U);
}

TEST(rmem_pair, may_be_one_of_several_servers_of_a_region) {
  two_servers two;
  std::string const third = fresh_address();
  memd_process const alone({"--size", "64M", "--name", third, "--number", "3"});
  memd_process* const serves = two.settle();
  ASSERT_NE(serves, nullptr);
  client c(two.a + "," + two.b + "+" + third);
  auto const r = c.create("matrix", 9 * mebibyte);
  auto const bytes = random_bytes(r.size, 5);
  c.memwrite(r.base, bytes.data(), bytes.size());
  serves->kill();
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

/// One of them has, within 10 s.
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

TEST(rmem_pair, two_hosts_need_one_secret_and_clients_by_tcp_go_on_at_the_second) {
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
    memd_process liar(words(b, local_b, a, bad.path));
    // Whichever asked the other to let it in.
    EXPECT_TRUE(ends(one, liar));
    for (auto* const each : {&one, &liar}) EXPECT_FALSE(each->has_said("the second server has all"));
  }
  memd_process first(words(a, local_a, b, good.path));
  memd_process second(words(b, local_b, a, good.path));
  bool const first_serves = [&] {
    auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (std::chrono::steady_clock::now() < deadline) {
      if (first.has_said("the second server has all")) return true;
      if (second.has_said("the second server has all")) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    ADD_FAILURE() << "they are not in step";
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

TEST(rmem_pair, silence_proves_nothing_and_without_the_second_nothing_is_acknowledged) {
  two_servers two;
  memd_process* const serves = two.settle();
  ASSERT_NE(serves, nullptr);
  memd_process& second = two.other(*serves);
  client c(two.a + "," + two.b);
  auto const r = c.create("a", mebibyte);
  second.signal(SIGSTOP);
  std::atomic<bool> acknowledged{false};
  std::thread writer([&] {
    std::uint64_t const word = 2;
    c.memwrite(r.base, &word, sizeof word);
    acknowledged = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_FALSE(acknowledged);
  second.signal(SIGCONT);
  writer.join();
  // Nor does the second serve while the first is only silent, whoever says so.
  connection operators(&second == &two.first ? two.a : two.b);
  EXPECT_EQ(refusal_of([&] { operators.call({.what = wire::operation::take_over}); }),
            "the first server is connected: end it first");
}

TEST(rmem_pair, a_server_whose_file_may_be_old_waits_for_the_one_that_went_on) {
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
  bool const kept_serves = kept.has_said("serves, epoch");
  ASSERT_TRUE(kept_serves ? kept.says("the second server has all") : kept.says("has all that the first"));
  kept.kill();
  c.memread(&word, r.base, sizeof word);
  word = 2;
  c.memwrite(r.base, &word, sizeof word);  // acknowledged by the other alone
  other.kill();
  kept.start();
  EXPECT_THROW(c.memread(&word, r.base, sizeof word), lost) << "what the file has is old";
  // Its partner comes back with nothing: then the file is the best there is. That is for the operator to say.
  other.start();
  EXPECT_THROW(c.memread(&word, r.base, sizeof word), lost);
  EXPECT_FALSE(kept.has_said("serves, epoch"));
  connection(at).call({.what = wire::operation::take_over});
  ASSERT_TRUE(kept.says("the second server has all"));
  c.memread(&word, r.base, sizeof word);
  EXPECT_EQ(word, 1U);
  unsetenv("TESS_FAILURE_TIMEOUT");
}

}  // namespace
}  // namespace tess::rmem
