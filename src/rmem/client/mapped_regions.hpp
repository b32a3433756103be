// mapped_regions: regions of a local server that this process has mapped, and whether a mapped transfer counts.
//
//   A transfer is done first and validated afterwards: after it comes a full fence, then a look at the region's epoch.
//   If the lease has ended in the meantime, the transfer is repeated another way, because the mapping may have been
//   empty. The server's side is src/rmem/store/leased_memory.hpp.
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

class mapped_regions {
 public:
  enum class outcome : std::uint8_t { moved, no_lease, ended };

  /// `reads`: from the region to `memory`; else the other way.
  [[nodiscard]] outcome move(bool reads, address at, std::byte* memory, std::size_t bytes);
  /// Maps what the server lent. False: it cannot be mapped, and counts as refused.
  bool add(region const& what, bool writes, descriptor memory, descriptor epoch);
  /// The server does not lend this region: it is not asked again.
  void refuse(region const& what, bool writes);
  /// A lease of this kind was requested already for the region at this address.
  [[nodiscard]] bool was_requested(address at, bool writes) const;
  /// There is a mapping for this.
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
  /// A region, and what was requested for it.
  struct entry {
    std::uint64_t size = 0;
    std::shared_ptr<mapping> mapped;
    bool read_requested = false;
    bool write_requested = false;
  };
  [[nodiscard]] entry const* at(address a) const;

  mutable std::shared_mutex mutex_;
  std::map<address, entry> entries_;
};

}  // namespace tess::rmem
