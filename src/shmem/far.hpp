// far: words of PEs without a window: posted, fetched, or fetched later.
//
// Threads   any.
// Cost      posted words travel together; a fetched one is a round trip.
#pragma once

#include <cstring>
#include <type_traits>

#include "shmem/address.hpp"
#include "shmem/context.hpp"
#include "shmem/network.hpp"

namespace tess::shmem {

/// Loads and stores work with words of any type, the other operations with numbers.
template <class T>
word_request far_word(word_op op, T const* address, int pe, T a, T b) {
  word_request word{op, detail::word_type::raw, sizeof(T), 8, far(address, sizeof(T), pe), {0, 0}};
  while (word.address % word.alignment != 0 || sizeof(T) % word.alignment != 0)
    word.alignment = static_cast<std::uint8_t>(word.alignment / 2);
  if constexpr (detail::word_number<T>)
    if (op != word_op::get && op != word_op::put) word.type = detail::word_type_of<T>();
  if (op == word_op::put || sizeof(T) > 8) {
    std::memcpy(word.operands, &a, sizeof a);
  } else {
    std::memcpy(&word.operands[0], &a, sizeof a);
    std::memcpy(&word.operands[1], &b, sizeof b);
  }
  return word;
}

template <class T>
[[gnu::noinline, gnu::cold]] void post_far(shmem_ctx_t ctx, word_op op, T const* address, int pe, T value) {
  own.network->post(*ctx->pending, far_word(op, address, pe, value, T{}));
}
/// The old value.
template <class T>
[[gnu::noinline, gnu::cold]] T fetch_far(word_op op, T const* address, int pe, T a = {}, T b = {}) {
  std::uint64_t old[2];
  own.network->fetch(far_word(op, address, pe, a, b), old);
  T value;
  std::memcpy(&value, old, sizeof value);
  return value;
}
template <class T>
[[gnu::noinline, gnu::cold]] void fetch_far_later(shmem_ctx_t ctx, T* fetch, word_op op, T const* address, int pe,
                                                  T a = {}, T b = {}) {
  own.network->fetch_later(*ctx->pending, far_word(op, address, pe, a, b), fetch);
}

}  // namespace tess::shmem
