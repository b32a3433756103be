// shmemx: extensions of OpenSHMEM; this library has none.
#ifndef TESS_SHMEMX_H
#define TESS_SHMEMX_H
#include <shmem.h>
#endif
