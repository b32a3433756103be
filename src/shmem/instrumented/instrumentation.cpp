// instrumentation: what the compiler calls at each load, store and atomic of a program (-fsanitize=thread, whose own
// library is not linked): a checked job then sees them as it sees OpenSHMEM's calls.
//
//   It is linked into programs of `tess cc --races` and `tess c++ --races` only, and needs nothing but libshmem.
//
// Cost      a call and a comparison each while the job is not checked.
#include <cstddef>
#include <cstdint>
#include <cstring>

extern "C" {
bool tess_shmem_used(void const* address, std::size_t bytes, int writes, int is_atomic, void* from);
void tess_shmem_seen(void const* address, std::size_t bytes);
}

namespace {

enum kind { reads = 0, writes = 1 };

/// Performs an atomic operation of the program between its release and its acquire.
template <class T, class Operation>
[[gnu::always_inline]] inline auto atomically(T const volatile* word, kind how, void* from, Operation operation) {
  void const* const address = const_cast<T const*>(word);
  struct acquiring {
    void const* address;
    ~acquiring() {
      if (address != nullptr) tess_shmem_seen(address, sizeof(T));
    }
  } const after{tess_shmem_used(address, sizeof(T), how, 1, from) ? address : nullptr};
  return operation();
}

}  // namespace

// The names are the compiler's.
// NOLINTBEGIN(bugprone-reserved-identifier)
#define TESS_FROM __builtin_return_address(0)
#define TESS_ACCESS(bytes)                           \
  void __tsan_read##bytes(void* p) {                 \
    tess_shmem_used(p, bytes, reads, 0, TESS_FROM);  \
  }                                                  \
  void __tsan_write##bytes(void* p) {                \
    tess_shmem_used(p, bytes, writes, 0, TESS_FROM); \
  }                                                  \
  void __tsan_unaligned_read##bytes(void* p) {       \
    tess_shmem_used(p, bytes, reads, 0, TESS_FROM);  \
  }                                                  \
  void __tsan_unaligned_write##bytes(void* p) {      \
    tess_shmem_used(p, bytes, writes, 0, TESS_FROM); \
  }

#define TESS_ATOMIC_FETCH(bits, type, name, operation)                                          \
  type __tsan_atomic##bits##_##name(type volatile* p, type v, int) {                            \
    return atomically(p, writes, TESS_FROM, [&] { return operation(p, v, __ATOMIC_SEQ_CST); }); \
  }
#define TESS_ATOMIC(bits, type)                                                                              \
  type __tsan_atomic##bits##_load(type volatile const* p, int) {                                             \
    return atomically(p, reads, TESS_FROM, [&] { return __atomic_load_n(p, __ATOMIC_SEQ_CST); });            \
  }                                                                                                          \
  void __tsan_atomic##bits##_store(type volatile* p, type v, int) {                                          \
    atomically(p, writes, TESS_FROM, [&] { __atomic_store_n(p, v, __ATOMIC_SEQ_CST); });                     \
  }                                                                                                          \
  type __tsan_atomic##bits##_compare_exchange_val(type volatile* p, type expected, type desired, int, int) { \
    return atomically(p, writes, TESS_FROM, [&] {                                                            \
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
  tess_shmem_used(p, sizeof *p, reads, 0, TESS_FROM);
}
/// Constructors and destructors of one class store what is there already.
void __tsan_vptr_update(void** p, void* table) {
  if (*p != table) tess_shmem_used(p, sizeof *p, writes, 0, TESS_FROM);
}
void* __tsan_memcpy(void* to, void const* from, std::size_t bytes) {
  tess_shmem_used(from, bytes, reads, 0, TESS_FROM);
  tess_shmem_used(to, bytes, writes, 0, TESS_FROM);
  return std::memcpy(to, from, bytes);
}
void* __tsan_memmove(void* to, void const* from, std::size_t bytes) {
  tess_shmem_used(from, bytes, reads, 0, TESS_FROM);
  tess_shmem_used(to, bytes, writes, 0, TESS_FROM);
  return std::memmove(to, from, bytes);
}
void* __tsan_memset(void* to, int value, std::size_t bytes) {
  tess_shmem_used(to, bytes, writes, 0, TESS_FROM);
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
