// place: a partition of the global address space and the workers that may touch it with plain loads and stores.
#pragma once

#include "tess/detail/worker.hpp"
#include "tess/error.hpp"

namespace tess {

/// The place that runs the caller. Only inside run().
[[nodiscard]] inline place_id here() noexcept {
  TESS_DEBUG_ASSERT(detail::self != nullptr);
  return detail::self->place;
}

/// How many places the job has, 1 to 65535.
[[nodiscard]] inline place_id places() noexcept {
  return detail::job.places;
}

/// Workers of each place.
[[nodiscard]] inline unsigned workers() noexcept {
  return detail::job.workers;
}

}  // namespace tess
