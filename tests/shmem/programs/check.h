// check: what the test programs of OpenSHMEM share: a check that ends the program, and the four ways to name a call.
//
//   The body of a test is written once, with CALL(TYPENAME, operation, arguments), and is compiled for each way: with
//   the type in the name, with a context, and by the generic name of C11 or the overload of C++.
#ifndef TESS_TESTS_SHMEM_CHECK_H
#define TESS_TESTS_SHMEM_CHECK_H

#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "every_type.h"

#define CHECK(condition)                                                                                         \
  do {                                                                                                           \
    if (!(condition)) {                                                                                          \
      fprintf(stderr, "PE %d of %d: %s:%d: %s\n", shmem_my_pe(), shmem_n_pes(), __FILE__, __LINE__, #condition); \
      exit(1);                                                                                                   \
    }                                                                                                            \
  } while (0)

/* This process sees the memory of that PE: not with `tess run --no-window`, which is as if each PE had a host. */
static inline int sees(int pe) {
  return pe == shmem_my_pe() || !getenv("TESS_NO_WINDOW");
}

/* Without a context, and with the one that is called ctx. */
#define TYPED(N, operation, ...) shmem_##N##_##operation(__VA_ARGS__)
#define TYPED_CTX(N, operation, ...) shmem_ctx_##N##_##operation(ctx, __VA_ARGS__)
#define GENERIC(N, operation, ...) shmem_##operation(__VA_ARGS__)
#define GENERIC_CTX(N, operation, ...) shmem_##operation(ctx, __VA_ARGS__)

#endif
