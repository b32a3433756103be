// job: what all places of this process share: UCX, how to find the other places, and which of them have failed.
//
// Threads  the callbacks may run on any thread, under the lock of a place.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "fabric/mailbox.hpp"
#include "fabric/ucx/introductions.hpp"
#include "fabric/ucx/library.hpp"

namespace tess::detail {

struct ucx_job {
  ucx_library const& ucx;
  ucp_context_h context;
  place_id places;
  unsigned places_here;  ///< on this host
  std::uint64_t message_memory;
  ucx_introductions* known = nullptr;                               ///< what the other places said of themselves
  std::unique_ptr<std::atomic<bool>[]> failed;                      ///< by place
  std::function<void(place_id, char const*)> on_failure;            ///< a place does not answer, and how that showed
  std::function<void(place_id by)> on_heartbeat;                    ///< a heartbeat arrived
  std::function<void(place_id failed, place_id root)> on_notice{};  ///< another place says so: ucx_notices::told
  std::function<void(place_id reader)> wake_reader{};               ///< mail has arrived at a sleeping reader
  mailbox::directory mailboxes{};                                   ///< by place; empty: there are none

  [[nodiscard]] bool has_failed(place_id p) const noexcept { return failed[p].load(std::memory_order_relaxed); }
};

}  // namespace tess::detail
