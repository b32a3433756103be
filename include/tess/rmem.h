// rmem: remote memory for C programs (C99): the blocking functions of tess/rmem.hpp, with the same server.
//
// Every function returns TESS_RMEM_OK or an error; tess_rmem_message() explains the last error of the calling thread.
// Units: bytes. Threads: any. Link with the runtime's library and the C++ library.
#ifndef TESS_RMEM_H
#define TESS_RMEM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What may be done to a region.
enum { TESS_RMEM_READ = 1, TESS_RMEM_WRITE = 2 };

/// What a call returns.
enum {
  TESS_RMEM_OK = 0,
  TESS_RMEM_NO_RIGHT,
  TESS_RMEM_OUT_OF_BOUNDS,
  TESS_RMEM_NO_REGION,
  TESS_RMEM_NO_NAME,
  TESS_RMEM_NAME_TAKEN,
  TESS_RMEM_FULL,
  TESS_RMEM_DISK_FULL,
  TESS_RMEM_BAD_TOKEN,
  TESS_RMEM_BAD_REQUEST,
  TESS_RMEM_REVOKED,
  TESS_RMEM_NOT_SERVING,
  TESS_RMEM_LOST = 100,  ///< the server is gone; the next call connects again
  TESS_RMEM_NO_MEMORY    ///< in this process
};

/// A region of remote memory.
struct tess_rmem_region {
  uint64_t base;  ///< in the flat address space of all servers
  uint64_t size;
};

/// Finds the region of this name, if this user has all of `rights`.
int tess_rmem_open(char const* name, unsigned rights, struct tess_rmem_region* found);
/// Creates a region of zeros; `rights_for_users`: the rights of every user of the server's host.
int tess_rmem_create(char const* name, uint64_t size, unsigned rights_for_users, struct tess_rmem_region* made);
/// Removes a region.
int tess_rmem_remove(struct tess_rmem_region const* region);

/// Copies bytes from a region, or to it.
int tess_memread(void* to, uint64_t from, size_t bytes);
int tess_memwrite(uint64_t to, void const* from, size_t bytes);

/// The explanation of the last error of this thread; never null.
char const* tess_rmem_message(void);

#ifdef __cplusplus
}
#endif
#endif
