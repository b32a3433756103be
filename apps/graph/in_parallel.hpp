// in_parallel: a function called once on each of several threads, for work on the memory of one process.
//
//   Places do not need it: it serves importers, which run before there are any.
//
// Errors    The first exception is thrown again by the caller, when all threads have ended.
#pragma once

#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace graph {

// The number meant by `asked`, where 0 is one for each processor. Simulated machines have no threads to spare.
[[nodiscard]] inline unsigned threads_meant(unsigned asked) noexcept {
#if defined(__riscv)
  static_cast<void>(asked);
  return 1;
#else
  if (asked != 0) return asked;
  unsigned const processors = std::thread::hardware_concurrency();
  return processors == 0 ? 1 : processors;
#endif
}

// f(thread), for each thread below `threads`; with one, on the caller's.
template <class F>
void in_parallel(unsigned threads, F const& f) {
  if (threads <= 1) return f(0U);
  std::mutex lock;
  std::exception_ptr failed;
  auto const guarded = [&](unsigned thread) noexcept {
    try {
      f(thread);
    } catch (...) {
      std::scoped_lock const held(lock);
      if (!failed) failed = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  unsigned started = 1;
  try {
    for (; started < threads; ++started) others.emplace_back(guarded, started);
  } catch (std::system_error const&) {
    // The system has no more threads: this one does the work of those that are missing.
  }
  guarded(0U);
  for (unsigned thread = started; thread < threads; ++thread) guarded(thread);
  for (std::thread& t : others) t.join();
  if (failed) std::rethrow_exception(failed);
}

// The `part`-th of `parts` nearly equal ranges of [0, size).
struct range {
  std::uint64_t begin;
  std::uint64_t end;
};
[[nodiscard]] constexpr range share(std::uint64_t size, unsigned part, unsigned parts) noexcept {
  auto const cut = [=](unsigned at) {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(size) * at / parts);
  };
  return {cut(part), cut(part + 1)};
}

}  // namespace graph
