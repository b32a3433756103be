// server_test: a live server and its clients: transfers by mapping and by socket, rights that are revoked during use,
// clients that behave badly, and a server that ends. Method: a server on a thread of the test; another user is a
// process that has dropped root.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "fresh_tcp_address.hpp"
#include "other_user.hpp"
#include "rmem/client/connection.hpp"
#include "rmem/store/leased_memory.hpp"
#include "rmem/wire/socket_folder.hpp"
#include "running_server.hpp"
#include "tess/rmem.hpp"

namespace tess::rmem {
namespace {

/// Writes and reads any number of bytes anywhere, and compares with a copy.
void exercise(client& c, region const& r, unsigned seed) {
  auto copy = random_bytes(r.size, seed);
  c.memwrite(r.base, copy.data(), copy.size());
  std::mt19937_64 random(seed);
  std::vector<char> got(r.size);
  for (std::uint64_t bytes : {1ULL, 64ULL, 4096ULL, 4097ULL, 65536ULL, 1048576ULL, 1048577ULL, 3333333ULL}) {
    std::uint64_t const at = random() % (r.size - bytes);
    auto const piece = random_bytes(bytes, static_cast<unsigned>(bytes));
    c.memwrite(r + at, piece.data(), bytes);
    std::memcpy(copy.data() + at, piece.data(), bytes);
    c.memread(got.data(), r + at, bytes);
    ASSERT_EQ(std::memcmp(got.data(), piece.data(), bytes), 0) << bytes << " bytes at " << at;
  }
  c.memread(got.data(), r.base, r.size);
  EXPECT_TRUE(got == copy);
}

TEST(rmem_server, moves_any_number_of_bytes_by_mapping) {
  auto const at = fresh_address();
  running_server const s(at);
  client c(at);
  exercise(c, c.create("matrix", 5 * mebibyte + 77), 1);
  EXPECT_EQ(c.state().leases, 1U);
  EXPECT_EQ(c.state().reads, 0U) << "no byte of it went through the socket";
}

TEST(rmem_server, moves_any_number_of_bytes_by_tcp_with_tokens_only) {
  auto const at = fresh_address();
  std::string const tcp = fresh_tcp_address();
  running_server const s(at, 64 * mebibyte, tcp);
  client local(at);
  client stranger(tcp);
  EXPECT_EQ(refusal_of([&] { stranger.create("far", 10); }),
            "no right to allocate on this server (owner " + std::to_string(geteuid()) + ")");
  EXPECT_EQ(refusal_of([&] { stranger.present(std::string(64, '7')), static_cast<void>(stranger.state()); }),
            "this token is not known here");
  client c(tcp, {local.grant_token(0, rights::allocate)});
  auto const r = c.create("far", 5 * mebibyte + 77);
  exercise(c, r, 2);
  EXPECT_EQ(c.state().leases, 0U);
  client reader(tcp, {c.grant_token(r.base, rights::read)});
  char byte = 0;
  reader.memread(&byte, r + 5, 1);
  EXPECT_NE(refusal_of([&] { reader.memwrite(r + 5, &byte, 1); }).find("no right to write region 'far' (owner token"),
            std::string::npos);
}

TEST(rmem_server, a_transfer_that_leaves_the_region_moves_nothing) {
  auto const at = fresh_address();
  running_server const s(at);
  client c(at);
  auto const r = c.create("a", 3 * mebibyte);
  auto const bytes = random_bytes(3 * mebibyte, 3);
  EXPECT_EQ(refusal_of([&] { c.memwrite(r + 1, bytes.data(), bytes.size()); }),
            "3145728 bytes at offset 1 leave region 'a', which has 3145728");
  std::vector<char> got(3 * mebibyte, 'x');
  c.memread(got.data(), r.base, got.size());
  EXPECT_EQ(std::count(got.begin(), got.end(), '\0'), static_cast<std::ptrdiff_t>(got.size()));
}

TEST(rmem_server, another_user_has_a_right_until_it_is_revoked) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to become another user";
  auto const at = fresh_address();
  running_server const s(at);
  client c(at);
  auto const r = c.create("matrix", mebibyte);
  std::array<int, 2> to_child{};
  std::array<int, 2> to_us{};
  ASSERT_EQ(pipe(to_child.data()), 0);
  ASSERT_EQ(pipe(to_us.data()), 0);
  char go = 'g';
  auto const wait = [](int file) { return read(file, std::array<char, 1>{}.data(), 1) == 1; };
  std::thread owner([&] {
    ASSERT_TRUE(wait(to_us[0]));  // it was refused
    c.grant_user(r.base, rights::read_write, other_user);
    ASSERT_EQ(write(to_child[1], &go, 1), 1);
    ASSERT_TRUE(wait(to_us[0]));  // it has written
    c.revoke_user(r.base, other_user);
    std::uint32_t const ours = 7;
    c.memwrite(r + 64, &ours, sizeof ours);
    ASSERT_EQ(write(to_child[1], &go, 1), 1);
  });
  int const result = as_other_user([&] {
    client mine(at);
    std::uint32_t word = 5;
    std::string const owned = "region 'matrix' (owner 0)";
    if (refusal_of([&] { mine.memwrite(r + 64, &word, sizeof word); }) != "no right to write " + owned) return 1;
    if (refusal_of([&] { mine.remove(r.base); }) != "no right to remove " + owned) return 2;
    static_cast<void>(!write(to_us[1], &go, 1));
    wait(to_child[0]);
    mine.memwrite(r + 64, &word, sizeof word);
    if (mine.state().leases == 0) return 3;
    static_cast<void>(!write(to_us[1], &go, 1));
    wait(to_child[0]);
    if (refusal_of([&] { mine.memread(&word, r + 64, sizeof word); }) != "no right to read " + owned) return 4;
    return word == 7 ? 5 : 0;  // what was written after the revoke
  });
  owner.join();
  EXPECT_EQ(result, 0);
  for (int const file : {to_child[0], to_child[1], to_us[0], to_us[1]}) close(file);
}

TEST(rmem_server, an_old_mapping_shows_nothing_after_a_revoke) {
  auto const at = fresh_address();
  running_server const s(at);
  client c(at);
  auto const r = c.create("secret", mebibyte);
  c.grant_user(r.base, rights::read, other_user);
  connection raw(at);
  auto const lent = raw.call({.what = wire::operation::lease, .address = r.base, .rights = 3});
  ASSERT_EQ(lent.files.size(), 2U);
  int const file = lent.files[0].number();
  EXPECT_NE(ftruncate(file, 0), 0) << "no client can remove pages of another";
  void* const epoch = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, lent.files[1].number(), 0);
  EXPECT_EQ(epoch, MAP_FAILED) << "only the server can end a lease";
  auto* const kept = static_cast<char*>(mmap(nullptr, mebibyte, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
  ASSERT_NE(kept, MAP_FAILED);
  std::uint64_t const word = 0x1234;
  c.memwrite(r + 4096, &word, sizeof word);
  EXPECT_EQ(std::memcmp(kept + 4096, &word, sizeof word), 0);
  c.revoke_user(r.base, other_user);
  EXPECT_EQ(kept[4096], 0);
  kept[4096] = 'x';
  std::uint64_t seen = 0;
  c.memread(&seen, r + 4096, sizeof seen);
  EXPECT_EQ(seen, word);
  munmap(kept, mebibyte);
}

TEST(rmem_server, no_write_is_lost_while_leases_end_repeatedly) {
  auto const at = fresh_address();
  running_server const s(at);
  client owner(at);
  auto const r = owner.create("busy", mebibyte);
  std::atomic<bool> done{false};
  std::array<std::thread, 2> writers;
  for (std::size_t i = 0; i < writers.size(); ++i)
    writers[i] = std::thread([&, i] {
      client c(at);
      std::uint64_t const slot = r + i * 300000;
      for (std::uint64_t round = 1; !done; ++round) {
        c.memwrite(slot, &round, sizeof round);
        std::uint64_t seen = 0;
        c.memread(&seen, slot, sizeof seen);
        ASSERT_EQ(seen, round);
      }
    });
  for (int i = 0; i < 200; ++i) {
    owner.grant_user(r.base, rights::read, other_user);
    owner.revoke_user(r.base, other_user);
  }
  done = true;
  for (auto& w : writers) w.join();
}

TEST(rmem_server, one_of_many_creators_gets_the_name) {
  auto const at = fresh_address();
  running_server const s(at);
  std::atomic<int> made{0};
  std::vector<std::thread> all;
  for (int i = 0; i < 8; ++i)
    all.emplace_back([&] {
      client c(at);
      if (refusal_of([&] { c.create("grid", 4096); }) == "not refused") ++made;
    });
  for (auto& t : all) t.join();
  EXPECT_EQ(made, 1);
}

TEST(rmem_server, badly_behaved_clients_hurt_only_themselves) {
  auto const at = fresh_address();
  running_server const s(at);
  client c(at);
  auto const r = c.create("a", mebibyte);
  std::vector<descriptor> bad;
  // Sends requests and never reads the answers.
  for (int i = 0; i < 20; ++i) {
    bad.push_back(connect_to(at));
    auto const ask = wire::encode({.what = wire::operation::read, .id = 1, .address = r.base, .size = mebibyte});
    for (int k = 0; k < 200; ++k)
      static_cast<void>(send(bad.back().number(), ask.data(), ask.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
  }
  // Opens a portal, and never sends its data. Sends half a header.
  bad.push_back(connect_to(at));
  auto const write = wire::encode({.what = wire::operation::write, .id = 1, .address = r.base, .size = mebibyte});
  ASSERT_EQ(send(bad.back().number(), write.data(), write.size(), 0), 64);
  bad.push_back(connect_to(at));
  ASSERT_EQ(send(bad.back().number(), write.data(), 30, 0), 30);
  // Sends random bytes.
  std::mt19937 random(5);
  for (int i = 0; i < 200; ++i) {
    auto const one = connect_to(at);
    auto bytes = random_bytes(1 + random() % 500, static_cast<unsigned>(i));
    if (i % 2 == 0 && bytes.size() > 6) std::memcpy(bytes.data(), "RMEM\1", 5), bytes[5] = static_cast<char>(i % 18);
    static_cast<void>(send(one.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL));
  }
  exercise(c, c.create("b", 4 * mebibyte), 9);
  EXPECT_EQ(c.list().size(), 2U);
}

TEST(rmem_server, strangers_do_not_shut_out_those_who_have_a_token) {
  auto const at = fresh_address();
  auto const tcp = fresh_tcp_address();
  running_server const s(at, 64 * mebibyte, tcp);
  client owner(at);
  auto const r = owner.create("a", mebibyte);
  auto const t = owner.grant_token(r.base, rights::read);
  client known(tcp, {t});
  std::vector<char> back(10);
  known.memread(back.data(), r + 0, back.size());
  // More than a server has connections for.
  std::vector<descriptor> strangers;
  for (int i = 0; i < 4200; ++i) strangers.push_back(connect_to(tcp));
  known.memread(back.data(), r + 0, back.size());
  client late(tcp, {t});
  late.memread(back.data(), r + 0, back.size());
  EXPECT_EQ(client(at).list().size(), 1U);
}

TEST(rmem_server, one_that_begins_waits_for_another_that_begins_in_the_same_folder) {
  auto const at = fresh_address();
  std::string const path = at.substr(at.find(':') + 1);
  // Between bind(2) and listen(2), the socket of the other one looks dead.
  std::optional turn = socket_folder(path, true).take_turn();
  std::atomic<bool> listens{false};
  std::jthread const other([&] {
    auto const s = listen_at(at);
    listens = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(listens);
  turn.reset();
  for (int i = 0; i < 500 && !listens; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(listens);
  unlink(path.c_str());
}

TEST(rmem_server, a_silent_connection_is_closed) {
  auto const at = fresh_address();
  memd::server server({.size_bytes = mebibyte, .listen = {at}, .greeting_time = std::chrono::milliseconds(50)});
  std::jthread const serving([&] { server.run(); });
  client talks(at);
  EXPECT_TRUE(talks.list().empty());
  auto const silent = connect_to(at);
  char byte = 0;
  EXPECT_EQ(recv(silent.number(), &byte, 1, 0), 0);
  EXPECT_TRUE(talks.list().empty());
  server.stop();
}

TEST(rmem_server, a_lost_server_is_an_error_and_a_restarted_one_is_found) {
  auto const at = fresh_address();
  std::optional<running_server> s(at);
  client c(at);
  auto const r = c.create("a", mebibyte);
  std::uint64_t word = 1;
  c.memwrite(r.base, &word, sizeof word);
  s.reset();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_THROW(c.memread(&word, r.base, sizeof word), lost);
  EXPECT_THROW(c.create("b", 10), lost);
  s.emplace(at);
  EXPECT_EQ(refusal_of([&] { c.memread(&word, r.base, sizeof word); }).substr(0, 12), "no region at") << "never stale";
  auto const again = c.create("a", mebibyte);
  c.memread(&word, again.base, sizeof word);
  EXPECT_EQ(word, 0U);
}

TEST(rmem_server, a_name_may_move_and_its_readers_notice) {
  auto const at = fresh_address();
  running_server const s(at);
  client c(at);
  client reader(at);
  auto const first = c.create("a", 100);
  EXPECT_EQ(reader.open("a", rights::read).base, first.base);
  c.remove(first.base);
  auto const second = c.create("a", 200);
  char byte = 0;
  EXPECT_THROW(reader.memread(&byte, first.base, 1), refused);
  EXPECT_EQ(reader.open("a", rights::read).base, second.base);
}

}  // namespace
}  // namespace tess::rmem
