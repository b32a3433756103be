// picture: the grid of a machine as SVG, with the loads of its links, caches, adapters and memories in a run.
//
//   One colour scale for everything, in classes with a legend, and the figure itself where there is room: dark parts
//   are the bottleneck.
#pragma once

#include <string>

#include "machine/report/measurement.hpp"

namespace tess::machine {

[[nodiscard]] std::string picture_of(measurement const& run, machine_description const& description,
                                     std::string const& program);

}  // namespace tess::machine
