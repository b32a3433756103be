// tasks_test: remote memory in tasks, by mapping and by socket. Method: a live server, jobs of one place, a copy of the
// region's bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "live_server.hpp"
#include "tess/rmem_array.hpp"
#include "tess/rmem_task.hpp"
#include "tess/tess.hpp"

namespace tess::rmem {
namespace {

void in_job(unsigned workers, std::function<task<void>()> body) {
  settings s;
  s.places = 1;
  s.workers = workers;
  ASSERT_EQ(run(s, {},
                [&](args) -> task<int> {
                  co_await body();
                  co_return 0;
                }),
            0);
}

std::vector<char> random_bytes(std::size_t size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<char> bytes(size);
  for (auto& b : bytes) b = static_cast<char>(random());
  return bytes;
}

struct rmem_tasks : testing::Test {
  live_server server;
  client local{server.local()};
  region whole = local.create("whole", 8'000'000);
  std::unique_ptr<client> remote = server.remote_client(whole);
};

task<void> exercise(client& c, region r) {
  auto copy = random_bytes(r.size, 1);
  co_await memwrite(c, r + 0, copy.data(), copy.size());
  std::mt19937_64 random(2);
  std::vector<char> got(r.size);
  for (std::uint64_t bytes : {0ULL, 1ULL, 64ULL, 4096ULL, 4097ULL, 65536ULL, 1048576ULL, 1048577ULL, 3333333ULL}) {
    std::uint64_t const at = random() % (r.size - bytes);
    auto const piece = random_bytes(bytes, bytes);
    co_await memwrite(c, r + at, piece.data(), bytes);
    std::ranges::copy(piece, copy.begin() + static_cast<std::ptrdiff_t>(at));
    co_await memread(c, got.data(), r + at, bytes);
    EXPECT_TRUE(std::equal(piece.begin(), piece.end(), got.begin())) << bytes << " bytes at " << at;
  }
  co_await memread(c, got.data(), r + 0, r.size);
  EXPECT_TRUE(got == copy);
}

TEST_F(rmem_tasks, move_any_number_of_bytes_by_mapping_and_by_socket) {
  in_job(1, [&]() -> task<void> {
    co_await exercise(local, whole);
    co_await exercise(*remote, whole);
  });
}

TEST(rmem_tasks_on_a_server_set, move_bytes_across_the_borders_of_servers) {
  live_server const a(std::uint64_t{16} << 20, 1);
  live_server const b(std::uint64_t{16} << 20, 2);
  client local(a.local() + "+" + b.local());
  region const r = local.create("whole", 8'000'000);
  client remote(a.remote() + "+" + b.remote(), {local.grant_token(r.base, rights::read_write)});
  in_job(1, [&]() -> task<void> {
    co_await exercise(local, r);
    co_await exercise(remote, r);
    array<std::uint64_t> items(remote, r, {.bytes = 1'000'000, .page_bytes = 32768});
    co_await items.forall([](std::uint64_t i, std::uint64_t& x) { x = i; });
    co_await items.flush();
    std::uint64_t wrong = 0;
    array<std::uint64_t const> const mapped(local, r, {.bytes = 1'000'000, .page_bytes = 32768});
    for (std::uint64_t expected = 0; std::uint64_t const x : mapped) wrong += x != expected++ ? 1 : 0;
    EXPECT_EQ(wrong, 0U);
    std::vector<char> bytes(10);
    bool refused_it = false;
    try {
      co_await memread(remote, bytes.data(), r + 7'999'999, 2);
    } catch (refused const&) {
      refused_it = true;
    }
    EXPECT_TRUE(refused_it);
  });
}

TEST_F(rmem_tasks, overlap_transfers_of_many_tasks) {
  constexpr std::uint64_t each = 50'000;
  constexpr std::uint64_t tasks = 150;
  in_job(2, [&]() -> task<void> {
    co_await forall(
        0, tasks,
        [&](std::uint64_t i) -> task<void> {
          // Some take one message, some have their own portal.
          std::uint64_t const bytes = i % 3 == 0 ? each : 1000;
          auto const piece = random_bytes(bytes, i);
          std::vector<char> got(bytes);
          client& c = i % 4 == 0 ? local : *remote;
          co_await memwrite(c, whole + i * each, piece.data(), bytes);
          co_await memread(c, got.data(), whole + i * each, bytes);
          EXPECT_TRUE(got == piece) << i;
        },
        1);
  });
}

TEST_F(rmem_tasks, leave_the_worker_to_other_tasks) {
  in_job(1, [&]() -> task<void> {
    std::atomic<bool> moved{false};
    std::atomic<int> turns{0};
    co_await finish([&] {
      spawn([](rmem_tasks* t, std::atomic<bool>* done) -> task<void> {
        std::vector<char> bytes(t->whole.size);
        co_await memread(*t->remote, bytes.data(), t->whole + 0, bytes.size());
        *done = true;
      }(this, &moved));
      spawn([](std::atomic<bool>* done, std::atomic<int>* n) -> task<void> {
        while (!*done) {
          ++*n;
          co_await yield();
        }
      }(&moved, &turns));
    });
    EXPECT_GT(turns, 5);
  });
}

template <class E>
task<std::string> thrown(task<void> t) {
  try {
    co_await std::move(t);
  } catch (E const& e) {
    co_return e.what();
  }
  co_return "nothing";
}
task<void> open_only(client& c, std::string name, rights wanted) {
  static_cast<void>(co_await open(c, std::move(name), wanted));
}

TEST_F(rmem_tasks, get_the_reason_of_a_refusal) {
  in_job(1, [&]() -> task<void> {
    std::vector<char> bytes(2'000'000);
    for (client* const c : {&local, remote.get()}) {
      EXPECT_EQ(co_await thrown<refused>(memread(*c, bytes.data(), whole + 7'999'999, 2)),
                "2 bytes at offset 7999999 leave region 'whole', which has 8000000");
      EXPECT_EQ(co_await thrown<refused>(memwrite(*c, whole + 6'000'001, bytes.data(), bytes.size())),
                "2000000 bytes at offset 6000001 leave region 'whole', which has 8000000");
      // The connection still works.
      co_await memread(*c, bytes.data(), whole + 0, 1000);
    }
    auto const reader = server.remote_client(whole, rights::read);
    co_await memread(*reader, bytes.data(), whole + 0, bytes.size());
    EXPECT_NE((co_await thrown<refused>(memwrite(*reader, whole + 0, bytes.data(), 10))).find("no right to write"),
              std::string::npos);
    EXPECT_EQ(co_await thrown<refused>(open_only(local, "none", rights::read)), "no region has the name 'none'");
  });
}

TEST_F(rmem_tasks, notice_that_a_name_moved) {
  in_job(1, [&]() -> task<void> {
    client other(server.local());
    region const old = co_await create(other, "moving", 5000);
    region const found = co_await open(*remote, "whole", rights::read);
    EXPECT_EQ(found.base, whole.base);
    region const first = co_await open(local, "moving", rights::read);
    EXPECT_EQ(first.base, old.base);
    co_await remove(other, old);
    region const fresh = co_await create(other, "moving", 6000);
    char byte = 0;
    EXPECT_NE(co_await thrown<refused>(memread(local, &byte, first + 0, 1)), "nothing");
    region const second = co_await open(local, "moving", rights::read);
    EXPECT_EQ(second.base, fresh.base);
    EXPECT_EQ(second.size, 6000U);
  });
}

TEST(rmem_tasks_without_a_server, are_told_that_it_is_lost) {
  std::optional<live_server> server(std::in_place);
  client local(server->local());
  region const r = local.create("r", 1'000'000);
  auto const remote = server->remote_client(r);
  in_job(1, [&]() -> task<void> {
    std::vector<char> bytes(r.size);
    co_await memread(local, bytes.data(), r + 0, r.size);
    co_await memread(*remote, bytes.data(), r + 0, r.size);
    server.reset();
    co_await sleep_for(std::chrono::milliseconds(15));  // mappings are trusted for 10 ms
    EXPECT_NE(co_await thrown<lost>(memread(local, bytes.data(), r + 0, r.size)), "nothing");
    EXPECT_NE(co_await thrown<lost>(memread(*remote, bytes.data(), r + 0, r.size)), "nothing");
    EXPECT_NE(co_await thrown<lost>(memwrite(*remote, r + 0, bytes.data(), r.size)), "nothing");
  });
}

}  // namespace
}  // namespace tess::rmem
