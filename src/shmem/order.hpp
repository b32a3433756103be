// order: fence and quiet. Between PEs of one host operations take effect in the order of their calls, but for atomics
// with _nbi, which may be delayed; between hosts nothing orders them, so that a fence waits as quiet does.
//
// Errors    fail: no such PE.
// Source    OpenSHMEM 1.5, section 9.11.
#pragma once

#include <atomic>
#include <cstddef>

#include "shmem/address.hpp"
#include "shmem/context.hpp"
#include "shmem/delayed.hpp"
#include "shmem/network.hpp"

namespace tess::shmem {

inline void complete(shmem_ctx_t ctx) {
  (void)pe_of(ctx, 0);
  settle();
  if (ctx->pending != nullptr) [[unlikely]]
    own.network->quiet(*ctx->pending);
}
// An invalid context has nothing to order or complete: PEs outside of a team may have one in place of the team's.
inline void fence(shmem_ctx_t ctx) {
  if (ctx == SHMEM_CTX_INVALID) return;
  complete(ctx);
  std::atomic_thread_fence(std::memory_order_release);
}
/// What was put is seen by all before anything that this PE reads afterwards.
inline void quiet(shmem_ctx_t ctx) {
  if (ctx == SHMEM_CTX_INVALID) return;
  complete(ctx);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}
inline void pe_quiet(shmem_ctx_t ctx, int const* target_pes, std::size_t npes) {
  if (ctx == SHMEM_CTX_INVALID) return;
  for (std::size_t i = 0; i < npes; ++i)
    if (int const pe = pe_of(ctx, target_pes[i]); pe < 0 || pe >= own.pes) fail_pe(pe);
  quiet(ctx);
}

}  // namespace tess::shmem
