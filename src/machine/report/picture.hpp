// picture: the grid of a machine as SVG, with how busy its links, caches, adapters and memories were in a run.
//
//   One scale of colours for everything, in classes with their figures beside it, and the figure itself where there is
//   room: what is dark is the bottleneck.
#pragma once

#include <string>

#include "machine/report/measurement.hpp"

namespace tess::machine {

[[nodiscard]] std::string picture_of(measurement const& run, machine_description const& description,
                                     std::string const& program);

}  // namespace tess::machine
