// ucx: the fabric whose places are processes, over UCX; a launcher starts them and introduces them to each other.
//
//   Data, words and messages travel as UCX active messages; processes of one host also map each other's segments, which
//   are then windows. Only processors perform word operations: through a window, or the owner's on request. So
//   operations with and without a window are atomic with respect to each other. UCX and PMIx are loaded on first use:
//   programs on other fabrics run without them.
//
// Errors   tess::error when a library, the launcher or a peer is unusable; reported_by_place_0 elsewhere.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fabric/fabric.hpp"
#include "fabric/wireup.hpp"

namespace tess::detail {

/// How processes learn of each other.
class process_wireup : public wireup {
 public:
  /// Gives these bytes to all others, and waits until all have given theirs. Throws tess::error if one does not come in
  /// time.
  virtual void introduce(std::span<std::byte const> mine) = 0;
  /// What that place gave. Throws tess::error if it is gone.
  [[nodiscard]] virtual std::vector<std::byte> introduction_of(place_id place) = 0;
  /// Places that may be on this host, in order, this one among them.
  [[nodiscard]] virtual std::vector<place_id> places_here() = 0;
  /// A file of zeros of so many bytes for all processes of the job, which are all on this host; -1: there is none for
  /// this one, which says so if it cannot use it (stay_apart). Before introduce().
  [[nodiscard]] virtual int segments_file(std::uint64_t) noexcept { return -1; }
  virtual void stay_apart() noexcept {}
  /// All processes use that file. After introduce().
  [[nodiscard]] virtual bool share_segments() const noexcept { return false; }
  /// The process whose end ends the job; 0: none.
  [[nodiscard]] virtual int launcher() const noexcept { return 0; }
};

/// From the launcher, by PMIx; a job of one place if there was none. `user`: a program may link two libraries that have
/// jobs of their own, which must not take each other's addresses.
[[nodiscard]] std::unique_ptr<process_wireup> make_wireup(std::chrono::milliseconds patience,
                                                          std::string user = "tess");

struct ucx_options {
  bool windows = true;          ///< map the segments of other processes of this host
  bool progress_thread = true;  ///< serves words, blocks and heartbeats when no worker polls
  std::chrono::milliseconds failure_timeout{10'000};
  std::string identity;      ///< must be equal at all places
  bool memory_file = false;  ///< the segment can be mapped a second time, also without windows
};

/// `wires` null: all places of `threads` are in this process and communicate by UCX all the same (tests).
[[nodiscard]] std::unique_ptr<fabric> make_ucx_fabric(thread_map const& threads, ucx_options const& options,
                                                      std::unique_ptr<process_wireup> wires);

}  // namespace tess::detail
