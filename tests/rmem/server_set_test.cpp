// server_set_test: regions that span several servers. Method: live servers with their own numbers, clients of all of
// them, a copy of the region's bytes; servers that end, are full or share a number.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "live_server.hpp"
#include "running_server.hpp"

namespace tess::rmem {
namespace {

struct three_servers {
  live_server a{16 * mebibyte, 1};
  std::optional<live_server> b{std::in_place, 16 * mebibyte, 2};
  live_server c{16 * mebibyte, 3};

  [[nodiscard]] std::string local() const { return a.local() + "+" + b->local() + "+" + c.local(); }
  [[nodiscard]] std::string remote() const { return a.remote() + "+" + b->remote() + "+" + c.remote(); }
};

/// Transfers across all borders, compared with a copy.
void exercise(client& c, region const& r, unsigned seed) {
  auto copy = random_bytes(r.size, seed);
  c.memwrite(r.base, copy.data(), copy.size());
  std::mt19937 random(seed);
  std::vector<char> got(r.size);
  for (std::uint64_t const bytes : {1ULL, 100ULL, 5000ULL, 1000000ULL, 7000000ULL})
    for (int i = 0; i < 8; ++i) {
      std::uint64_t const at = random() % (r.size - bytes);
      auto const piece = random_bytes(bytes, seed + 1);
      c.memwrite(r + at, piece.data(), bytes);
      std::ranges::copy(piece, copy.begin() + static_cast<std::ptrdiff_t>(at));
      c.memread(got.data(), r + at, bytes);
      ASSERT_TRUE(std::equal(piece.begin(), piece.end(), got.begin())) << bytes << " bytes at " << at;
    }
  c.memread(got.data(), r.base, r.size);
  EXPECT_TRUE(got == copy);
}

TEST(rmem_server_set, a_region_larger_than_any_server_is_on_all_of_them) {
  three_servers const three;
  client c(three.local());
  auto const r = c.create("matrix", 40 * mebibyte + 77);
  EXPECT_EQ(r.size, 40 * mebibyte + 77);
  EXPECT_EQ(r.base >> 56U, 1U) << "the top bits select the server that has the name";
  exercise(c, r, 1);
  for (auto const* const one : {&three.a, &*three.b, &three.c}) {
    client alone(one->local());
    EXPECT_LT(alone.state().free, 3 * mebibyte) << "each has its part";
    EXPECT_GT(alone.state().leases, 0U) << "which it lends";
  }
  auto const found = client(three.local()).open("matrix", rights::read_write);
  EXPECT_EQ(found.base, r.base);
  EXPECT_EQ(found.size, r.size);
  // The address alone is enough to find the bytes.
  client stranger(three.local());
  char there = 0;
  char expected = 0;
  c.memread(&expected, r + 30 * mebibyte, 1);
  stranger.memread(&there, r + 30 * mebibyte, 1);
  EXPECT_EQ(there, expected);
  c.remove(r.base);
  EXPECT_EQ(c.state().regions, 0U);
  EXPECT_EQ(c.state().free, c.state().size);
  EXPECT_EQ(refusal_of([&] { stranger.memread(&there, r.base, 1); }).substr(0, 12), "no region at");
}

TEST(rmem_server_set, rights_and_tokens_hold_for_the_whole) {
  three_servers const three;
  client owner(three.local());
  auto const allocate = owner.grant_token(0, rights::allocate);
  client far(three.remote(), {allocate});
  std::string owners;
  auto const r = far.create("far", 12 * mebibyte, rights::none, &owners);
  exercise(far, r, 2);
  EXPECT_EQ(std::ranges::count(owners, ':'), 3) << owners;
  auto const token = far.grant_token(r.base, rights::read);
  client reader(three.remote(), {token});
  std::vector<char> got(r.size);
  reader.memread(got.data(), r.base, got.size());
  EXPECT_NE(refusal_of([&] { reader.memwrite(r + 11 * mebibyte, got.data(), 10); }).find("no right to write region"),
            std::string::npos);
  far.revoke_token(r.base, token);
  for (std::uint64_t const at : {std::uint64_t{0}, 5 * mebibyte, 11 * mebibyte})
    EXPECT_NE(refusal_of([&] { reader.memread(got.data(), r + at, 10); }), "not refused") << at;
  client again(three.remote(), {owners});
  again.remove(again.open("far", rights::read_write).base);
  EXPECT_EQ(owner.state().regions, 0U);
}

TEST(rmem_server_set, a_transfer_that_leaves_the_region_moves_nothing) {
  three_servers const three;
  client c(three.local());
  auto const r = c.create("a", 9 * mebibyte);
  auto const bytes = random_bytes(9 * mebibyte, 3);
  EXPECT_EQ(refusal_of([&] { c.memwrite(r + 1, bytes.data(), bytes.size()); }),
            "9437184 bytes at offset 1 leave the region, which has 9437184");
  std::vector<char> got(bytes.size(), 'x');
  c.memread(got.data(), r.base, got.size());
  EXPECT_EQ(std::ranges::count(got, '\0'), static_cast<std::ptrdiff_t>(got.size()));
}

TEST(rmem_server_set, a_lost_server_is_an_error_for_its_part_only) {
  three_servers three;
  client c(three.local());
  auto const r = c.create("a", 12 * mebibyte);
  auto const bytes = random_bytes(r.size, 4);
  c.memwrite(r.base, bytes.data(), bytes.size());
  std::string const names = three.local();
  three.b.reset();
  usleep(20'000);  // mappings are trusted for 10 ms
  std::vector<char> got(4 * mebibyte);
  for (bool const fresh : {false, true}) {
    std::optional<client> other;
    if (fresh) other.emplace(names);
    client& by = fresh ? *other : c;
    by.memread(got.data(), r.base, got.size());
    EXPECT_TRUE(std::equal(got.begin(), got.end(), bytes.begin()));
    by.memread(got.data(), r + 8 * mebibyte, got.size());
    EXPECT_TRUE(std::equal(got.begin(), got.end(), bytes.begin() + 8 * mebibyte));
    EXPECT_THROW(by.memread(got.data(), r + 5 * mebibyte, 10), lost);
    EXPECT_THROW(by.memread(got.data(), r + 3 * mebibyte, 2 * mebibyte), lost) << "across the border";
  }
}

TEST(rmem_server_set, a_region_that_cannot_be_created_on_all_is_left_on_none) {
  three_servers const three;
  client c(three.local());
  client third(three.c.local());
  static_cast<void>(third.create("large", 10 * mebibyte));
  EXPECT_NE(refusal_of([&] { c.create("a", 30 * mebibyte); }).find("do not fit"), std::string::npos);
  EXPECT_EQ(c.state().regions, 1U);
  // If two clients create the same name, one is refused and leaves nothing.
  static_cast<void>(c.create("b", 6 * mebibyte));
  auto const regions = c.state().regions;
  client other(three.local());
  EXPECT_NE(refusal_of([&] { other.create("b", 6 * mebibyte); }).find("is taken"), std::string::npos);
  static_cast<void>(c.create("small", 1000));
  EXPECT_NE(refusal_of([&] { other.create("small", 6 * mebibyte); }).find("'small' is taken"), std::string::npos);
  EXPECT_EQ(c.state().regions, regions + 1);
}

TEST(rmem_server_set, a_client_that_names_too_few_servers_is_told_so) {
  three_servers const three;
  client c(three.local());
  auto const r = c.create("a", 9 * mebibyte);
  client alone(three.a.local());
  EXPECT_EQ(refusal_of([&] { static_cast<void>(alone.open("a", rights::read)); }),
            "region 'a' is on 3 servers: name all of them, this one first, as in TESS_RMEM=A+B");
  char byte = 0;
  EXPECT_NE(refusal_of([&] { alone.memread(&byte, r + 8 * mebibyte, 1); }).find("is on other servers"),
            std::string::npos);
  client two(three.a.local() + "+" + three.b->local());
  EXPECT_EQ(refusal_of([&] { two.memread(&byte, r + 8 * mebibyte, 1); }),
            "none of the servers that were named has the number 3");
  live_server const same(mebibyte, 1);
  EXPECT_NE(refusal_of([&] { client const both(three.a.local() + "+" + same.local()); }).find("both have the number 1"),
            std::string::npos);
}

}  // namespace
}  // namespace tess::rmem
