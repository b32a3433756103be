// make_places: makes the places of this process, once their fabric exists, and opens the windows to all places.
#pragma once

#include "runtime/job/job.hpp"

namespace tess::detail {

void make_places(job_state& j);

}  // namespace tess::detail
