// host: PEs as processes of one host that share their symmetric heaps.
//
//   shmem_init creates all heaps, one after the other in shared memory, and starts the PEs, which map it at the
//   same addresses; the process that called it waits for them. Static objects belong to each process, so only what
//   shmem_malloc returns is symmetric.
//
// Errors    a PE that dies, or ends before shmem_finalize, ends the others; the program then exits with 1.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <tess/detail/shmem/state.hpp>

namespace tess::detail::shmem {

/// The state of this process (src/shmem_words/host.cpp).
extern constinit state own;

void begin();
void end();
void barrier();
/// Ends the program with a message that says why the address is not valid.
[[noreturn, gnu::cold]] void refuse(void const* address, std::size_t bytes, int pe);

[[noreturn, gnu::cold]] inline void fail(char const* where, char const* what, char const* expected) {
  fail_at(own.pe, where, what, expected);
}

/// Where the PE has the word that this PE has at `address`.
template <class W>
W* word_of(void const* address, int pe) {
  auto const offset = reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(own.heap);
  bool const sound =
      offset < own.heap_bytes && offset % sizeof(W) == 0 && static_cast<unsigned>(pe) < static_cast<unsigned>(own.pes);
  if (!sound) [[unlikely]]
    refuse(address, sizeof(W), pe);
  std::byte* const first = own.heap - static_cast<std::size_t>(own.pe) * own.heap_bytes;
  return reinterpret_cast<W*>(first + static_cast<std::size_t>(pe) * own.heap_bytes + offset);
}

template <word_op Op, class T>
T apply(T const* address, std::type_identity_t<T> value, std::type_identity_t<T> cond, int pe) {
  using bits = bits_of<T>;
  std::atomic_ref<bits> const word(*word_of<bits>(address, pe));
  auto const operand = static_cast<bits>(value);
  auto expected = static_cast<bits>(cond);
  if constexpr (Op == word_op::get) return static_cast<T>(word.load());
  if constexpr (Op == word_op::put) {
    word.store(operand);
    return 0;
  }
  if constexpr (Op == word_op::exchange) return static_cast<T>(word.exchange(operand));
  if constexpr (Op == word_op::compare_swap) {
    word.compare_exchange_strong(expected, operand);
    return static_cast<T>(expected);
  }
  if constexpr (Op == word_op::fetch_add) return static_cast<T>(word.fetch_add(operand));
  if constexpr (Op == word_op::fetch_and) return static_cast<T>(word.fetch_and(operand));
  if constexpr (Op == word_op::fetch_or) return static_cast<T>(word.fetch_or(operand));
  if constexpr (Op == word_op::fetch_xor) return static_cast<T>(word.fetch_xor(operand));
}

}  // namespace tess::detail::shmem
