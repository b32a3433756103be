// splitmix: random numbers that are a function of their index, for benchmarks.
#pragma once

#include "kernels/random_word.hpp"

namespace bench {

using kernels::splitmix;

}  // namespace bench
