// replication_test: two servers of which one dies, and what was acknowledged to their clients. Method: `tess memd`
// processes are killed with SIGKILL; clients in this process compare with a copy.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "faulty_proxy.hpp"
#include "fresh_tcp_address.hpp"
#include "key_file.hpp"
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

/// The time-out of servers that are started, and of clients, while it lives.
struct failure_time {
  explicit failure_time(char const* seconds) { setenv("TESS_FAILURE_TIMEOUT", seconds, 1); }
  failure_time(failure_time const&) = delete;
  failure_time& operator=(failure_time const&) = delete;
  ~failure_time() { unsetenv("TESS_FAILURE_TIMEOUT"); }
};

/// Two servers of different hosts, each of which reaches the other through a proxy, and perhaps a witness.
struct two_hosts {
  key_file secret{"secret", "a secret of both servers"};
  key_file key{"key", "a key of all their clients"};
  failure_time time{"2"};
  std::string a = fresh_tcp_address();
  std::string b = fresh_tcp_address();
  std::string local_a = fresh_address();
  std::string local_b = fresh_address();
  std::string at_witness = fresh_tcp_address();
  faulty_proxy to_a{a};
  faulty_proxy to_b{b};
  faulty_proxy a_to_witness{at_witness};
  faulty_proxy b_to_witness{at_witness};
  std::unique_ptr<memd_process> witness;
  std::unique_ptr<memd_process> first;
  std::unique_ptr<memd_process> second;

  explicit two_hosts(bool has_witness) {
    setenv("TESS_RMEM_KEY", key.path.c_str(), 1);
    if (has_witness)
      witness = std::make_unique<memd_process>(
          std::vector<std::string>{"--witness", "--name", at_witness, "--secret", secret.path});
    auto const words = [&](std::string const& own, std::string const& local, std::string const& other,
                           std::string const& judge) {
      auto all = two_servers::words(own, other);
      all.insert(all.end(), {"--listen", local, "--secret", secret.path, "--key", key.path});
      if (has_witness) all.insert(all.end(), {"--witness-at", judge});
      return all;
    };
    first = std::make_unique<memd_process>(words(a, local_a, to_b.address(), a_to_witness.address()));
    second = std::make_unique<memd_process>(words(b, local_b, to_a.address(), b_to_witness.address()));
  }
  ~two_hosts() { unsetenv("TESS_RMEM_KEY"); }
  two_hosts(two_hosts const&) = delete;
  two_hosts& operator=(two_hosts const&) = delete;

  /// The primary is the first one; waits until the other one is in sync.
  void settle() {
    auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (std::chrono::steady_clock::now() < deadline) {
      if (first->has_printed("the backup is in sync")) return;
      if (second->has_printed("the backup is in sync")) {
        std::swap(first, second);
        std::swap(a, b);
        std::swap(local_a, local_b);
        is_swapped = true;
        return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    ADD_FAILURE() << "they are not in sync";
  }
  bool is_swapped = false;
  /// Between the servers, in both directions.
  void cut(faulty_proxy::mode how) {
    to_a.set(how);
    to_b.set(how);
  }
  [[nodiscard]] std::string both() const { return a + "," + b; }
  /// A region, and a client by TCP that may use it.
  std::unique_ptr<client> start(region& r) {
    client owner(local_a);
    r = owner.create("far", 3 * mebibyte);
    return std::make_unique<client>(both(), std::vector<std::string>{owner.grant_token(r.base, rights::read_write)});
  }
};

/// A proxy in a process of its own, at a local address.
class proxy_process {
 public:
  explicit proxy_process(std::string const& to) : at(fresh_address()), process_(fork()) {
    if (process_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    faulty_proxy const proxy(to, at);
    pause();
    _exit(0);
  }
  proxy_process(proxy_process const&) = delete;
  proxy_process& operator=(proxy_process const&) = delete;
  ~proxy_process() { end(); }
  void end() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    waitpid(std::exchange(process_, 0), nullptr, 0);
    unlink(at.substr(at.find(':') + 1).c_str());
  }

  std::string const at;

 private:
  pid_t process_;
};

/// A server answers hello with yes.
bool serves(std::string const& at) {
  try {
    connection(at).call({.what = wire::operation::hello});
    return true;
  } catch (error const&) {
    return false;
  }
}

TEST(rmem_replication, servers_of_two_hosts_need_one_secret) {
  key_file const good("good", "a secret of both servers");
  key_file const bad("bad", "some other secret, long");
  failure_time const time("2");
  std::string const a = fresh_tcp_address();
  std::string const b = fresh_tcp_address();
  auto const words = [](std::string const& own, std::string const& other, std::string const& secret) {
    auto all = two_servers::words(own, other);
    all.insert(all.end(), {"--secret", secret});
    return all;
  };
  memd_process one(words(a, b, good.path));
  memd_process impostor(words(b, a, bad.path));
  EXPECT_TRUE(one.wait_for("do not prove themselves"));
  EXPECT_TRUE(impostor.wait_for("do not prove themselves"));
  for (auto* const each : {&one, &impostor}) EXPECT_FALSE(each->has_printed("serves, epoch"));
}

TEST(rmem_replication, the_end_of_a_local_proxy_is_not_the_end_of_the_server_behind_it) {
  failure_time const time("2");
  std::string const a = fresh_address();
  std::string const b = fresh_address();
  proxy_process to_a(a);
  proxy_process to_b(b);
  memd_process first(two_servers::words(a, to_b.at));
  memd_process second(two_servers::words(b, to_a.at));
  memd_process* primary = nullptr;
  for (int i = 0; i < 5000 && primary == nullptr; ++i) {
    for (auto* const one : {&first, &second})
      if (one->has_printed("the backup is in sync")) primary = one;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  ASSERT_NE(primary, nullptr);
  bool const first_leads = primary == &first;
  to_a.end();
  to_b.end();
  // The primary's lease ends before the backup serves.
  for (int i = 0; i < 300; ++i) {
    bool const backup_serves = serves(first_leads ? b : a);
    ASSERT_FALSE(backup_serves && serves(first_leads ? a : b)) << "both serve";
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_TRUE(serves(first_leads ? b : a));
}

TEST(rmem_replication, servers_with_different_time_outs_are_no_pair) {
  std::string const a = fresh_address();
  std::string const b = fresh_address();
  std::unique_ptr<memd_process> one;
  {
    failure_time const time("2");
    one = std::make_unique<memd_process>(two_servers::words(a, b));
  }
  failure_time const time("4");
  memd_process other(two_servers::words(b, a));
  for (int i = 0; i < 5000 && !one->has_ended() && !other.has_ended(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  EXPECT_TRUE(one->has_ended() != other.has_ended()) << "one of them refuses";
}

TEST(rmem_replication, a_copy_that_never_was_complete_is_not_served) {
  failure_time const time("2");
  kept_file const file;
  std::string const a = fresh_address();
  std::string const b = fresh_address();
  faulty_proxy to_a(a, fresh_address());
  auto words = two_servers::words(b, to_a.address());
  words.insert(words.end(), {"--file", file.path.string()});
  memd_process first(two_servers::words(a, b));
  {
    memd_process const helps_to_begin(two_servers::words(b, a));
    client c(a + "," + b);
    // Long enough that the copy below takes time.
    auto const r = c.create("large", 32 * mebibyte);
    auto const bytes = random_bytes(r.size, 1);
    c.memwrite(r.base, bytes.data(), bytes.size());
    for (int i = 0; i < 5000 && !first.has_printed("is in sync"); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  // Whichever of the two was the primary.
  for (int i = 0; i < 5000 && !serves(a); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  to_a.set(faulty_proxy::mode::delay);
  memd_process second(words);
  ASSERT_TRUE(second.wait_for("is the backup of"));
  std::this_thread::sleep_for(std::chrono::milliseconds(400));  // names have arrived, bytes have not
  ASSERT_FALSE(second.has_printed("is in sync with"));
  to_a.set(faulty_proxy::mode::stall);
  second.restart();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_FALSE(second.has_printed("serves, epoch"));
  EXPECT_FALSE(serves(b));
  second.kill();
  // Nor by a server without a peer.
  EXPECT_THROW(memd_process({"--size", "64M", "--name", b, "--file", file.path.string()}), std::runtime_error);
}

TEST(rmem_replication, a_copy_is_not_given_up_for_a_server_of_another_pair) {
  failure_time const time("1");
  kept_file const file;
  std::string const a = fresh_address();
  std::string const b = fresh_address();
  auto words = two_servers::words(a, b);
  words.insert(words.end(), {"--file", file.path.string()});
  memd_process kept(words);
  memd_process backup(two_servers::words(b, a));
  {
    client c(a + "," + b);
    static_cast<void>(c.create("kept", mebibyte));
    bool const leads = kept.has_printed("serves, epoch");
    ASSERT_TRUE(leads ? kept.wait_for("the backup is in sync") : kept.wait_for("is in sync with"));
  }
  kept.kill();
  backup.kill();
  // Another pair, of which one server has ended, and a later epoch.
  std::string const other_at = fresh_address();
  memd_process other(two_servers::words(other_at, b));
  memd_process others_backup(two_servers::words(b, other_at));
  {
    client c(other_at + "," + b);
    static_cast<void>(c.create("others", mebibyte));
    bool const leads = other.has_printed("serves, epoch");
    ASSERT_TRUE(leads ? other.wait_for("the backup is in sync") : other.wait_for("is in sync with"));
  }
  others_backup.kill();
  ASSERT_TRUE(other.wait_for("serves, epoch"));
  // The administrator has mistaken the address.
  auto mistaken = two_servers::words(a, other_at);
  mistaken.insert(mistaken.end(), {"--file", file.path.string()});
  memd_process again(mistaken);
  for (int i = 0; i < 5000 && !again.has_ended(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  EXPECT_TRUE(again.has_ended()) << "it joins the other pair";
  again.kill();
  memd_process alone(std::vector<std::string>{"--size", "64M", "--name", a, "--file", file.path.string()});
  EXPECT_EQ(client(a).list().size(), 1U);
  EXPECT_EQ(client(a).open("kept", rights::none).size, mebibyte);
}

TEST(rmem_replication, clients_by_tcp_continue_at_the_backup_and_need_the_key) {
  two_hosts two(false);
  two.settle();
  region r{};
  auto const c = two.start(r);
  auto const bytes = random_bytes(r.size, 3);
  c->memwrite(r.base, bytes.data(), bytes.size());
  two.first->kill();
  std::vector<char> got(bytes.size());
  c->memread(got.data(), r.base, got.size());
  EXPECT_TRUE(got == bytes);
  key_file const wrong("wrong", "not the key of the servers");
  setenv("TESS_RMEM_KEY", wrong.path.c_str(), 1);
  EXPECT_THROW(static_cast<void>(client(two.b).open("far", rights::read)), error);
  unsetenv("TESS_RMEM_KEY");
  EXPECT_THROW(static_cast<void>(client(two.b).open("far", rights::read)), error);
}

TEST(rmem_replication, a_backup_that_cannot_reach_the_primary_serves_after_the_lease_and_the_primary_does_not) {
  for (auto const how : {faulty_proxy::mode::refuse, faulty_proxy::mode::stall}) {
    two_hosts two(false);
    two.settle();
    region r{};
    auto const c = two.start(r);
    std::uint64_t word = 1;
    c->memwrite(r.base, &word, sizeof word);
    auto const cut_at = std::chrono::steady_clock::now();
    two.cut(how);
    ASSERT_TRUE(two.second->wait_for("serves, epoch"));
    // A lease is half of the time-out.
    EXPECT_LT(std::chrono::steady_clock::now() - cut_at, std::chrono::seconds(2));
    EXPECT_TRUE(serves(two.b));
    EXPECT_FALSE(serves(two.a)) << "both serve";
    word = 2;
    c->memwrite(r.base, &word, sizeof word);
    two.cut(faulty_proxy::mode::pass);
    ASSERT_TRUE(two.second->wait_for("the backup is in sync"));
    EXPECT_FALSE(serves(two.a)) << "both serve";
    c->memread(&word, r.base, sizeof word);
    EXPECT_EQ(word, 2U);
  }
}

TEST(rmem_replication, a_primary_that_is_stopped_answers_nothing_when_it_goes_on) {
  two_hosts two(false);
  two.settle();
  region r{};
  auto const c = two.start(r);
  std::uint64_t word = 1;
  c->memwrite(r.base, &word, sizeof word);
  two.first->signal(SIGSTOP);
  ASSERT_TRUE(two.second->wait_for("serves, epoch"));
  word = 2;
  c->memwrite(r.base, &word, sizeof word);
  two.first->signal(SIGCONT);
  ASSERT_TRUE(two.second->wait_for("the backup is in sync"));
  EXPECT_FALSE(serves(two.a));
  c->memread(&word, r.base, sizeof word);
  EXPECT_EQ(word, 2U);
}

TEST(rmem_replication, with_a_witness_one_of_two_goes_on_and_only_one) {
  two_hosts two(true);
  two.settle();
  region r{};
  auto const c = two.start(r);
  std::uint64_t word = 1;
  c->memwrite(r.base, &word, sizeof word);
  // The backup is gone: without a witness, nothing could be acknowledged.
  two.second->kill();
  word = 2;
  c->memwrite(r.base, &word, sizeof word);
  two.second->start();
  ASSERT_TRUE(two.first->wait_for("the backup is in sync"));
  // The network between them fails: the primary asks first, and the backup is refused.
  two.cut(faulty_proxy::mode::refuse);
  word = 3;
  c->memwrite(r.base, &word, sizeof word);
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  EXPECT_TRUE(serves(two.a));
  EXPECT_FALSE(serves(two.b)) << "both serve";
  two.cut(faulty_proxy::mode::pass);
  ASSERT_TRUE(two.first->wait_for("the backup is in sync"));
  // Without its witness, and without the backup, the primary waits.
  two.witness->kill();
  two.cut(faulty_proxy::mode::refuse);
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  EXPECT_FALSE(serves(two.a));
  EXPECT_FALSE(serves(two.b));
  two.cut(faulty_proxy::mode::pass);
}

TEST(rmem_replication, with_a_witness_the_backup_serves_when_the_primary_is_stopped) {
  two_hosts two(true);
  two.settle();
  region r{};
  auto const c = two.start(r);
  std::uint64_t word = 1;
  c->memwrite(r.base, &word, sizeof word);
  two.first->signal(SIGSTOP);
  ASSERT_TRUE(two.second->wait_for("serves, epoch"));
  word = 2;
  c->memwrite(r.base, &word, sizeof word);
  two.first->signal(SIGCONT);
  ASSERT_TRUE(two.second->wait_for("the backup is in sync"));
  EXPECT_FALSE(serves(two.a));
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
            "the other server is connected: end it first");
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
