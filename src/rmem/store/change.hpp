// change: one change of a memory server's state, as it is written to the journal and sent to the backup.
//
// Errors   decode() gives nothing for bytes that are no change; store::replay() says whether one is possible.
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
    begin,          // address: of the next region
    replica_state,  // of replicated servers: a replica_record
  };
  kind what{};
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::uint64_t until = 0;
  holder who{};
  holder by{};
  bool by_anyone = false;  // revoke: grants by any grantor
  std::uint32_t rights = 0;
  token::proof secret{};
  std::string name{};
  std::vector<extent> extents{};
  std::vector<wire::part> other_parts{};  // create: the parts on other servers
};

/// What a replicated server's copy is worth if the other server is gone.
enum class replica_state : std::uint32_t {
  incomplete,  // must not be served
  sole,        // acknowledged changes that the other server may not have
  in_sync,     // has everything that was acknowledged
  diverged,    // acknowledged changes, and so did the other server: must not be served
};

/// What a replicated server's file says about its copy.
struct replica_record {
  std::uint64_t epoch = 0;
  replica_state state = replica_state::incomplete;
  std::uint64_t pair = 0;   // names the pair to the witness; chosen by its first primary
  std::uint64_t self = 0;   // of this copy, random; outlives its processes
  std::uint64_t peer = 0;   // the copy that was last admitted as the backup
  std::uint64_t round = 0;  // of the latest admission, by whichever server
  bool operator==(replica_record const&) const = default;
};
[[nodiscard]] change change_of(replica_record const& r);
[[nodiscard]] replica_record record_from(change const& c);

[[nodiscard]] std::vector<std::byte> encode(change const& c);
[[nodiscard]] std::optional<change> decode(std::span<std::byte const> bytes);

}  // namespace tess::memd
