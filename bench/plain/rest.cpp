// rest: between the two sides of a comparison OpenMP must be still; by default its threads spin for 200 ms more.
#include <omp.h>

#include "plain/kernels.hpp"

namespace plain {

void rest() noexcept {
  (void)omp_pause_resource_all(omp_pause_soft);
}

}  // namespace plain
