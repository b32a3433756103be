// memory: shmem_malloc and its kin: collective calls that give every PE an object at the same address.
//
// Threads   one at a time.
// Errors    null: no room, or a size of 0. fail: an address that no object has.
// Cost      a barrier each. Memory is taken when it is touched, that of objects from 4 MiB on at once, in huge pages;
//           64 MiB and more are compared with what the system has.
// Source    OpenSHMEM 1.5, section 9.3.
#pragma once

#include <cstddef>

namespace tess::shmem {

void* malloc(std::size_t size);
void* calloc(std::size_t count, std::size_t size);
void* align(std::size_t alignment, std::size_t size);
void* realloc(void* ptr, std::size_t size);
void* malloc_with_hints(std::size_t size, long hints);
void free(void* ptr);

/// At init and finalize. The size of the heap is SHMEM_SYMMETRIC_SIZE, else what the address space of a slot allows.
void open_heap();
void close_heap();

}  // namespace tess::shmem
