// wait: waits for words of this PE that others change, and tests them.
//
//   A status of 1 leaves a word out. If all are left out, there is nothing to wait for.
//
// Errors    fail: no such comparison.
// Source    OpenSHMEM 1.5, section 9.10.
#pragma once

#include <cstddef>
#include <cstdint>

#include "shmem/call.hpp"
#include "shmem/delayed.hpp"
#include "shmem/shmem.hpp"
#include "shmem/waiting.hpp"

namespace tess::shmem {

template <class T>
bool holds(T const* ivar, int cmp, T value) {
  T const found = __atomic_load_n(ivar, __ATOMIC_ACQUIRE);
  switch (cmp) {
    case SHMEM_CMP_EQ:
      return found == value;
    case SHMEM_CMP_NE:
      return found != value;
    case SHMEM_CMP_GT:
      return found > value;
    case SHMEM_CMP_LE:
      return found <= value;
    case SHMEM_CMP_LT:
      return found < value;
    case SHMEM_CMP_GE:
      return found >= value;
    default:
      fail("comparison " + std::to_string(cmp), "SHMEM_CMP_EQ, NE, GT, LE, LT or GE");
  }
}

/// Before a test: what others do may need this process, and what it delayed.
inline void look() {
  settle();
  if (own.network != nullptr) [[unlikely]]
    progress_network();
}

/// The words of a call, the same value or one each.
template <class T>
struct waited {
  T* ivars;
  std::size_t nelems;
  int const* status;
  int cmp;
  T const* values;
  std::size_t step;  ///< from a word's value to the next one's: 0 or 1

  [[nodiscard]] bool included(std::size_t i) const { return status == nullptr || status[i] == 0; }
  [[nodiscard]] bool holds_at(std::size_t i) const { return holds<T>(ivars + i, cmp, values[i * step]); }
  [[nodiscard]] bool empty() const {
    for (std::size_t i = 0; i < nelems; ++i)
      if (included(i)) return false;
    return true;
  }
  [[nodiscard]] bool all() const {
    for (std::size_t i = 0; i < nelems; ++i)
      if (included(i) && !holds_at(i)) return false;
    return true;
  }
  /// SIZE_MAX: none.
  [[nodiscard]] std::size_t any() const {
    for (std::size_t i = 0; i < nelems; ++i)
      if (included(i) && holds_at(i)) return i;
    return SIZE_MAX;
  }
  [[nodiscard]] std::size_t some(std::size_t* indices) const {
    std::size_t found = 0;
    for (std::size_t i = 0; i < nelems; ++i)
      if (included(i) && holds_at(i)) indices[found++] = i;
    return found;
  }
};

template <class T>
void wait_all(waited<T> const& words) {
  settle();
  wait_for([&] { return words.all(); });
}
template <class T>
std::size_t wait_any(waited<T> const& words) {
  if (words.empty()) return SIZE_MAX;
  settle();
  std::size_t found = SIZE_MAX;
  wait_for([&] { return (found = words.any()) != SIZE_MAX; });
  return found;
}
template <class T>
std::size_t wait_some(waited<T> const& words, std::size_t* indices) {
  if (words.empty()) return 0;
  settle();
  std::size_t found = 0;
  wait_for([&] { return (found = words.some(indices)) != 0; });
  return found;
}

template <class T>
void wait_until(T* ivar, int cmp, T value) {
  settle();
  wait_for([&] { return holds<T>(ivar, cmp, value); }, ivar);
}
inline void wait_until(long* ivar, int cmp, long value) {
  wait_until<long>(ivar, cmp, value);
}
template <class T>
void wait(T* ivar, T value) {
  wait_until<T>(ivar, SHMEM_CMP_NE, value);
}
inline void wait(long* ivar, long value) {
  wait<long>(ivar, value);
}
template <class T>
int test(T* ivar, int cmp, T value) {
  look();
  return holds<T>(ivar, cmp, value) ? 1 : 0;
}
inline std::uint64_t signal_wait_until(std::uint64_t* sig_addr, int cmp, std::uint64_t value) {
  wait_until<std::uint64_t>(sig_addr, cmp, value);
  return __atomic_load_n(sig_addr, __ATOMIC_ACQUIRE);
}

// One value for all words, then one for each.
template <class T>
void wait_until_all(T* ivars, std::size_t nelems, int const* status, int cmp, T value) {
  wait_all<T>({ivars, nelems, status, cmp, &value, 0});
}
template <class T>
std::size_t wait_until_any(T* ivars, std::size_t nelems, int const* status, int cmp, T value) {
  return wait_any<T>({ivars, nelems, status, cmp, &value, 0});
}
template <class T>
std::size_t wait_until_some(T* ivars, std::size_t nelems, std::size_t* indices, int const* status, int cmp, T value) {
  return wait_some<T>({ivars, nelems, status, cmp, &value, 0}, indices);
}
template <class T>
int test_all(T* ivars, std::size_t nelems, int const* status, int cmp, T value) {
  look();
  return waited<T>{ivars, nelems, status, cmp, &value, 0}.all() ? 1 : 0;
}
template <class T>
std::size_t test_any(T* ivars, std::size_t nelems, int const* status, int cmp, T value) {
  look();
  return waited<T>{ivars, nelems, status, cmp, &value, 0}.any();
}
template <class T>
std::size_t test_some(T* ivars, std::size_t nelems, std::size_t* indices, int const* status, int cmp, T value) {
  look();
  return waited<T>{ivars, nelems, status, cmp, &value, 0}.some(indices);
}
template <class T>
void wait_until_all_vector(T* ivars, std::size_t nelems, int const* status, int cmp, T const* values) {
  wait_all<T>({ivars, nelems, status, cmp, values, 1});
}
template <class T>
std::size_t wait_until_any_vector(T* ivars, std::size_t nelems, int const* status, int cmp, T const* values) {
  return wait_any<T>({ivars, nelems, status, cmp, values, 1});
}
template <class T>
std::size_t wait_until_some_vector(T* ivars, std::size_t nelems, std::size_t* indices, int const* status, int cmp,
                                   T const* values) {
  return wait_some<T>({ivars, nelems, status, cmp, values, 1}, indices);
}
template <class T>
int test_all_vector(T* ivars, std::size_t nelems, int const* status, int cmp, T const* values) {
  look();
  return waited<T>{ivars, nelems, status, cmp, values, 1}.all() ? 1 : 0;
}
template <class T>
std::size_t test_any_vector(T* ivars, std::size_t nelems, int const* status, int cmp, T const* values) {
  look();
  return waited<T>{ivars, nelems, status, cmp, values, 1}.any();
}
template <class T>
std::size_t test_some_vector(T* ivars, std::size_t nelems, std::size_t* indices, int const* status, int cmp,
                             T const* values) {
  look();
  return waited<T>{ivars, nelems, status, cmp, values, 1}.some(indices);
}

}  // namespace tess::shmem
