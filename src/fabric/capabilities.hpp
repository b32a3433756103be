// capabilities: what a fabric may offer beyond the ten operations of fabric.hpp; by default nothing.
//
//   A fabric overrides the members that its hardware or transport supports. A wrapper (`checked`, `delayed`) returns
//   the capabilities of the fabric that it wraps.
//
// Threads  as fabric.hpp, unless the returned object says otherwise.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "tess/error.hpp"

namespace tess::detail {

class event_units;
class graph_units;

class fabric_capabilities {
 public:
  virtual ~fabric_capabilities() = default;
  fabric_capabilities() = default;
  fabric_capabilities(fabric_capabilities const&) = delete;
  fabric_capabilities& operator=(fabric_capabilities const&) = delete;

  /// Accelerators that copy object graphs; null: none.
  [[nodiscard]] virtual graph_units* graphs() noexcept { return nullptr; }

  /// Event queues and barriers in hardware; null: none.
  [[nodiscard]] virtual event_units* event_lines() noexcept { return nullptr; }

  /// Nanoseconds since a fixed moment. Where places share a clock, that moment is the same at all of them.
  [[nodiscard]] virtual std::uint64_t now_ns() const noexcept {
    auto const now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
  }

  /// The measured part of the run begins or ends. A simulated machine counts that part separately.
  virtual void mark_measured(bool begins) noexcept { static_cast<void>(begins); }

  /// Every event that concerns a sleeping thread wakes it, so that a thread may sleep without a deadline.
  [[nodiscard]] virtual bool wakes_surely() const noexcept { return false; }

  /// True once after all threads of all places slept while nothing was under way.
  [[nodiscard]] virtual bool stalled() noexcept { return false; }

  /// For tests: from now on the place counts as failed, and fabric::failures() reports it.
  virtual void fail(place_id place, std::string const& how) {
    static_cast<void>(place);
    static_cast<void>(how);
    throw error("fabric", "cannot let a place fail", "hostile, or ucx");
  }
};

}  // namespace tess::detail
