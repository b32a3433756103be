// ucx: places as processes, over UCX, wired up by whoever started them; and how the runtime asks for it.
//
//   Data, words and messages travel as UCX active messages; processes of one host also map each other's segments, which
//   are then windows. Word operations are performed by processors only: through a window, or by the owner on request.
//   So there is one atomicity mechanism, whoever has a window and whoever has none.
//   UCX and PMIx are loaded when they are needed: a program runs without them on the other fabrics.
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
  /// What every place gave, by place. Throws tess::error if one does not come in time.
  [[nodiscard]] virtual std::vector<std::vector<std::byte>> exchange(std::span<std::byte const> mine) = 0;
};

/// From the launcher, by PMIx; a job of one place if there was none.
[[nodiscard]] std::unique_ptr<process_wireup> make_wireup(std::chrono::milliseconds patience);

struct ucx_options {
  bool windows = true;          ///< map the segments of other processes of this host
  bool progress_thread = true;  ///< serves words, blocks and heartbeats when no worker polls
  std::chrono::milliseconds failure_timeout{10'000};
  std::string identity;  ///< must be equal at all places
};

/// `wires` null: all places of `threads` are in this process, and yet talk by UCX (tests).
[[nodiscard]] std::unique_ptr<fabric> make_ucx_fabric(thread_map const& threads, ucx_options const& options,
                                                      std::unique_ptr<process_wireup> wires);

}  // namespace tess::detail
