// observe: passes each call on to who observes.
#include "shmem/observe.hpp"

#include "shmem/call.hpp"
#include "shmem/checking/checks.hpp"
#include "shmem/profile.hpp"
#include "shmem/trace.hpp"

namespace tess::shmem {

bool observed = false;
constinit thread_local std::uint64_t observed_result [[gnu::tls_model("initial-exec")]] = 0;

namespace {

bool checks = false;
thread_local operation now;

}  // namespace

void begin_observed(operation const& of) {
  now = of;
  if (checks) checking::before(now);
}

void end_observed(double began) {
  if (checks) checking::after(now, observed_result);
  if (tracing) trace_call(now, began);
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
