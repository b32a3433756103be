// debugger: the table that debuggers read, by its name.
#include "runtime/report/debugger.hpp"

#include <memory>

#include "runtime/job/job.hpp"

namespace tess::detail {

// Found by its symbol, tess::detail::debugged.
extern debugged_process debugged;
[[gnu::used, gnu::retain]] constinit debugged_process debugged{};

namespace {
template <class Member>
std::uint32_t distance(promise_base const& p, Member const& m) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::byte const*>(&m) - reinterpret_cast<std::byte const*>(&p));
}
}  // namespace

shown_to_debuggers::shown_to_debuggers(job_state const& j) : workers_(new debugged_worker[j.workers.size()]) {
  for (std::size_t i = 0; i < j.workers.size(); ++i) {
    worker_state const& w = *j.workers[i];
    workers_[i] = {w.place, w.index, &w.current, &w.handler, &w.polls_for, &w.frames};
  }
  promise_base const& p = j.workers.front()->handler;
  debugged.task = {16, distance(p, p.continuation), distance(p, p.callee), distance(p, p.where),
                   distance(p, p.waits_for)};
  debugged.worker_count = static_cast<std::uint32_t>(j.workers.size());
  debugged.workers = workers_.get();
}

shown_to_debuggers::~shown_to_debuggers() {
  debugged.workers = nullptr;
  debugged.worker_count = 0;
}

}  // namespace tess::detail
