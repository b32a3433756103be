// shmemx: extensions of OpenSHMEM; this library has none.
#ifndef SHMEMX_H_
#define SHMEMX_H_
#include <shmem.h>
#endif
