// system: what a program does by the system's libraries: memory that it allocates is fresh, and locks order accesses.
//
//   The linker sends calls of malloc and its kin here (--wrap), and the compiler those of pthread locks, of the program
//   alone: locks of the runtime say nothing about the program (cmake/install.cmake has both lists).
#include <pthread.h>
#include <sys/mman.h>

#include <cstdlib>
#include <new>

#include "runtime/races/shadow.hpp"

namespace races = tess::detail::races;

// NOLINTBEGIN(bugprone-reserved-identifier): the linker's names.
extern "C" {

void* __real_malloc(std::size_t bytes);
void* __real_calloc(std::size_t count, std::size_t bytes);
void* __real_realloc(void* old, std::size_t bytes);
void* __real_aligned_alloc(std::size_t alignment, std::size_t bytes);
int __real_posix_memalign(void** made, std::size_t alignment, std::size_t bytes);
void* __real_mmap(void* wanted, std::size_t bytes, int protection, int flags, int file, off_t offset);
void __real___cxa_guard_release(void* guard);

void* __wrap_malloc(std::size_t bytes) {
  return races::fresh(__real_malloc(bytes), bytes);
}
void* __wrap_calloc(std::size_t count, std::size_t bytes) {
  void* const made = __real_calloc(count, bytes);
  return made == nullptr ? nullptr : races::fresh(made, count * bytes);
}
void* __wrap_realloc(void* old, std::size_t bytes) {
  // What the present task knows of the old block is lost with it.
  return races::fresh(__real_realloc(old, bytes), bytes);
}
void* __wrap_aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return races::fresh(__real_aligned_alloc(alignment, bytes), bytes);
}
int __wrap_posix_memalign(void** made, std::size_t alignment, std::size_t bytes) {
  int const problem = __real_posix_memalign(made, alignment, bytes);
  if (problem == 0) races::fresh(*made, bytes);
  return problem;
}
void* __wrap_mmap(void* wanted, std::size_t bytes, int protection, int flags, int file, off_t offset) {
  void* const made = __real_mmap(wanted, bytes, protection, flags, file, offset);
  return made == MAP_FAILED ? made : races::fresh(made, bytes);
}
/// The program's reads of the guard are atomics, which acquire it.
void __wrap___cxa_guard_release(void* guard) {
  races::release(guard);
  __real___cxa_guard_release(guard);
}

int tess_races_mutex_lock(pthread_mutex_t* m) {
  int const problem = pthread_mutex_lock(m);
  races::acquire(m);
  return problem;
}
int tess_races_mutex_trylock(pthread_mutex_t* m) {
  int const problem = pthread_mutex_trylock(m);
  if (problem == 0) races::acquire(m);
  return problem;
}
int tess_races_mutex_unlock(pthread_mutex_t* m) {
  races::release(m);
  return pthread_mutex_unlock(m);
}
int tess_races_rwlock_rdlock(pthread_rwlock_t* l) {
  int const problem = pthread_rwlock_rdlock(l);
  races::acquire(l);
  return problem;
}
int tess_races_rwlock_wrlock(pthread_rwlock_t* l) {
  int const problem = pthread_rwlock_wrlock(l);
  races::acquire(l);
  return problem;
}
int tess_races_rwlock_unlock(pthread_rwlock_t* l) {
  races::release(l);
  return pthread_rwlock_unlock(l);
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier)

// A program may have its own operators.
[[gnu::weak]] void* operator new(std::size_t bytes) {
  for (;;) {
    if (void* const made = __real_malloc(bytes == 0 ? 1 : bytes)) return races::fresh(made, bytes);
    std::new_handler const handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}
[[gnu::weak]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
  auto const a = static_cast<std::size_t>(alignment);
  for (;;) {
    if (void* const made = __real_aligned_alloc(a, (bytes + a - 1) / a * a)) return races::fresh(made, bytes);
    std::new_handler const handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}
[[gnu::weak]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::weak]] void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::weak]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
[[gnu::weak]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
