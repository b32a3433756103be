// wireup: who else takes part in a job whose places are in several programs: processes, or tiles of a machine.
//
// Threads  one.
#pragma once

#include <chrono>

#include "tess/error.hpp"

namespace tess::detail {

/// One per program.
class wireup {
 public:
  virtual ~wireup() = default;
  wireup() = default;
  wireup(wireup const&) = delete;
  wireup& operator=(wireup const&) = delete;

  [[nodiscard]] virtual place_id place() const noexcept = 0;
  [[nodiscard]] virtual place_id places() const noexcept = 0;
  /// Programs of the job that want processors of this host.
  [[nodiscard]] virtual unsigned processes_here() const noexcept = 0;
  /// Waits for all others to call it too; false if they did not within `most`.
  virtual bool meet(std::chrono::milliseconds most) noexcept = 0;
};

}  // namespace tess::detail
