// shutdown: the message that ends a job, down a tree or to every place.
#include "runtime/processes/shutdown.hpp"

#include <cstring>

#include "runtime/failures/abort.hpp"
#include "runtime/messages/message.hpp"
#include "runtime/report/statistics.hpp"
#include "runtime/tasks/worker_loop.hpp"
#include "tess/at.hpp"

namespace tess::detail {

namespace {

struct stop_order {
  std::int32_t exit_code;
  std::uint32_t pass_on;  ///< 1: down the tree
};

void send_stop(place_id to, stop_order const& order);

void stop_children(stop_order const& order) {
  for (unsigned const child : {2U * self->place + 1, 2U * self->place + 2})
    if (child < job.places) send_stop(static_cast<place_id>(child), order);
}

struct stop_handler {
  static constexpr std::uint32_t payload_bytes = sizeof(stop_order);
  static constexpr std::uint16_t payload_alignment = 4;
  static constexpr bool variable = false;

  static void invoke(message_context&, std::byte const* payload, std::size_t) {
    stop_order order;
    std::memcpy(&order, payload, sizeof order);
    if (order.pass_on != 0) stop_children(order);
    the_job->exit_code.store(order.exit_code, std::memory_order_relaxed);
    the_job->stopping.store(true, std::memory_order_seq_cst);
    wake_all();
  }
};

void send_stop(place_id to, stop_order const& order) {
  send_reply(this_worker(), to, handler_entry<stop_handler>::id(),
             {reinterpret_cast<std::byte const*>(&order), sizeof order});
}

constexpr auto take_counts = [] { return counts_here(); };

bool alone() noexcept {
  return the_job->local_places == job.places;
}

}  // namespace

template <>
inline constexpr bool is_of_runtime<decltype(take_counts)> = true;

void stop_other_processes(int exit_code) noexcept try {
  if (alone()) return;
  if (job.failed == nullptr) {
    stop_children({exit_code, 1});
    return;
  }
  // A failed place would interrupt the tree.
  for (unsigned p = 0; p < job.places; ++p)
    if (p != self->place && !job.failed[p]) send_stop(static_cast<place_id>(p), {exit_code, 0});
} catch (...) {
  abort_job("stopping the other places");
}

void stop_others_after_abort(job_state& j) noexcept try {
  // All places notice a failure of place 0 themselves.
  if (alone() || (j.failures.first_seen != time_point{} && j.first_place != 0)) return;
  self = j.workers.front().get();
  for (unsigned p = 0; p < job.places; ++p)
    if (p != self->place && !has_failed(static_cast<place_id>(p))) send_stop(static_cast<place_id>(p), {1, 0});
  self = nullptr;
} catch (...) {
  // The other processes will notice that this one is gone.
  self = nullptr;
}

task<void> gather_statistics() {
  if (alone() || the_job->options.stats.empty()) co_return;
  the_job->statistics.other_counts.resize(job.places);
  for (unsigned p = 0; p < job.places; ++p)
    if (p != here() && !has_failed(static_cast<place_id>(p)))
      the_job->statistics.other_counts[p] = co_await at(static_cast<place_id>(p), take_counts);
}

bool reports_reason() noexcept {
  job_state const& j = *the_job;
  if (alone() || j.failures.first_seen == time_point{}) return alone() || j.first_place == 0;
  // Failures after the first one may only be processes that ended earlier.
  return j.first_place == (j.failures.first == 0 ? 1 : 0);
}

}  // namespace tess::detail
