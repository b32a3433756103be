// rest: puts OpenMP's threads to sleep between the two sides of a comparison; by default they spin for another 200 ms.
#include <omp.h>

#include "plain/kernels.hpp"

namespace plain {

void rest() noexcept {
  // The spin time is read when a thread enters the parallel region before it: here an empty region with spin time 0.
  // omp_pause_resource_all() would be the standard function; libomp 19 accepts it, but its threads continue to spin.
  int const usual_ms = kmp_get_blocktime();
  kmp_set_blocktime(0);
#pragma omp parallel
  {
    asm volatile("");  // Otherwise the optimiser would remove the region.
  }
  kmp_set_blocktime(usual_ms);
}

}  // namespace plain
