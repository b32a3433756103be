// make_places: the places of this process on a fabric that is made, and the tables of windows to all.
#pragma once

#include "runtime/job/job.hpp"

namespace tess::detail {

void make_places(job_state& j);

}  // namespace tess::detail
