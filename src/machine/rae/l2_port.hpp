// l2_port: the tile's L2 as RAE's network interface beside it sees it: the source and target of its lines.
//
// Units     global addresses, cached names.
// Threads   one.
// Source    docs/machine/rae.md.
#pragma once

#include <cstddef>
#include <cstdint>

#include "machine/rae/extended_mshr.hpp"

namespace tess::machine {

class l2_port {
 public:
  struct accesses {
    std::uint64_t reads = 0;   ///< Lines for main entries.
    std::uint64_t writes = 0;  ///< Those that were written.
  };
  virtual ~l2_port() = default;

  /// Called when an entry begins, and whenever it happens until its line is there: continues to fetch it. Returns the
  /// line's bytes: all requests of the entry are to be applied to them now and answered from `entry.ends` on. Null: the
  /// entry will happen again.
  [[nodiscard]] virtual std::byte* reach(main_entry& entry) = 0;
  /// The bytes again while the entry's requests are answered, for a request that joins. Null: it cannot join.
  [[nodiscard]] virtual std::byte* join(main_entry& entry, bool stores) = 0;

  [[nodiscard]] accesses const& counted_accesses() const noexcept { return accesses_; }

 protected:
  accesses accesses_;
};

}  // namespace tess::machine
