// fence_others: by membarrier(2).
#include "runtime/events/fence_others.hpp"

#include <cerrno>

#include "tess/assert.hpp"

#if !defined(__riscv)
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace tess::detail {

#if defined(__riscv)

bool can_fence_others() noexcept {
  return false;
}

void fence_others() noexcept {
  TESS_ASSERT(can_fence_others());
}

#else

namespace {
bool membarrier(int command) noexcept {
  return syscall(SYS_membarrier, command, 0, 0) == 0;
}
}  // namespace

bool can_fence_others() noexcept {
  static bool const can =
      membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED) && membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED);
  return can;
}

void fence_others() noexcept {
  while (!membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED)) {
    // The kernel has no memory for the set of processors now.
    TESS_ASSERT(errno == ENOMEM);
    sched_yield();
  }
}

#endif

}  // namespace tess::detail
