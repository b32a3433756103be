// live_fuzz_test: a live server receives conversations that are malformed, replayed, out of order, or have forged
// tokens. Method: a valid conversation is damaged and shuffled, message by message, and sent by clients that have no
// right on the region, which must not change. The seed is printed.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "fresh_tcp_address.hpp"
#include "rmem/client/connection.hpp"
#include "rmem/wire/token.hpp"
#include "running_server.hpp"

namespace tess::rmem {
namespace {

using wire::operation;

std::string text_of(wire::message m, std::string const& payload = {}) {
  if (m.payload == 0) m.payload = static_cast<std::uint32_t>(payload.size());
  auto const head = wire::encode(m);
  return std::string(reinterpret_cast<char const*>(head.data()), head.size()) + payload;
}

std::vector<std::string> valid_conversation(region const& r, std::string const& token) {
  return {text_of({.what = operation::present, .id = 1}, token),
          text_of({.what = operation::open, .id = 2, .rights = 1}, "kept"),
          text_of({.what = operation::read, .id = 3, .address = r.base, .size = 5000}),
          text_of({.what = operation::write, .id = 4, .address = r.base, .size = 10000}),
          text_of({.what = operation::data, .id = 4, .payload = 10000}) + std::string(10000, 'x'),
          text_of({.what = operation::write, .id = 5, .address = r + 64, .size = 5}, "yyyyy"),
          text_of({.what = operation::lease, .id = 6, .address = r.base, .rights = 3}),
          text_of({.what = operation::grant, .id = 7, .address = r.base, .argument = 2, .rights = 3}),
          text_of({.what = operation::link, .id = 8, .address = r.base}, "another"),
          text_of({.what = operation::join, .id = 9, .argument2 = 7}, "8 bytes."),
          text_of({.what = operation::take_over, .id = 10}),
          text_of({.what = operation::remove, .id = 11, .address = r.base})};
}

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
  auto const seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 400; ++round) {
    std::string token(reinterpret_cast<char const*>(valid_bytes.data()), valid_bytes.size());
    // A forged token differs from a valid one in one bit.
    if (random() % 2 == 0) token[random() % token.size()] ^= static_cast<char>(1 << random() % 8);
    auto conversation = valid_conversation(r, token);
    if (random() % 2 == 0) std::shuffle(conversation.begin(), conversation.end(), random);
    if (random() % 2 == 0) conversation.push_back(conversation[random() % conversation.size()]);
    std::string all;
    for (auto const& message : conversation) all += message;
    for (unsigned i = random() % 4; i > 0; --i)
      all[random() % std::min<std::size_t>(all.size(), 2000)] = static_cast<char>(random());
    if (random() % 4 == 0) all.resize(random() % all.size());
    if (round % 4 == 0) {
      // One that does not know of encryption, or one that has the key and then breaks it.
      auto const stranger = connect_to(tcp);
      static_cast<void>(send(stranger.number(), all.data(), all.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
      static_cast<void>(shutdown(stranger.number(), SHUT_WR));
      continue;
    }
    auto const known = stream::to(tcp, credentials{.key = common_key(), .secret = {}});
    for (std::span<std::byte const> left = std::as_bytes(std::span(all)); !left.empty();) {
      auto const n = known.send(left, MSG_DONTWAIT);
      if (n <= 0) break;
      left = left.subspan(static_cast<std::size_t>(n));
    }
    if (round % 4 == 1) static_cast<void>(send(known.number(), all.data(), all.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
    static_cast<void>(shutdown(known.number(), SHUT_WR));
    // Some read some of the answers, most read none.
    std::array<std::byte, 4096> answers{};
    if (round % 8 == 7) static_cast<void>(known.receive(answers, 0));
  }
  std::vector<char> got(bytes.size());
  owner.memread(got.data(), r.base, got.size());
  EXPECT_TRUE(got == bytes);
  EXPECT_EQ(owner.list().size(), 2U);
  EXPECT_EQ(owner.open("kept", rights::read_write).base, r.base);
}

}  // namespace
}  // namespace tess::rmem
