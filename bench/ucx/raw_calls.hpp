// raw_calls: words and blocks by direct calls of UCX: the baseline of the fabric on UCX.
//
//   The target registers memory and progresses a worker on a thread that spins on request. The source makes the calls:
//   put and flush, get, atomic. There are no places, tasks or checks.
//
// Units    latency: s for one; rate: operations per s; block: bytes per s.
// Threads  raw_side: one. The target's functions: any, one at a time.
// Errors   std::runtime_error with the text of UCX.
#pragma once

#include <ucp/api/ucp.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace bench {

enum class raw_operation { put, get, fetch_add };

/// Description of the target's memory, for the source.
struct raw_introduction {
  std::byte const* begin;
  std::size_t bytes;
};
[[nodiscard]] raw_introduction start_raw_target(void* memory, std::size_t bytes);
/// Switches between spinning and sleeping.
void progress_raw_target(bool on);
void end_raw_target();

class raw_side {
 public:
  explicit raw_side(std::span<std::byte const> introduction);
  ~raw_side();
  raw_side(raw_side const&) = delete;
  raw_side& operator=(raw_side const&) = delete;

  double latency(raw_operation what, unsigned operations);
  double rate(raw_operation what, unsigned operations, unsigned outstanding);
  double block(bool put, void* mine, std::size_t bytes, unsigned transfers);

 private:
  void* issue(raw_operation what, std::uint64_t* result, unsigned word);
  void wait(void* request);
  void flush();

  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  ucp_ep_h endpoint_ = nullptr;
  ucp_rkey_h key_ = nullptr;
  ucp_mem_h mine_ = nullptr;
  std::uint64_t there_ = 0;
};

}  // namespace bench
