// call: the call of OpenSHMEM that this thread is in, for messages, statistics and checks.
//
// Threads   each has its own.
// Errors    fail ends the program with 2: the call, where it is in the program, what was wrong, what is right.
#pragma once

#include <string>
#include <string_view>

#include "shmem/job.hpp"
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
  call(char const* name, void* from) {
    current = {name, from};
    if (own.pes == 0) [[unlikely]]
      fail_outside_job();
    if (profiling) [[unlikely]]
      began_ = seconds_now();
  }
  ~call() {
    if (profiling) [[unlikely]]
      if (began_ != 0) count_call(current.name, current.from, began_);
  }
  call(call const&) = delete;
  call& operator=(call const&) = delete;

 private:
  double began_ = 0;
};
/// A call that is allowed before shmem_init.
class early_call {
 public:
  early_call(char const* name, void* from) { current = {name, from}; }
};

}  // namespace tess::shmem
