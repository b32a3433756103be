// wireup: the programs of a job whose places are in several of them: processes, or tiles of a simulated machine.
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
  /// A barrier of all programs; false if they did not all arrive within `most`, or, of a host, none for so long.
  virtual bool meet(std::chrono::milliseconds most) noexcept = 0;
};

}  // namespace tess::detail
