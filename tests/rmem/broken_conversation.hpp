// broken_conversation: a valid conversation with a memory server, damaged and shuffled, message by message.
#pragma once

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "key_file.hpp"
#include "rmem/wire/message.hpp"
#include "rmem/wire/sockets.hpp"
#include "rmem/wire/stream.hpp"
#include "tess/rmem.hpp"

namespace tess::rmem {

inline std::string text_of(wire::message m, std::string const& payload = {}) {
  if (m.payload == 0) m.payload = static_cast<std::uint32_t>(payload.size());
  auto const head = wire::encode(m);
  return std::string(reinterpret_cast<char const*>(head.data()), head.size()) + payload;
}

/// Everything that a client may ask for, about one region.
inline std::vector<std::string> valid_conversation(region const& r, std::string const& token) {
  using wire::operation;
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
          text_of({.what = operation::list, .id = 12}),
          text_of({.what = operation::state, .id = 13}),
          text_of({.what = operation::hello, .id = 14}),
          text_of({.what = operation::claim, .id = 15, .address = 1, .argument = 2}),
          text_of({.what = operation::revoke, .id = 16, .address = r.base, .argument = 1}),
          text_of({.what = operation::unlink, .id = 17}, "kept"),
          text_of({.what = operation::remove, .id = 11, .address = r.base})};
}

/// `token` is valid, but for another region than `r`.
template <class Random>
std::string broken_conversation(region const& r, std::string token, Random& random) {
  // A forged token differs from a valid one in one bit.
  if (random() % 2 == 0) token[random() % token.size()] ^= static_cast<char>(1 << random() % 8);
  auto conversation = valid_conversation(r, token);
  if (random() % 2 == 0) std::shuffle(conversation.begin(), conversation.end(), random);
  if (random() % 2 == 0) conversation.push_back(conversation[random() % conversation.size()]);
  std::string all;
  for (auto const& message : conversation) all += message;
  for (auto i = random() % 4; i > 0; --i)
    all[random() % std::min<std::size_t>(all.size(), 2000)] = static_cast<char>(random());
  if (random() % 4 == 0) all.resize(random() % all.size());
  return all;
}

/// Says it by TCP: without encryption, or by a client that has the key, and then perhaps breaks the encryption.
inline void say_by_tcp(std::string const& tcp, std::string const& all, unsigned kind) {
  auto const say_plainly = [&](int socket) {
    static_cast<void>(send(socket, all.data(), all.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
  };
  if (kind % 4 == 0) {
    auto const stranger = connect_to(tcp);
    say_plainly(stranger.number());
    static_cast<void>(shutdown(stranger.number(), SHUT_WR));
    return;
  }
  auto const known = stream::to(tcp, credentials{.key = common_key(), .secret = {}});
  for (std::span<std::byte const> left = std::as_bytes(std::span(all)); !left.empty();) {
    auto const n = known.send(left, MSG_DONTWAIT);
    if (n <= 0) break;
    left = left.subspan(static_cast<std::size_t>(n));
  }
  if (kind % 4 == 1) say_plainly(known.number());
  static_cast<void>(shutdown(known.number(), SHUT_WR));
  // Some read some of the answers, most read none.
  std::array<std::byte, 4096> answers{};
  if (kind % 8 == 7) static_cast<void>(known.receive(answers, 0));
}

}  // namespace tess::rmem
