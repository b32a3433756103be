// locks: fair locks between PEs, whose waiters stand in a queue and spin on words of their own.
//
//   The halves of the lock's long: the upper one at the lock's home is the last waiter + 1, the lower one at each PE is
//   the waiter behind it + 1, and whether it waits itself. These words are the PE's: with SHMEM_THREAD_MULTIPLE its
//   threads take turns, in the order in which they came, before one of them joins the queue of the PEs.
//
// Threads   any. A PE's lock may be cleared by another thread than the one that set it.
// Source    Mellor-Crummey, Scott: Algorithms for scalable synchronization (TOCS 1991); OpenSHMEM 1.5, section 9.12.
#pragma once

namespace tess::shmem {

void set_lock(long* lock);
void clear_lock(long* lock);
/// 0: the lock was free, and is this PE's now.
int test_lock(long* lock);

}  // namespace tess::shmem
