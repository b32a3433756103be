// instrumentation: what the compiler calls at each load, store and atomic of a program (-fsanitize=thread, whose own
// library is not linked).
//
//   Atomics of the program are performed here, as acquire and release of their address.
#include <cstring>

#include "runtime/races/header_code.hpp"
#include "runtime/races/shadow.hpp"

namespace races = tess::detail::races;

namespace {

[[gnu::always_inline]] inline void note(void const* p, std::size_t bytes, unsigned flags, void const* own) noexcept {
  races::note(p, bytes, flags, *static_cast<races::frame const*>(own));
}

/// Performs an atomic operation of the program between its release and its acquire.
template <class T, class Operation>
[[gnu::always_inline]] inline auto atomically(T const volatile* word, bool writes, void const* own,
                                              Operation operation) noexcept {
  void const* const address = const_cast<T const*>(word);
  races::frame const& f = *static_cast<races::frame const*>(own);
  if (races::is_header_code(f.return_address, f.outer->return_address)) return operation();
  note(address, sizeof(T), races::is_word | (writes ? races::writes : 0), own);
  if (writes) races::release(address);
  struct acquiring {
    void const* address;
    ~acquiring() { races::acquire(address); }
  } const after{address};
  return operation();
}

}  // namespace

// The names are the compiler's.
// NOLINTBEGIN(bugprone-reserved-identifier)
#define TESS_FRAME __builtin_frame_address(0)
#define TESS_ACCESS(bytes)                      \
  void __tsan_read##bytes(void* p) {            \
    note(p, bytes, 0, TESS_FRAME);              \
  }                                             \
  void __tsan_write##bytes(void* p) {           \
    note(p, bytes, races::writes, TESS_FRAME);  \
  }                                             \
  void __tsan_unaligned_read##bytes(void* p) {  \
    note(p, bytes, 0, TESS_FRAME);              \
  }                                             \
  void __tsan_unaligned_write##bytes(void* p) { \
    note(p, bytes, races::writes, TESS_FRAME);  \
  }

#define TESS_ATOMIC_FETCH(bits, type, name, operation)                                         \
  type __tsan_atomic##bits##_##name(type volatile* p, type v, int) {                           \
    return atomically(p, true, TESS_FRAME, [&] { return operation(p, v, __ATOMIC_SEQ_CST); }); \
  }
#define TESS_ATOMIC(bits, type)                                                                              \
  type __tsan_atomic##bits##_load(type volatile const* p, int) {                                             \
    return atomically(p, false, TESS_FRAME, [&] { return __atomic_load_n(p, __ATOMIC_SEQ_CST); });           \
  }                                                                                                          \
  void __tsan_atomic##bits##_store(type volatile* p, type v, int) {                                          \
    atomically(p, true, TESS_FRAME, [&] { __atomic_store_n(p, v, __ATOMIC_SEQ_CST); });                      \
  }                                                                                                          \
  type __tsan_atomic##bits##_compare_exchange_val(type volatile* p, type expected, type desired, int, int) { \
    return atomically(p, true, TESS_FRAME, [&] {                                                             \
      __atomic_compare_exchange_n(p, &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);         \
      return expected;                                                                                       \
    });                                                                                                      \
  }                                                                                                          \
  TESS_ATOMIC_FETCH(bits, type, exchange, __atomic_exchange_n)                                               \
  TESS_ATOMIC_FETCH(bits, type, fetch_add, __atomic_fetch_add)                                               \
  TESS_ATOMIC_FETCH(bits, type, fetch_sub, __atomic_fetch_sub)                                               \
  TESS_ATOMIC_FETCH(bits, type, fetch_and, __atomic_fetch_and)                                               \
  TESS_ATOMIC_FETCH(bits, type, fetch_or, __atomic_fetch_or)                                                 \
  TESS_ATOMIC_FETCH(bits, type, fetch_xor, __atomic_fetch_xor)                                               \
  TESS_ATOMIC_FETCH(bits, type, fetch_nand, __atomic_fetch_nand)

extern "C" {

void __tsan_init() {}
TESS_ACCESS(1)
TESS_ACCESS(2)
TESS_ACCESS(4)
TESS_ACCESS(8)
TESS_ACCESS(16)

void __tsan_vptr_read(void** p) {
  note(p, sizeof *p, 0, TESS_FRAME);
}
/// Constructors and destructors of one class store what is there already.
void __tsan_vptr_update(void** p, void* table) {
  if (*p != table) note(p, sizeof *p, races::writes, TESS_FRAME);
}
void* __tsan_memcpy(void* to, void const* from, std::size_t bytes) {
  note(from, bytes, 0, TESS_FRAME);
  note(to, bytes, races::writes, TESS_FRAME);
  return std::memcpy(to, from, bytes);
}
void* __tsan_memmove(void* to, void const* from, std::size_t bytes) {
  note(from, bytes, 0, TESS_FRAME);
  note(to, bytes, races::writes, TESS_FRAME);
  return std::memmove(to, from, bytes);
}
void* __tsan_memset(void* to, int value, std::size_t bytes) {
  note(to, bytes, races::writes, TESS_FRAME);
  return std::memset(to, value, bytes);
}

TESS_ATOMIC(8, std::uint8_t)
TESS_ATOMIC(16, std::uint16_t)
TESS_ATOMIC(32, std::uint32_t)
TESS_ATOMIC(64, std::uint64_t)
void __tsan_atomic_thread_fence(int) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void __tsan_atomic_signal_fence(int) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier)
