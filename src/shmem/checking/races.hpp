// races: looks for accesses that conflict with one of this PE, and keeps it.
//
// Threads   whoever holds `locked`.
#pragma once

#include <cstddef>
#include <vector>

#include "shmem/checking/report.hpp"
#include "shmem/checking/shadow.hpp"

namespace tess::shmem::checking {

/// `found` gets what is to be reported, once the lock is free.
void use_range(location at, std::size_t bytes, entry now, std::vector<race>& found);

}  // namespace tess::shmem::checking
