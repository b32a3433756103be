// change: one step of a memory server's state, as it is recorded in a file and as it travels to a second server.
//
// Errors   decode() gives nothing for bytes that are no change; whether one is possible, store::replay() says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rmem/store/page_allocator.hpp"
#include "rmem/store/rights.hpp"
#include "rmem/wire/message.hpp"
#include "rmem/wire/token.hpp"

namespace tess::memd {

struct change {
  enum class kind : std::uint8_t {
    create,
    remove,
    link,
    unlink,
    grant,
    revoke,
    begin,     // address: where the next region goes
    standing,  // of two servers: address: the epoch; rights: whether this one may go on alone (replica.hpp)
  };
  kind what{};
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::uint64_t until = 0;
  holder who{};
  holder by{};
  bool by_anyone = false;  // revoke: whoever gave it
  std::uint32_t rights = 0;
  token::proof secret{};
  std::string name{};
  std::vector<piece> pieces{};
  std::vector<wire::part> others{};  // create: the parts on other servers
};

[[nodiscard]] std::vector<std::byte> encode(change const& c);
[[nodiscard]] std::optional<change> decode(std::span<std::byte const> bytes);

}  // namespace tess::memd
