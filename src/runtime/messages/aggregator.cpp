// aggregator: filling, closing and sending the buffers.
#include "runtime/messages/aggregator.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "runtime/failures/abort.hpp"
#include "runtime/job/job.hpp"
#include "runtime/messages/message.hpp"
#include "runtime/tasks/worker_loop.hpp"
#include "tess/stream.hpp"

namespace tess::detail {

namespace {

/// Buffers that may wait for credit; a task that sends more waits, too.
constexpr std::size_t backlog_max = 8;

}  // namespace

aggregator::~aggregator() {
  for (buffer* const b : open_) free_buffer{this}(b);
}

void aggregator::free_buffer::operator()(buffer* b) const noexcept {
  if (b == nullptr) return;
  owner->held_ -= b->capacity;
  std::destroy_at(b);
  ::operator delete(b, std::align_val_t{alignof(buffer)});
}

/// Data that will not be sent.
void aggregator::return_lent(worker_state const& w, buffer& b) noexcept {
  if (b.is_lent()) the_job->fabric->give_back(w.place, b.data);
}

aggregator::owned_buffer aggregator::make_buffer(std::size_t capacity) {
  auto const fits = std::ranges::find(spare_, capacity, [](owned_buffer const& b) { return b->capacity; });
  if (fits != spare_.end()) {
    owned_buffer b = std::move(*fits);
    *fits = std::move(spare_.back());
    spare_.pop_back();
    return b;
  }
  // Reserved now, so that giving a buffer back needs no memory.
  std::size_t const all = active_.size() + spare_.size() + backlog_.size() + 1;
  if (spare_.capacity() < all) spare_.reserve(2 * all);
  auto* const memory = ::operator new(sizeof(buffer) + capacity, std::align_val_t{alignof(buffer)});
  auto* const b = new (memory) buffer;
  b->capacity = static_cast<std::uint32_t>(capacity);
  b->begin(b->own_memory());
  held_ += capacity;
  return owned_buffer(b, {this});
}

aggregator::owned_buffer aggregator::take_open(worker_state& w, place_id target, flush_reason reason) noexcept {
  std::erase(active_, target);
  owned_buffer b(std::exchange(w.outgoing_open[target], nullptr), {this});
  b->reason = reason;
  return b;
}

void aggregator::prepare(worker_state& w) {
  active_.reserve(job.places);
  open_.resize(job.places);
  // The fabric may use the other half.
  memory_ = std::max<std::size_t>(the_job->options.buffer_memory / 2 / job.workers, buffer::capacity_max);
  w.outgoing_open = open_.data();
  w.outgoing_places = job.places;
  w.async_places = w.checks_calls ? 0 : job.places;
}

std::size_t aggregator::capacity_for(std::size_t bytes) const noexcept {
  std::size_t const share = std::bit_floor(memory_ / (2 * (active_.size() + 1)));
  return std::clamp(share, std::max(std::bit_ceil(bytes), buffer::capacity_min), buffer::capacity_max);
}

aggregator::buffer& aggregator::open(worker_state& w, place_id target, std::size_t bytes) {
  if (open_.empty()) prepare(w);
  // Handlers that run meanwhile may open or fill it, so every step checks again.
  for (;;) {
    if (buffer* const b = open_[target]; b != nullptr) {
      close_items(*b);
      if (b->has_room(bytes)) return *b;
      dispatch(w, take_open(w, target, flush_reason::size));
      after_sending(w);
      continue;
    }
    std::size_t const capacity = capacity_for(bytes);
    if (!has_room(capacity)) {
      make_room(w, capacity);
      if (open_[target] != nullptr) continue;
    }
    buffer* const b = make_buffer(capacity).release();
    // Records that are written where the receiver reads them need not be copied.
    if (capacity == buffer::capacity_max && target != w.place)
      if (std::byte* const memory = the_job->fabric->lend(w.place, target)) {
        b->begin(memory);
        for (std::size_t i = 0; i < buffer::prefetch_bytes; i += cache_line) prefetch_write(memory + i);
      }
    b->end = b->data + std::max<std::size_t>(std::min<std::size_t>(b->capacity, the_job->options.flush_bytes), bytes);
    b->target = target;
    b->generation = generation_;
    open_[target] = b;
    active_.push_back(target);
    return *b;
  }
}

/// The buffer for `target`, open for messages of the current task's finish.
aggregator::buffer& aggregator::open_run(worker_state& w, place_id target, std::size_t bytes) {
  finish_scope* const scope = w.current->scope;
  std::size_t const room = bytes + sizeof(run_record);
  // A batch for this place has one run, whose scope needs no lookup. Handlers that run in dispatch() or open() may have
  // begun another batch, so both are repeated until the open one is ours.
  buffer* b = &open(w, target, room);
  while (target == w.place && b->scope != nullptr && b->scope != scope) {
    dispatch(w, take_open(w, target, flush_reason::size));
    b = &open(w, target, room);
  }
  if (b->scope != scope) {
    close_run(*b);
    start_run(*b, scope);
  }
  ++b->run_messages;
  return *b;
}

std::byte* aggregator::append(worker_state& w, place_id target, handler_id handler, std::size_t bytes) {
  return open_run(w, target, sizeof(record_header) + padded(bytes)).append(handler, bytes);
}

std::byte* aggregator::append_item(worker_state& w, place_id target, stream_key const& stream,
                                   std::span<std::byte const> prefix, std::size_t item_bytes) {
  std::size_t const front = sizeof(record_header) + padded(prefix.size());
  buffer& b = open_run(w, target, front + padded(item_bytes));
  b.stream_begin = static_cast<std::uint32_t>(b.used());
  b.stream = stream.number;
  // at_async and other streams find no open run, and end the batch.
  b.stream_scope = std::exchange(b.scope, nullptr);
  std::byte* const room = b.append(stream.handler, prefix.size());
  record_header h;
  std::memcpy(&h, b.data + b.stream_begin, sizeof h);
  b.clock = h.clock;
  if (!prefix.empty()) std::memcpy(room, prefix.data(), prefix.size());
  std::byte* const item = b.next;
  b.next += item_bytes;
  return item;
}

/// Ends the open batch of items: its size is known now.
void aggregator::close_items(buffer& b) noexcept {
  if (b.stream == 0) return;
  b.stream = 0;
  b.scope = std::exchange(b.stream_scope, nullptr);
  auto const bytes = static_cast<std::uint32_t>(b.used() - b.stream_begin - sizeof(record_header));
  std::memcpy(b.data + b.stream_begin + offsetof(record_header, bytes), &bytes, sizeof bytes);
  std::memset(b.next, 0, padded(bytes) - bytes);
  b.next += padded(bytes) - bytes;
}

bool aggregator::has_room(std::size_t capacity) const noexcept {
  if (held_ + capacity <= memory_) return true;
  return std::ranges::any_of(spare_, [&](owned_buffer const& b) { return b->capacity == capacity; });
}

/// Frees memory for one more buffer: spare buffers of other sizes, then the buffers that were opened first.
void aggregator::shrink(worker_state& w, std::size_t capacity) noexcept {
  if (has_room(capacity)) return;
  spare_.clear();
  while (!has_room(capacity) && !active_.empty()) {
    dispatch(w, take_open(w, active_.front(), flush_reason::memory));
    if (!has_room(capacity)) spare_.clear();
  }
}

void aggregator::make_room(worker_state& w, std::size_t capacity) {
  shrink(w, capacity);
  wait_for_credit(w, capacity);
}

/// After a full buffer was sent: receives what arrived meanwhile, so that answers do not pile up.
void aggregator::after_sending(worker_state& w) {
  if (w.delivering != 0) return;
  static_cast<void>(poll(w));
  wait_for_credit(w, 0);
}

void aggregator::wait_for_credit(worker_state& w, std::size_t capacity) {
  // Only a task may wait for credit. The messages of handlers queue up; they are bounded by what arrived.
  if (w.delivering != 0 || (backlog_.size() <= backlog_max && has_room(capacity))) return;
  struct context {
    aggregator* a;
    worker_state* w;
    std::size_t capacity;
  } c{this, &w, capacity};
  wait_polling(
      "room to send messages",
      [](void* p) {
        auto const& x = *static_cast<context*>(p);
        x.a->retry_backlog(*x.w);
        x.a->shrink(*x.w, x.capacity);
        return x.a->backlog_.empty() || (x.a->backlog_.size() <= backlog_max && x.a->has_room(x.capacity));
      },
      &c);
}

void aggregator::start_run(buffer& b, finish_scope* scope) {
  // The open run counts as a task, so that its finish cannot run idle before the messages are counted.
  scope->add(1);
  b.scope = scope;
  b.run_begin = static_cast<std::uint32_t>(b.used());
  b.run_messages = 0;
  b.next += sizeof(run_record);
}

void aggregator::write_run(buffer& b, finish_scope& scope) {
  run_record const r{{{run_index, 0}, sizeof(run_record) - sizeof(record_header)}, scope.key_to_send(), b.run_messages};
  std::memcpy(b.data + b.run_begin, &r, sizeof r);
  bump(this_worker().cold.messages, b.run_messages);
}

void aggregator::close_run(buffer& b) {
  close_items(b);
  if (b.scope == nullptr) return;
  finish_scope* const scope = std::exchange(b.scope, nullptr);
  write_run(b, *scope);
  scope->note_sent(b.target, static_cast<std::int64_t>(b.run_messages));
  scope->done(1);
}

void aggregator::dispatch(worker_state& w, owned_buffer b) noexcept {
  place_id const target = b->target;
  try {
    // An aborted job neither sends nor gathers messages.
    if (!job_aborted()) try_dispatch(w, b);
    if (b == nullptr) return;
    return_lent(w, *b);
    b->begin(b->own_memory());
    b->scope = nullptr;
    spare_.push_back(std::move(b));
  } catch (...) {
    abort_job("sending messages to place %u", unsigned{target});
  }
}

/// Leaves the buffer to its caller unless it waits in the backlog.
void aggregator::try_dispatch(worker_state& w, owned_buffer& b) {
  if (b->target == w.place) {
    // The run of a local batch stays open while its messages run.
    close_items(*b);
    finish_scope* const scope = b->scope;
    if (scope == nullptr) return;
    if (w.delivering != 0) {
      backlog_.push_back(std::move(b));
      return;
    }
    b->scope = nullptr;
    write_run(*b, *scope);
    promise_base* const outer = std::exchange(w.current, &w.handler);
    deliver(w.place, {b->data, b->used()}, scope);
    w.current = outer;
    scope->done(1);
  } else {
    close_run(*b);
    if (!transmit(w, b->target, {b->data, b->used()})) {
      backlog_.push_back(std::move(b));
      return;
    }
    ++w.cold.flushes[static_cast<std::size_t>(b->reason)];
    w.cold.batch_bytes += b->used();
    w.cold.batch_room += b->capacity;
    // What was lent is the fabric's again.
    b->begin(b->own_memory());
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
  // Oldest first; a target that refuses once is not tried again in this pass.
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
  abort_job("sending messages again");
}

void aggregator::flush_idle(worker_state& w) noexcept {
  if (empty()) return;
  if (!the_job->options.flush_idle) {
    flush_late(w);
    return;
  }
  if (!backlog_.empty()) retry_backlog(w);
  // Handlers of local batches may open others: those wait for the next flush.
  for (std::size_t n = active_.size(); n > 0 && !active_.empty(); --n)
    dispatch(w, take_open(w, active_.front(), flush_reason::idle));
}

void aggregator::flush_late(worker_state& w) noexcept {
  if (empty()) {
    generation_end_ = {};
    return;
  }
  if (!backlog_.empty()) retry_backlog(w);
  // A generation begins every half deadline. A buffer is sent once two have begun since it was opened, or one that
  // lasted as long.
  auto const now = std::chrono::steady_clock::now();
  if (now < generation_end_) return;
  auto const half = std::chrono::microseconds(the_job->options.flush_after) / 2;
  // The first call after a time without buffers starts the count.
  if (generation_end_ != std::chrono::steady_clock::time_point{}) generation_ += now >= generation_end_ + half ? 2 : 1;
  generation_end_ = now + half;
  for (std::size_t n = active_.size(); n > 0 && !active_.empty(); --n) {
    place_id const oldest = active_.front();
    if (static_cast<std::uint16_t>(generation_ - open_[oldest]->generation) < 2) return;
    dispatch(w, take_open(w, oldest, flush_reason::deadline));
  }
}

void aggregator::send_now(worker_state& w, place_id target, handler_id handler, std::byte const* payload,
                          std::size_t bytes) {
  bump(w.cold.messages);
  record_header const h{handler, static_cast<std::uint32_t>(bytes), races::send()};
  // After a refusal the next message would be refused, too: they gather, and are sent with the next flush.
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
  if (refused) wait_for_credit(w, 0);
  buffer& b = open(w, target, sizeof h + padded(bytes));
  // A request belongs to no run: the records behind it start a run of their own.
  close_run(b);
  std::memcpy(b.append(handler, bytes), payload, bytes);
  if (!refused) dispatch(w, take_open(w, target, flush_reason::urgent));
}

}  // namespace tess::detail
