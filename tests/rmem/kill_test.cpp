// kill_test: servers and clients are killed at random points, and no acknowledged write is lost. Method: for every
// slot, writers keep the last value that was acknowledged and the last that was tried; what is read after a kill must
// lie in between. Some writers are processes that are killed, too; they share their model through a mapping. TESS_SLOW:
// 200 rounds instead of 6. The seed is printed.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "memd_process.hpp"
#include "running_server.hpp"

namespace tess::rmem {
namespace {

constexpr std::size_t slots = 4;  // the last one is written by a process
/// Words of each slot: the first slot is small, the others are written in two steps, some in several chunks.
constexpr std::array<std::size_t, slots> slot_words{8, 3000, 200000, 1000};
constexpr std::uint64_t slot_bytes = 2 * mebibyte;

unsigned rounds() {
  return std::getenv("TESS_SLOW") != nullptr ? 200 : 6;
}

/// What was written to each slot, in memory that processes share.
struct model {
  struct slot {
    std::atomic<std::uint64_t> tried{0};
    std::atomic<std::uint64_t> acknowledged{0};
  };
  std::array<slot, slots> of;
  std::atomic<bool> done{false};

  static model* shared() {
    void* const page = mmap(nullptr, sizeof(model), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return new (page) model;
  }
};

/// Each value fills the slot; the model keeps what was acknowledged.
void write_slot(client& c, std::uint64_t base, model& m, std::size_t i) {
  auto& slot = m.of[i];
  std::vector<std::uint64_t> words(slot_words[i]);
  while (!m.done) {
    std::uint64_t const value = slot.tried + 1;
    slot.tried = value;
    std::ranges::fill(words, value);
    c.memwrite(base + i * slot_bytes, words.data(), words.size() * sizeof(std::uint64_t));
    slot.acknowledged = value;
  }
}

/// A client does not wait for a server that never answered, and this server may be killed just now.
std::unique_ptr<client> connect(std::string const& at) {
  for (int i = 0;; ++i) {
    try {
      return std::make_unique<client>(at);
    } catch (std::exception const&) {
      if (i == 5000) throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

pid_t start_writer(std::string const& at, std::uint64_t base, model& m) {
  pid_t const child = fork();
  if (child != 0) return child;
  try {
    write_slot(*connect(at), base, m, slots - 1);
  } catch (std::exception const& e) {
    std::fprintf(stderr, "writer: %s\n", e.what());
    _exit(1);
  }
  _exit(0);
}

/// Every word of every slot lies between what was acknowledged before it was read and what was tried after.
void check(client& c, std::uint64_t base, model& m) {
  for (std::size_t i = 0; i < slots; ++i) {
    std::vector<std::uint64_t> words(slot_words[i]);
    std::uint64_t const least = m.of[i].acknowledged;
    c.memread(words.data(), base + i * slot_bytes, words.size() * sizeof(std::uint64_t));
    std::uint64_t const most = m.of[i].tried;
    auto const [low, high] = std::ranges::minmax(words);
    ASSERT_GE(low, least) << "slot " << i << ": an acknowledged write is lost";
    ASSERT_LE(high, most) << "slot " << i;
  }
}

/// `kill_one` kills a server, restarts it, and returns when a server may be killed again.
template <class F>
void run(std::string const& at, F&& kill_one) {
  auto const seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  model* const m = model::shared();
  client c(at);
  auto const r = c.create("model", slots * slot_bytes);
  pid_t writer = start_writer(at, r.base, *m);
  std::vector<std::thread> writers;
  for (std::size_t i = 0; i + 1 < slots; ++i) writers.emplace_back([&, i] { write_slot(*connect(at), r.base, *m, i); });
  for (unsigned round = 0; round < rounds() && !testing::Test::HasFailure(); ++round) {
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 30000));
    kill_one(random);
    if (random() % 2 == 0) {
      ::kill(writer, SIGKILL);
      waitpid(writer, nullptr, 0);
      writer = start_writer(at, r.base, *m);
    }
    EXPECT_EQ(c.open("model", rights::read_write).base, r.base);
    check(c, r.base, *m);
  }
  m->done = true;
  for (auto& t : writers) t.join();
  int status = 0;
  waitpid(writer, &status, 0);
  EXPECT_EQ(status, 0);
  check(c, r.base, *m);
  for (auto const& slot : m->of) EXPECT_GT(slot.acknowledged, 0U);
  munmap(m, sizeof(model));
}

TEST(rmem_kill, a_server_with_a_file_loses_nothing_acknowledged) {
  auto const at = fresh_address();
  kept_file const file;
  memd_process server({"--size", "32M", "--name", at, "--file", file.path.string()});
  run(at, [&](std::mt19937&) { server.restart(); });
}

TEST(rmem_kill, two_servers_lose_nothing_acknowledged_when_either_is_killed) {
  std::array<std::string, 2> const at{fresh_address(), fresh_address()};
  std::array<std::unique_ptr<memd_process>, 2> servers;
  for (std::size_t i : {0U, 1U})
    servers[i] = std::make_unique<memd_process>(
        std::vector<std::string>{"--size", "32M", "--name", at[i], "--replicas", "2", "--peer", at[1 - i]});
  // The primary prints that the backup is in sync.
  auto const in_sync = [&](std::size_t first) { return servers[first]->wait_for("the backup is in sync"); };
  auto const primary = [&]() -> std::optional<std::size_t> {
    for (int i = 0; i < 10000; ++i) {
      for (std::size_t k : {0U, 1U})
        if (servers[k]->has_printed("the backup is in sync") && in_sync(k)) return k;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return std::nullopt;
  };
  auto first = primary();
  ASSERT_TRUE(first);
  run(at[0] + "," + at[1], [&](std::mt19937& random) {
    servers[random() % 2]->restart();
    first = primary();
    ASSERT_TRUE(first) << "the two are not in sync again";
  });
}

}  // namespace
}  // namespace tess::rmem
