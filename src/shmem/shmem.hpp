// shmem: the header of OpenSHMEM as the library itself sees it: declarations without inlined words.
#pragma once

#define TESS_SHMEM_LIBRARY
// The library hides everything else.
#pragma GCC visibility push(default)
#include "shmem.h"
#pragma GCC visibility pop
