// mapped_regions: regions of a local server that this process has mapped, and whether a mapped transfer counts.
//
//   A transfer is done and then believed: after it comes a full fence, then a look at the region's epoch. If the lease
//   has ended meanwhile, the transfer is repeated another way, for the mapping may have been empty already.
//   The server's side is src/rmem/store/leased_memory.hpp.
//
// Threads  any.
// Cost     a shared lock, the copy, a fence and a load.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>

#include "rmem/wire/sockets.hpp"
#include "tess/rmem.hpp"

namespace tess::rmem {

class leases {
 public:
  enum class outcome : std::uint8_t { moved, no_lease, ended };

  /// `reads`: from the region to `memory`; otherwise the other way.
  [[nodiscard]] outcome move(bool reads, address at, std::byte* memory, std::size_t bytes);
  /// Maps what the server lent. False if it cannot be mapped; the region is then remembered as one without a lease.
  bool add(region const& what, bool writes, descriptor memory, descriptor epoch);
  /// Do not ask again: the server does not lend it.
  void refuse(region const& what, bool writes);
  /// The region that this address lies in was asked for in this way already.
  [[nodiscard]] bool knows(address at, bool writes) const;
  /// There is a mapping for that.
  [[nodiscard]] bool has(address at, bool writes) const;
  void drop(address at);
  void drop_all();

 private:
  struct mapping {
    region what;
    bool writes = false;
    std::byte* bytes = nullptr;
    std::uint64_t* epoch = nullptr;
    ~mapping();
  };
  /// For reading and for writing.
  struct entry {
    std::uint64_t size = 0;
    std::shared_ptr<mapping> mapped;
    bool asked_to_read = false;
    bool asked_to_write = false;
  };
  [[nodiscard]] entry const* at(address a) const;

  mutable std::shared_mutex mutex_;
  std::map<address, entry> entries_;
};

}  // namespace tess::rmem
