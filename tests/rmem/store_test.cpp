// store_test: which client may do what, and what a refusal says. Method: users 1000 (runs the server), 1001, 1002 and
// remote clients send requests.
#include "rmem/store/store.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace tess::memd {
namespace {

using wire::status;

caller user(std::uint32_t number) {
  return {.user = number, .operates = number == 1000, .tokens = {}};
}
caller remote(std::vector<token> const& shown) {
  caller c;
  for (auto const& t : shown) c.tokens.push_back(t.id);
  return c;
}

template <class T>
std::string text(checked<T> const& result) {
  return result ? "fine" : result.error().text;
}

class a_store : public testing::Test {
 protected:
  page_allocator memory{64 * page_allocator::page_bytes};
  store s{memory, 3, 1000};

  std::uint64_t make(std::uint32_t owner, char const* name, std::uint64_t size = 10000) {
    auto const made = s.create(user(owner), size, name, 0, 0);
    EXPECT_TRUE(made) << text(made);
    return made->made->base;
  }
};

TEST_F(a_store, refuses_with_the_right_the_region_and_the_owner) {
  auto const base = make(1001, "matrix");
  EXPECT_EQ(text(s.check(user(1002), base, 8, right_write)), "no right to write region 'matrix' (owner 1001)");
  EXPECT_EQ(text(s.open(user(1000), "matrix", right_read | right_write, 0)),
            "no right to read and write region 'matrix' (owner 1001)");
  EXPECT_EQ(text(s.remove(user(1002), base)), "no right to remove region 'matrix' (owner 1001)");
  EXPECT_EQ(text(s.grant(user(1002), base, right_read, holder::user(1002))),
            "no right to grant read of region 'matrix' (owner 1001)");
  EXPECT_EQ(text(s.check(user(1001), base, 8, right_read | right_write)), "fine");
}

TEST_F(a_store, hides_from_a_remote_client_what_it_has_no_right_to) {
  auto const base = make(1001, "matrix");
  EXPECT_EQ(text(s.open(remote({}), "matrix", right_read, 0)), "no region has the name 'matrix'");
  EXPECT_EQ(s.open_at(remote({}), base, right_read).error().why, status::no_region);
  EXPECT_EQ(s.check(remote({}), base, 8, right_read).error().why, status::no_region);
  EXPECT_EQ(s.grant(remote({}), base, right_read, holder::any_user()).error().why, status::no_region);
  EXPECT_EQ(s.revoke(remote({}), base, holder::any_user()).error().why, status::no_region);
  auto const shown = s.grant_token(user(1001), base, right_read);
  ASSERT_TRUE(shown);
  EXPECT_EQ(text(s.open(remote({*shown}), "matrix", right_read, 0)), "fine");
  EXPECT_EQ(text(s.open(remote({*shown}), "matrix", right_write, 0)), "no right to write region 'matrix' (owner 1001)");
}

TEST_F(a_store, takes_names_that_are_what_they_look_like) {
  for (char const* const good : {"a", "...", "a b", "Gr\u00f6\u00dfe", "\u6570\u636e", "\U0001f600", "x/y:z"})
    EXPECT_EQ(text(s.create(user(1001), 1, good, 0, 0)), "fine") << good;
  for (char const* const bad :
       {".", "a\nb", "\x1b[2J", "\x7f", "\xc2\x85", "a\u202eb", "\u200f", "\u2066", "\ufeff", "a\u200bb", "\u00ad",
        "\u2063", "\U000e0041", "\xff", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe2\x80"}) {
    EXPECT_EQ(s.create(user(1001), 1, bad, 0, 0).error().why, status::bad_request) << bad;
    EXPECT_EQ(text(s.open(user(1001), bad, right_read, 0)), "no region has the name that was asked for");
  }
}

TEST(grants_test, a_long_chain_costs_no_time_with_its_square) {
  constexpr std::uint32_t count = 200'000;
  std::uint32_t const all = right_read | right_grant;
  auto const by = [](std::uint32_t i) { return holder::user(count - i); };  // each grantor sorts after its holder
  grants of(holder::user(count + 1));
  of.add(by(0), of.owner(), all);
  for (std::uint32_t i = 0; i + 1 < count; ++i) of.add(by(i + 1), by(i), all);
  EXPECT_EQ(of.grantor(user(1), right_read), holder::user(1));
  // With one look at all grants for each link of the chain, this would take minutes.
  EXPECT_EQ(of.revoke(by(0), std::nullopt).size(), count);
  EXPECT_FALSE(of.contains(by(count - 1)));
}

TEST_F(a_store, the_top_bits_of_an_address_are_the_server_and_none_is_used_twice) {
  auto const first = make(1001, "a");
  EXPECT_EQ(first >> wire::server_shift, 3U);
  ASSERT_TRUE(s.remove(user(1001), first));
  auto const second = make(1001, "a");
  EXPECT_GT(second, first + 10000);
  EXPECT_EQ(s.check(user(1001), first, 1, right_read).error().why, status::no_region);
}

TEST_F(a_store, bounds_hold_to_the_byte_and_against_overflow) {
  auto const base = make(1001, "a", 10000);
  make(1001, "b", 10000);
  EXPECT_TRUE(s.check(user(1001), base + 9999, 1, right_read));
  EXPECT_TRUE(s.check(user(1001), base, 10000, right_read));
  EXPECT_EQ(s.check(user(1001), base, 10001, right_read).error().why, status::out_of_bounds);
  EXPECT_EQ(s.check(user(1001), base + 1, ~std::uint64_t{0}, right_read).error().why, status::out_of_bounds);
  EXPECT_EQ(s.check(user(1001), base + 10000, 1, right_read).error().why, status::no_region);
  EXPECT_EQ(s.check(user(1001), base - 1, 1, right_read).error().why, status::no_region);
  EXPECT_EQ(s.check(user(1001), ~std::uint64_t{0}, 1, right_read).error().why, status::no_region);
  EXPECT_EQ(s.check(user(1001), 0, 1, right_read).error().why, status::no_region);
}

TEST_F(a_store, a_freed_region_reads_as_zeros_to_the_next) {
  auto const base = make(1001, "secret", 64 * page_allocator::page_bytes);
  region const& r = *s.check(user(1001), base, 1, right_read).value();
  std::memset(r.memory.bytes(0, r.size).data(), 0xff, r.size);
  ASSERT_TRUE(s.remove(user(1001), base));
  auto const next = make(1002, "next", 64 * page_allocator::page_bytes);
  region const& again = *s.check(user(1002), next, 1, right_read).value();
  auto const bytes = again.memory.bytes(0, 64 * page_allocator::page_bytes);
  EXPECT_TRUE(std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; }));
}

TEST_F(a_store, a_region_of_many_extents_is_one_to_its_user) {
  std::vector<std::uint64_t> singles;
  for (int i = 0; i < 64; ++i) singles.push_back(make(1001, ("r" + std::to_string(i)).c_str(), 1));
  EXPECT_EQ(s.create(user(1001), 1, "more", 0, 0).error().why, status::full);
  for (std::size_t i = 0; i < 64; i += 2) ASSERT_TRUE(s.remove(user(1001), singles[i]));
  auto const base = make(1001, "scattered", 32 * page_allocator::page_bytes);
  region const& r = *s.check(user(1001), base, 1, right_read).value();
  EXPECT_EQ(r.memory.extents().size(), 32U);
  std::byte value{0};
  std::uint64_t steps = 0;
  for (std::uint64_t at = 0; at < r.size; ++steps) {
    auto const part = r.memory.bytes(at, r.size);
    ASSERT_FALSE(part.empty());
    std::memset(part.data(), ++steps & 0xff, part.size());
    at += part.size();
  }
  EXPECT_EQ(r.memory.bytes(5 * page_allocator::page_bytes + 7, 100).size(), 100U);
  // While it is lent, its bytes are contiguous; after the recall they are as before.
  std::vector<std::byte> before;
  for (std::uint64_t at = 0; at < r.size; at += page_allocator::page_bytes) before.push_back(r.memory.bytes(at, 1)[0]);
  ASSERT_NE(s.lend(const_cast<region&>(r)), nullptr);
  EXPECT_EQ(r.memory.bytes(0, r.size).size(), r.size);
  for (std::size_t i = 0; i < before.size(); ++i)
    ASSERT_EQ(r.memory.bytes(i * page_allocator::page_bytes, 1)[0], before[i]);
  r.memory.bytes(100, 1)[0] = std::byte{77};
  ASSERT_TRUE(s.grant(user(1001), base, right_read, holder::user(1002)));
  ASSERT_TRUE(s.revoke(user(1001), base, holder::user(1002)));
  EXPECT_FALSE(r.memory.is_lent());
  EXPECT_EQ(r.memory.bytes(100, 1)[0], std::byte{77});
  for (std::size_t i = 0; i < before.size(); ++i)
    ASSERT_EQ(r.memory.bytes(i * page_allocator::page_bytes, 1)[0], before[i]);
  static_cast<void>(value);
}

TEST_F(a_store, one_of_two_creators_of_a_name_is_refused) {
  make(1001, "grid");
  auto const second = s.create(user(1002), 100, "grid", 0, 0);
  EXPECT_EQ(text(second), "the name 'grid' is taken");
  EXPECT_EQ(memory.free_bytes(), memory.size_bytes() - 3 * page_allocator::page_bytes)
      << "the refused one has no memory";
}

TEST_F(a_store, names_are_linked_unlinked_and_expire) {
  auto const base = make(1001, "a");
  EXPECT_EQ(s.link(user(1002), base, "b", 0, 0).error().why, status::no_right);
  ASSERT_TRUE(s.link(user(1001), base, "b", 50, 1000));
  EXPECT_EQ(s.open(user(1001), "b", right_read, 1049).value()->base, base);
  EXPECT_EQ(s.open(user(1001), "b", right_read, 1050).error().why, status::no_name) << "the link has expired";
  ASSERT_TRUE(s.link(user(1001), base, "b", 0, 1051));
  EXPECT_EQ(s.unlink(user(1002), "b", 1052).error().why, status::no_right);
  ASSERT_TRUE(s.unlink(user(1001), "b", 1052));
  ASSERT_TRUE(s.unlink(user(1001), "a", 1053));
  EXPECT_TRUE(s.check(user(1001), base, 1, right_read)) << "a region without a name is still there";
  // The same name for another region.
  auto const moved = make(1001, "a");
  EXPECT_EQ(s.open(user(1001), "a", right_read, 1054).value()->base, moved);
  EXPECT_EQ(s.create(user(1001), 1, "tab\there", 0, 0).error().why, status::bad_request);
  EXPECT_EQ(s.create(user(1001), 1, std::string(256, 'x'), 0, 0).error().why, status::bad_request);
}

TEST_F(a_store, a_grant_is_no_more_than_its_grantor_has) {
  auto const base = make(1001, "a");
  ASSERT_TRUE(s.grant(user(1001), base, right_read | right_grant, holder::user(1002)));
  EXPECT_EQ(s.grant(user(1002), base, right_write, holder::user(1003)).error().why, status::no_right);
  ASSERT_TRUE(s.grant(user(1002), base, right_read, holder::user(1003)));
  EXPECT_TRUE(s.check(user(1003), base, 1, right_read));
  EXPECT_EQ(s.revoke(user(1002), base, holder::user(1002)).error().why, status::no_right);
  // What 1002 granted depended on its own grant.
  ASSERT_TRUE(s.revoke(user(1001), base, holder::user(1002)));
  EXPECT_FALSE(s.check(user(1002), base, 1, right_read));
  EXPECT_FALSE(s.check(user(1003), base, 1, right_read));
}

TEST_F(a_store, grants_in_a_cycle_end_together) {
  auto const base = make(1001, "a");
  auto const both = right_read | right_grant;
  ASSERT_TRUE(s.grant(user(1001), base, both, holder::user(1002)));
  ASSERT_TRUE(s.grant(user(1002), base, both, holder::user(1003)));
  ASSERT_TRUE(s.grant(user(1003), base, both, holder::user(1002)));
  ASSERT_TRUE(s.revoke(user(1001), base, holder::user(1002)));
  EXPECT_FALSE(s.check(user(1002), base, 1, right_read));
  EXPECT_FALSE(s.check(user(1003), base, 1, right_read));
}

TEST_F(a_store, tokens_open_what_they_were_granted_and_no_more) {
  auto const base = make(1001, "a");
  auto const other = make(1001, "b");
  auto const t = s.grant_token(user(1001), base, right_read).value();
  EXPECT_TRUE(s.is_valid(t));
  token forged = t;
  forged.secret[1] ^= 1;
  EXPECT_FALSE(s.is_valid(forged));
  EXPECT_FALSE(s.is_valid(token::fresh()));
  EXPECT_TRUE(s.check(remote({t}), base, 10, right_read));
  EXPECT_FALSE(s.check(remote({t}), base, 10, right_write));
  EXPECT_FALSE(s.check(remote({t}), other, 10, right_read));
  EXPECT_FALSE(s.check(remote({}), base, 10, right_read));
  ASSERT_TRUE(s.revoke(user(1001), base, holder::of(t.id)));
  EXPECT_FALSE(s.is_valid(t));
  EXPECT_FALSE(s.check(remote({t}), base, 10, right_read)) << "also for a client that presented it before";
  EXPECT_EQ(token::parse(t.text())->bytes(), t.bytes());
  EXPECT_FALSE(token::parse(t.text().substr(1)));
  EXPECT_FALSE(token::parse("zz" + t.text().substr(2)));
}

TEST_F(a_store, a_remote_creator_needs_a_token_and_owns_by_another) {
  EXPECT_EQ(text(s.create(remote({}), 10, "far", 0, 0)), "no right to allocate on this server (owner 1000)");
  auto const may = s.grant_token(user(1000), server_address, right_allocate).value();
  auto const made = s.create(remote({may}), 10, "far", 0, 0);
  ASSERT_TRUE(made) << text(made);
  ASSERT_TRUE(made->owner);
  EXPECT_FALSE(s.check(remote({may}), made->made->base, 1, right_read)) << "other clients may have that token, too";
  EXPECT_TRUE(s.check(remote({*made->owner}), made->made->base, 1, right_read | right_write));
  EXPECT_TRUE(s.grant(remote({*made->owner}), made->made->base, right_read, holder::user(1002)));
  ASSERT_TRUE(s.revoke(user(1000), server_address, holder::any_user()));
  EXPECT_FALSE(s.create(user(1001), 10, "near", 0, 0));
  EXPECT_TRUE(s.create(user(1000), 10, "near", 0, 0));
}

TEST_F(a_store, every_user_gets_what_the_creator_says) {
  auto const made = s.create(user(1001), 10, "open", right_read, 0);
  EXPECT_TRUE(s.check(user(1002), made->made->base, 1, right_read));
  EXPECT_FALSE(s.check(user(1002), made->made->base, 1, right_write));
  EXPECT_FALSE(s.check(remote({}), made->made->base, 1, right_read));
}

TEST(store_at_scale, a_hundred_thousand_regions) {
  constexpr std::uint64_t count = 100000;
  page_allocator memory(count * page_allocator::page_bytes);
  store s(memory, 0, 1000);
  std::vector<std::uint64_t> bases;
  for (std::uint64_t i = 0; i < count; ++i)
    bases.push_back(s.create(user(1001), 64, "r" + std::to_string(i), 0, 0)->made->base);
  EXPECT_FALSE(s.create(user(1001), 64, "more", 0, 0));
  for (std::uint64_t i = 0; i < count; i += 997) EXPECT_TRUE(s.check(user(1001), bases[i] + 63, 1, right_write));
  for (auto const base : bases) ASSERT_TRUE(s.remove(user(1001), base));
  EXPECT_EQ(memory.free_bytes(), memory.size_bytes());
}

TEST(store_journal, a_replay_has_what_was_acknowledged) {
  std::vector<change> journal;
  auto const base = [&] {
    page_allocator memory(16 * page_allocator::page_bytes);
    store s(memory, 0, 1000);
    s.journal_to([&](change const& c) { return journal.push_back(c), true; });
    auto const kept = s.create(user(1001), 5000, "kept", 0, 0)->made->base;
    auto const gone = s.create(user(1001), 5000, "gone", 0, 0)->made->base;
    EXPECT_TRUE(s.grant(user(1001), kept, right_read, holder::user(1002)));
    EXPECT_TRUE(s.link(user(1001), kept, "also", 0, 0));
    EXPECT_TRUE(s.remove(user(1001), gone));
    s.journal_to([](change const&) { return false; });
    EXPECT_EQ(text(s.create(user(1001), 1, "late", 0, 0)), "the server's disk is full");
    EXPECT_EQ(memory.free_bytes(), 14 * page_allocator::page_bytes);
    return kept;
  }();
  page_allocator memory(16 * page_allocator::page_bytes);
  store s(memory, 0, 1000);
  for (auto const& c : journal) ASSERT_TRUE(s.replay(c));
  EXPECT_EQ(s.open(user(1002), "also", right_read, 0).value()->base, base);
  EXPECT_FALSE(s.open(user(1001), "gone", right_read, 0));
  EXPECT_EQ(memory.free_bytes(), 14 * page_allocator::page_bytes);
  EXPECT_FALSE(s.replay(journal[0])) << "the region exists already";
}

}  // namespace
}  // namespace tess::memd
