// meetings: collectives: whether all PEs call the same one, and what they learn of each other.
//
//   The collectives of a set of PEs are numbered. The first to come to one says what it gives, and each of the others
//   compares. Who comes while another waits for it in another collective has found that both would wait for ever.
//
// Threads   one of each PE for one collective at a time.
// Errors    fail: with the calls and lines of both PEs, and what each gave.
#pragma once

#include "shmem/observe.hpp"

namespace tess::shmem::checking {

void come_to_meeting(operation const& o);
void leave_meeting(operation const& o);

}  // namespace tess::shmem::checking
