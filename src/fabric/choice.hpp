// choice: selects the fabric of a job by name, meets the other programs of the job, and makes the fabric.
//
//   The only place that knows all fabrics.
//
// Threads  one.
// Errors   tess::error: a fabric that does not exist or cannot run here, or a number of places that it cannot have.
//          reported_by_place_0 where another program of the job reports that.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "fabric/fabric.hpp"
#include "fabric/wireup.hpp"
#include "tess/delay.hpp"

namespace tess::detail {

class process_wireup;

struct fabric_options {
  std::string name;                                   ///< empty: the default of the host or machine
  unsigned places = 0;                                ///< wanted; 0: any number
  tess::delay delay;                                  ///< added to operations on other places
  std::uint64_t seed = 1;                             ///< of random delays and reordering
  bool windows = true;                                ///< other places of the host may be accessed directly
  bool progress_thread = true;                        ///< a thread serves other places while no worker polls
  std::chrono::milliseconds failure_timeout{10'000};  ///< until a silent place counts as failed
};

class fabric_choice {
 public:
  explicit fabric_choice(fabric_options options);
  ~fabric_choice();
  fabric_choice(fabric_choice const&) = delete;
  fabric_choice& operator=(fabric_choice const&) = delete;

  [[nodiscard]] std::string const& name() const noexcept { return options_.name; }
  /// The programs of the job, each of which is one place; null: all places are in this process. It lives as long as
  /// the fabric.
  [[nodiscard]] wireup* programs() const noexcept;
  /// The harts of a place that can run workers; 1 where the system spreads threads over processors.
  [[nodiscard]] unsigned harts() const noexcept;
  /// An idle thread may spin for a while before it sleeps.
  [[nodiscard]] bool idle_threads_may_spin() const noexcept;

  /// Once. `identity`: of the program; must be equal at all places.
  [[nodiscard]] std::unique_ptr<fabric> make(thread_map const& threads, std::string identity);

 private:
  fabric_options options_;
  std::unique_ptr<process_wireup> processes_;
  std::unique_ptr<wireup> tiles_;
};

/// The program runs on a simulated machine, which has no signals and reports stalls itself.
[[nodiscard]] bool on_machine() noexcept;

}  // namespace tess::detail
