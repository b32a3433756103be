// observe: passes each call on to who observes.
#include "shmem/observe.hpp"

#include "shmem/call.hpp"
#include "shmem/checking/checks.hpp"
#include "shmem/profile.hpp"
#include "shmem/trace.hpp"

namespace tess::shmem {

bool observed = false;

namespace {

bool checks = false;
thread_local operation now;
thread_local std::uint64_t result_of_call = 0;

}  // namespace

void begin_observed(operation const& of) {
  now = of;
  if (checks) checking::before(now);
}

void note_result(std::uint64_t result) {
  result_of_call = result;
}

void end_observed(double began) {
  if (checks) checking::after(now, result_of_call);
  if (tracing) trace_call(now, result_of_call, began);
  if (profiling) count_call(current.name, current.from, began);
}

void begin_observing() {
  checks = checking::wanted();
  if (checks) checking::open();
  begin_profile();
  begin_trace();
  observed = checks || profiling || tracing;
}

void end_observing() {
  observed = false;
  if (checks) {
    checking::after(now, 0);
    checking::close();
  }
  end_profile();
  end_trace();
}

}  // namespace tess::shmem
