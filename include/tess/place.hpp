// place: a partition of the global address space, and the workers that may access it with ordinary loads and stores.
#pragma once

#include "tess/detail/tasks/worker.hpp"
#include "tess/error.hpp"

namespace tess {

/// The caller's place. Only inside run().
[[nodiscard]] inline place_id here() noexcept {
  TESS_DEBUG_ASSERT(detail::self != nullptr);
  return detail::self->place;
}

/// The number of places of the job, 1 to 65535.
[[nodiscard]] inline place_id places() noexcept {
  return detail::job.places;
}

/// The number of workers of each place.
[[nodiscard]] inline unsigned workers() noexcept {
  return detail::job.workers;
}

}  // namespace tess
