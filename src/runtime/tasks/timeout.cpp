// timeout: requests a scope to stop, on its worker or by a message to that worker.
#include "tess/timeout.hpp"

#include "runtime/tasks/worker_loop.hpp"

namespace tess::detail {

void throw_stopped() {
  throw stopped();
}

void throw_if_stopped(promise_base const& task) {
  if (task.stops->any_requested()) throw_stopped();
}

bool stoppable_wait::enter_scope(promise_base& task, take_back_function take_back) noexcept {
  stop_scope& scope = *task.stops;
  if (scope.any_requested()) {
    given_up_ = true;
    return false;
  }
  scope.wait = this;
  scope.take_back = take_back;
  scope.parked = &task;
  return true;
}

void stoppable_wait::leave_scope() {
  self->current->stops->wait = nullptr;
  if (given_up_) throw_stopped();
}

void request_stop(stop_scope& scope, stop_cause cause) noexcept {
  if (scope.requested == stop_cause::none) scope.requested = cause;
  stop_scope* s = &scope;
  while (s->inner != nullptr) s = s->inner;
  // No task is parked, or it is being woken: it sees the request before it parks again.
  if (s->wait == nullptr || !s->take_back(*s->wait)) return;
  std::exchange(s->wait, nullptr)->given_up_ = true;
  s->parked->waits_for = nullptr;
  self->make_runnable(s->parked);
}

stop_message* make_stop_message(stop_scope& scope) {
  auto* const m = new (self->frames.allocate(sizeof(stop_message), frame_pool::kind::raw)) stop_message;
  m->scope = &scope;
  m->worker = self->notify_id();
  return m;
}

void send_stop_message(stop_message& m) noexcept {
  // Read only after the callback is gone, which orders it.
  m.sent = true;
  notify_worker(m.worker, reinterpret_cast<std::uint64_t>(static_cast<ready_node*>(&m)) | stop_message_tag);
}

void take_stop_message(stop_message* m) noexcept {
  m->arrived = true;
  if (m->scope != nullptr)
    request_stop(*m->scope, stop_cause::request);
  else
    self->frames.release(m);
}

void drop_stop_message(stop_message* m) noexcept {
  m->scope = nullptr;
  if (!m->sent || m->arrived) self->frames.release(m);
}

}  // namespace tess::detail
