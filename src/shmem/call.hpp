// call: the call of OpenSHMEM that this thread is in, for messages, statistics and checks.
//
// Threads   each has its own.
// Errors    fail ends the program with 2: the call, where it is in the program, what was wrong, what is right.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "shmem/delayed.hpp"
#include "shmem/job.hpp"
#include "shmem/observe.hpp"
#include "shmem/profile.hpp"

namespace tess::shmem {

struct current_call {
  char const* name = nullptr;
  void* from = nullptr;
};
// The library is loaded at start, so its thread-local words are at a fixed distance.
extern constinit thread_local current_call current [[gnu::tls_model("initial-exec")]];

[[noreturn, gnu::cold]] void fail(std::string_view what, std::string_view expected);
[[noreturn, gnu::cold]] void fail_outside_job();

class call {
 public:
  call(char const* name, void* from) : call(name, from, [] { return operation{}; }) {}
  /// `describe()` is what the call does, for who observes.
  template <class Describe>
  [[gnu::always_inline]] call(char const* name, void* from, Describe const& describe) {
    current = {name, from};
    if (own.pes == 0) [[unlikely]]
      fail_outside_job();
    // Whoever calls again and again may wait for what a delayed operation makes others do.
    settle();
    if (observed) [[unlikely]] {
      began_ = seconds_now();
      begin_observed(describe());
    }
  }
  ~call() {
    if (observed) [[unlikely]]
      if (began_ != 0) end_observed(began_);
  }
  call(call const&) = delete;
  call& operator=(call const&) = delete;

  /// A result that says what the call did.
  template <class T>
  [[gnu::always_inline]] T returns(T result) const {
    if (observed) [[unlikely]] {
      if constexpr (std::is_pointer_v<T>)
        note_result(reinterpret_cast<std::uintptr_t>(result));
      else
        note_result(static_cast<std::uint64_t>(result));
    }
    return result;
  }

 private:
  double began_ = 0;
};
/// A call that is allowed before shmem_init.
class early_call {
 public:
  early_call(char const* name, void* from) { current = {name, from}; }
};

}  // namespace tess::shmem
