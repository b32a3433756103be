// aggregator: filling, closing and sending the buffers.
#include "runtime/aggregator.hpp"

#include <algorithm>
#include <cstring>

#include "runtime/job.hpp"
#include "runtime/message.hpp"
#include "runtime/worker_loop.hpp"

namespace tess::detail {

namespace {
/// Buffers that may wait for credit before a task that sends more must wait with them.
constexpr std::size_t backlog_max = 8;
}  // namespace

std::byte* aggregator::append(worker_state& w, place_id target, std::uint16_t index, std::size_t bytes) {
  std::size_t const record_bytes = sizeof(record_header) + padded(bytes);
  finish_scope* const scope = w.current->scope;
  // A batch for this place has one run, whose scope needs no lookup. Handlers that run in dispatch() or open() may have
  // begun another batch, so both are repeated until the open one is ours.
  auto const of_another = [&](buffer const* b) {
    return target == w.place && b->scope != nullptr && b->scope != scope;
  };
  buffer* ours = &open(w, target, record_bytes + sizeof(run_record));
  while (of_another(ours)) {
    std::erase(active_, target);
    dispatch(w, std::move(open_[target]));
    ours = &open(w, target, record_bytes + sizeof(run_record));
  }
  buffer& b = *ours;
  if (b.scope != scope) {
    close_run(b);
    start_run(b, scope);
  }
  ++b.run->messages;
  std::byte* const record = b.data + b.used;
  record_header const h{index, 0, static_cast<std::uint32_t>(bytes)};
  std::memcpy(record, &h, sizeof h);
  b.used += record_bytes;
  // The padding travels too.
  if (bytes % 8 != 0) std::memset(record + record_bytes - 8, 0, 8);
  return record + sizeof h;
}

aggregator::buffer& aggregator::open(worker_state& w, place_id target, std::size_t bytes) {
  if (open_.empty()) open_.resize(job.places);
  if (buffer* const b = open_[target].get(); b != nullptr && b->used + bytes <= buffer_bytes) [[likely]]
    return *b;
  if (open_[target] != nullptr) {
    std::erase(active_, target);
    dispatch(w, std::move(open_[target]));
    // Only a task may wait for credit. A handler's messages queue up: they are bounded by what arrived.
    if (w.delivering == 0 && backlog_.size() > backlog_max) {
      struct context {
        aggregator* a;
        worker_state* w;
      } c{this, &w};
      wait_polling(
          [](void* p) {
            auto const& x = *static_cast<context*>(p);
            if (self == x.w) x.a->retry_backlog(*x.w);
            return x.a->backlog_.size() <= backlog_max;
          },
          &c);
    }
  }
  // Handlers that ran meanwhile may have opened it again.
  if (open_[target] == nullptr) {
    if (spare_.empty()) {
      open_[target] = std::make_unique<buffer>();
    } else {
      open_[target] = std::move(spare_.back());
      spare_.pop_back();
    }
    open_[target]->target = target;
    active_.push_back(target);
  } else if (open_[target]->used + bytes > buffer_bytes) {
    return open(w, target, bytes);
  }
  return *open_[target];
}

void aggregator::start_run(buffer& b, finish_scope* scope) {
  // The open run counts as a task, so that its finish cannot run idle before the messages are counted.
  scope->add(1);
  b.scope = scope;
  b.run = reinterpret_cast<run_record*>(b.data + b.used);
  *b.run = {{run_index, 0, sizeof(run_record) - sizeof(record_header)}, scope->key(), 0};
  b.used += sizeof(run_record);
}

void aggregator::close_run(buffer& b) {
  if (b.scope == nullptr) return;
  finish_scope* const scope = std::exchange(b.scope, nullptr);
  scope->note_sent(b.target, static_cast<std::int64_t>(b.run->messages));
  this_worker().cold.messages += b.run->messages;
  scope->done(1);
}

void aggregator::dispatch(worker_state& w, std::unique_ptr<buffer> b) {
  if (b->target == w.place) {
    // The run of a local batch stays open while its messages run.
    finish_scope* const scope = b->scope;
    if (scope == nullptr) return;
    if (w.delivering != 0) {
      backlog_.push_back(std::move(b));
      return;
    }
    b->scope = nullptr;
    w.cold.messages += b->run->messages;
    promise_base* const outer = std::exchange(w.current, &w.handler);
    deliver_records(w.place, {b->data, b->used}, scope);
    w.current = outer;
    scope->done(1);
  } else {
    close_run(*b);
    if (!transmit(w, *b)) {
      ++w.cold.refusals;
      backlog_.push_back(std::move(b));
      return;
    }
  }
  b->used = 0;
  b->run = nullptr;
  spare_.push_back(std::move(b));
}

bool aggregator::transmit(worker_state& w, buffer& b) {
  if (!the_job->fabric->try_send(w.place, b.target, message_class::request, {b.data, b.used})) return false;
  ++w.cold.batches;
  w.cold.message_bytes += b.used;
  if (w.trace.enabled()) [[unlikely]]
    w.trace.message(trace_event::send, b.target, b.used);
  return true;
}

void aggregator::retry_backlog(worker_state& w) {
  for (auto& b : std::exchange(backlog_, {})) dispatch(w, std::move(b));
}

void aggregator::flush(worker_state& w) {
  if (empty()) return;
  if (!backlog_.empty()) retry_backlog(w);
  for (place_id const target : std::exchange(active_, {}))
    if (open_[target] != nullptr) dispatch(w, std::move(open_[target]));
}

void aggregator::send_now(worker_state& w, place_id target, std::uint16_t index, std::byte const* payload,
                          std::size_t bytes) {
  ++w.cold.messages;
  record_header const h{index, 0, static_cast<std::uint32_t>(bytes)};
  bool const alone = open_.empty() || open_[target] == nullptr;
  if (alone && sizeof h + padded(bytes) <= 64) {
    alignas(16) std::byte record[64];
    std::memcpy(record, &h, sizeof h);
    std::memset(record + sizeof h + padded(bytes) - 8, 0, 8);
    std::memcpy(record + sizeof h, payload, bytes);
    std::size_t const size = sizeof h + padded(bytes);
    if (the_job->fabric->try_send(w.place, target, message_class::request, {record, size})) {
      w.cold.message_bytes += size;
      if (w.trace.enabled()) [[unlikely]]
        w.trace.message(trace_event::send, target, size);
      return;
    }
    ++w.cold.refusals;
  }
  buffer& b = open(w, target, sizeof h + padded(bytes));
  // A request belongs to no run: the records behind it start a run of their own.
  close_run(b);
  std::memcpy(b.data + b.used, &h, sizeof h);
  std::memcpy(b.data + b.used + sizeof h, payload, bytes);
  b.used += sizeof h + padded(bytes);
  std::erase(active_, target);
  dispatch(w, std::move(open_[target]));
}

}  // namespace tess::detail
