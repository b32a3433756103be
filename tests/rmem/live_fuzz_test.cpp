// live_fuzz_test: a live server receives conversations that are malformed, replayed, out of order, or have forged
// tokens. Method: a valid conversation is damaged and shuffled, message by message, and sent by clients that have no
// right on the region, which must not change. The seed is printed.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "broken_conversation.hpp"
#include "fresh_tcp_address.hpp"
#include "rmem/client/connection.hpp"
#include "rmem/wire/token.hpp"
#include "running_server.hpp"

namespace tess::rmem {
namespace {

TEST(rmem_live_fuzz, no_conversation_of_strangers_changes_a_region_or_stops_the_server) {
  auto const at = fresh_address();
  std::string const tcp = fresh_tcp_address();
  running_server const s(at, 16 * mebibyte, tcp);
  client owner(at);
  auto const r = owner.create("kept", mebibyte);
  auto const bytes = random_bytes(mebibyte, 1);
  owner.memwrite(r.base, bytes.data(), bytes.size());
  // A valid token, but for another region.
  auto const other = owner.create("other", mebibyte);
  auto const valid = *token::parse(owner.grant_token(other.base, rights::read_write));
  auto const valid_bytes = valid.bytes();
  std::string const token(reinterpret_cast<char const*>(valid_bytes.data()), valid_bytes.size());
  auto const seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 400; ++round) {
    say_by_tcp(tcp, broken_conversation(r, token, random), static_cast<unsigned>(round));
  }
  std::vector<char> got(bytes.size());
  owner.memread(got.data(), r.base, got.size());
  EXPECT_TRUE(got == bytes);
  EXPECT_EQ(owner.list().size(), 2U);
  EXPECT_EQ(owner.open("kept", rights::read_write).base, r.base);
}

}  // namespace
}  // namespace tess::rmem
