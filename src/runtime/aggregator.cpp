// aggregator: filling, closing and sending the buffers.
#include "runtime/aggregator.hpp"

#include <algorithm>
#include <cstring>

#include "runtime/job.hpp"
#include "runtime/job_end.hpp"
#include "runtime/message.hpp"
#include "runtime/worker_loop.hpp"

namespace tess::detail {

namespace {
/// Buffers that may wait for credit before a task that sends more must wait with them.
constexpr std::size_t backlog_max = 8;
}  // namespace

aggregator::~aggregator() {
  for (buffer* const b : open_) delete b;
}

std::unique_ptr<aggregator::buffer> aggregator::take_open(worker_state& w, place_id target) noexcept {
  std::erase(active_, target);
  return std::unique_ptr<buffer>(std::exchange(w.outgoing_open[target], nullptr));
}

std::byte* aggregator::append(worker_state& w, place_id target, handler_id handler, std::size_t bytes) {
  finish_scope* const scope = w.current->scope;
  std::size_t const room = sizeof(record_header) + padded(bytes) + sizeof(run_record);
  // A batch for this place has one run, whose scope needs no lookup. Handlers that run in dispatch() or open() may have
  // begun another batch, so both are repeated until the open one is ours.
  buffer* ours = &open(w, target, room);
  while (target == w.place && ours->scope != nullptr && ours->scope != scope) {
    dispatch(w, take_open(w, target));
    ours = &open(w, target, room);
  }
  buffer& b = *ours;
  if (b.scope != scope) {
    close_run(b);
    start_run(b, scope);
  }
  ++b.run_messages;
  return b.append(handler, bytes);
}

aggregator::buffer& aggregator::open(worker_state& w, place_id target, std::size_t bytes) {
  if (open_.empty()) {
    active_.reserve(job.places);
    open_.resize(job.places);
    w.outgoing_open = open_.data();
    w.outgoing_places = job.places;
  }
  if (buffer* const b = open_[target]; b != nullptr) {
    if (b->used + bytes <= buffer::capacity) return *b;
    dispatch(w, take_open(w, target));
    wait_for_credit(w);
  }
  // Handlers that ran meanwhile may have opened it again.
  if (open_[target] != nullptr) return open(w, target, bytes);
  if (spare_.empty()) {
    open_[target] = new buffer;
  } else {
    open_[target] = spare_.back().release();
    spare_.pop_back();
  }
  open_[target]->target = target;
  active_.push_back(target);
  return *open_[target];
}

void aggregator::wait_for_credit(worker_state& w) {
  // Only a task may wait for credit. A handler's messages queue up: they are bounded by what arrived.
  if (w.delivering != 0 || backlog_.size() <= backlog_max) return;
  struct context {
    aggregator* a;
    worker_state* w;
  } c{this, &w};
  wait_polling(
      "room to send messages",
      [](void* p) {
        auto const& x = *static_cast<context*>(p);
        x.a->retry_backlog(*x.w);
        return x.a->backlog_.size() <= backlog_max;
      },
      &c);
}

void aggregator::start_run(buffer& b, finish_scope* scope) {
  // The open run counts as a task, so that its finish cannot run idle before the messages are counted.
  scope->add(1);
  b.scope = scope;
  b.run_begin = b.used;
  b.run_messages = 0;
  b.used += sizeof(run_record);
}

void aggregator::write_run(buffer& b, finish_scope const& scope) {
  run_record const r{{{run_index, 0}, sizeof(run_record) - sizeof(record_header)}, scope.key(), b.run_messages};
  std::memcpy(b.data + b.run_begin, &r, sizeof r);
  bump(this_worker().cold.messages, b.run_messages);
}

void aggregator::close_run(buffer& b) {
  if (b.scope == nullptr) return;
  finish_scope* const scope = std::exchange(b.scope, nullptr);
  write_run(b, *scope);
  scope->note_sent(b.target, static_cast<std::int64_t>(b.run_messages));
  scope->done(1);
}

void aggregator::dispatch(worker_state& w, std::unique_ptr<buffer> b) noexcept {
  place_id const target = b->target;
  try {
    // Nothing leaves a job that cannot go on, and nothing gathers in it.
    if (!job_broken()) try_dispatch(w, b);
    if (b == nullptr) return;
    b->used = 0;
    b->scope = nullptr;
    spare_.push_back(std::move(b));
  } catch (...) {
    end_job("sending messages to place %u", unsigned{target});
  }
}

/// Leaves the buffer to its caller unless it waits in the backlog.
void aggregator::try_dispatch(worker_state& w, std::unique_ptr<buffer>& b) {
  if (b->target == w.place) {
    // The run of a local batch stays open while its messages run.
    finish_scope* const scope = b->scope;
    if (scope == nullptr) return;
    if (w.delivering != 0) {
      backlog_.push_back(std::move(b));
      return;
    }
    b->scope = nullptr;
    write_run(*b, *scope);
    promise_base* const outer = std::exchange(w.current, &w.handler);
    deliver(w.place, {b->data, b->used}, scope);
    w.current = outer;
    scope->done(1);
  } else {
    close_run(*b);
    if (!transmit(w, b->target, {b->data, b->used})) {
      backlog_.push_back(std::move(b));
      return;
    }
    ++w.cold.batches;
  }
}

bool aggregator::transmit(worker_state& w, place_id target, std::span<std::byte const> bytes) {
  if (!the_job->fabric->try_send(w.place, target, message_class::request, bytes)) {
    ++w.cold.refusals;
    return false;
  }
  bump(w.cold.message_bytes, bytes.size());
  if (w.trace.enabled()) [[unlikely]]
    w.trace.message(trace_event::send, target, bytes.size());
  return true;
}

void aggregator::retry_backlog(worker_state& w) noexcept try {
  // Oldest first; a target that refuses once is not asked again in this pass.
  std::vector<place_id> refusing;
  for (auto& b : std::exchange(backlog_, {})) {
    if (std::ranges::find(refusing, b->target) != refusing.end()) {
      backlog_.push_back(std::move(b));
      continue;
    }
    place_id const target = b->target;
    std::size_t const before = backlog_.size();
    dispatch(w, std::move(b));
    if (backlog_.size() > before) refusing.push_back(target);
  }
} catch (...) {
  end_job("sending messages again");
}

void aggregator::flush(worker_state& w) noexcept {
  if (empty()) return;
  if (!backlog_.empty()) retry_backlog(w);
  // Handlers of local batches may open others: those wait for the next flush.
  for (std::size_t n = active_.size(); n > 0 && !active_.empty(); --n) dispatch(w, take_open(w, active_.front()));
}

void aggregator::send_now(worker_state& w, place_id target, handler_id handler, std::byte const* payload,
                          std::size_t bytes) {
  bump(w.cold.messages);
  record_header const h{handler, static_cast<std::uint32_t>(bytes)};
  // Where one was refused the next would be: they gather, and leave with the next flush.
  bool refused = std::ranges::any_of(backlog_, [&](auto const& b) { return b->target == target; });
  bool const alone = !refused && (target >= open_.size() || open_[target] == nullptr);
  if (alone && sizeof h + padded(bytes) <= 64) {
    alignas(16) std::byte record[64];
    std::memcpy(record, &h, sizeof h);
    std::memset(record + sizeof h + padded(bytes) - 8, 0, 8);
    std::memcpy(record + sizeof h, payload, bytes);
    std::size_t const size = sizeof h + padded(bytes);
    if (transmit(w, target, {record, size})) return;
    refused = true;
  }
  if (refused) wait_for_credit(w);
  buffer& b = open(w, target, sizeof h + padded(bytes));
  // A request belongs to no run: the records behind it start a run of their own.
  close_run(b);
  std::memcpy(b.append(handler, bytes), payload, bytes);
  if (!refused) dispatch(w, take_open(w, target));
}

}  // namespace tess::detail
