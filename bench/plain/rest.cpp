// rest: between the two sides of a comparison OpenMP must be still; by default its threads spin for 200 ms more.
#include <omp.h>

#include "plain/kernels.hpp"

namespace plain {

void rest() noexcept {
  // How long a thread spins is fixed when it enters the region after which it spins: here an empty one, after which it
  // does not. omp_pause_resource_all() would be the standard's way; libomp 19 accepts it and goes on spinning.
  int const usual_ms = kmp_get_blocktime();
  kmp_set_blocktime(0);
#pragma omp parallel
  {
    asm volatile("");  // Or the optimiser would drop the region.
  }
  kmp_set_blocktime(usual_ms);
}

}  // namespace plain
