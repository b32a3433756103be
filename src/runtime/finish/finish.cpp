// finish: how the end of all tasks under a finish, at all places, is noticed (docs/internals/contract.md, 7).
//
//   Every place counts the unfinished tasks of a finish in one scope: `home` where the finish was opened, a `proxy`
//   elsewhere, made on first arrival. A scope also keeps a sparse vector of differences: +1 at q for each message sent
//   to q, -1 at its own place for each message that arrived. A proxy that runs idle sends its vector home and is
//   deleted. Home ends when it is idle itself and all sums are zero (X10's vector counts).
//
//   Why home cannot end early: let e be the earliest send that no report known at home holds. Its sender p was active
//   because of an earlier message m, whose send is known while its arrival at p is not (p reports both only when idle,
//   after e). An arrival at p that is known belongs to an earlier idle period, so its send precedes e and is known too.
//   So the sum at p is at least one. This needs the reports of one place in the order of its idle periods: one that
//   overtakes an earlier one shows the arrival of a later message in place of m's (finish_model_test finds the run).
//   Fabrics do not order messages, so a place numbers its reports to each home, and the home applies them in order.
//
//   An incoming `at` is a `call` scope. Its caller waits for the reply, so the finish cannot end meanwhile; only if the
//   body leaves tasks behind is it counted as a message: -1 here, and +1 by the caller, which reads it in the reply.
//
//   After a failure, the counts of messages from and to the failed place never add up. So differences are kept by
//   source and target, and those with a failed place do not count. Home does not know what messages of the failed place
//   started elsewhere. It asks all surviving places. Each answers once it accepts nothing from the failed place any
//   more and has no task of the finish, so that everything these messages started is reported before the answer. From
//   then on the argument above holds for the surviving places.
//
// Threads  all state of a place under the mutex of its finishes; the count to zero of a shared scope too, so that no
//          worker touches a scope that another worker found complete.
// Cost     a finish that stays at its place: nothing. Otherwise O(places touched) messages per idle period.
#include "runtime/finish/finish.hpp"

#include "runtime/failures/abort.hpp"
#include "runtime/finish/accounting.hpp"

namespace tess::detail {

// ── scopes ──────────────────────────────────────────────────────────────────────────────────────────────────────────

void finish_scope::last_done(std::int64_t n) noexcept {
  finish_accounting(this_place()).drop(*this, n);
}

std::uint64_t finish_scope::key_to_send() noexcept {
  if (!self->single)
    share();
  else if (key_ == 0 && kind_ == scope_kind::home)
    key_ = to_global(this);
  return key_;
}

void finish_scope::share_first() noexcept {
  if (key_ == 0 && kind_ == scope_kind::home) key_ = to_global(this);
  shared_ = true;
}

void finish_scope::note_sent(place_id target, std::int64_t n) noexcept try {
  finish_accounting a(this_place());
  finish_scope& s = kind_ == scope_kind::call ? a.count(static_cast<call_scope&>(*this)) : *this;
  a.counts_of(s).add({self->place, target}, n);
} catch (...) {
  abort_job("counting messages to place %u for their finish", unsigned{target});
}

void finish_scope::fail(std::exception_ptr exception) noexcept try {
  finish_accounting a(this_place());
  a.fail(kind_ == scope_kind::call ? a.count(static_cast<call_scope&>(*this)) : *this, std::move(exception));
} catch (...) {
  abort_job(kind_ == scope_kind::system ? "running a task of the runtime itself"
                                        : "keeping an exception for its finish");
}

std::coroutine_handle<> end_failed(promise_base& p) noexcept {
  p.scope->fail(std::exchange(p.exception, nullptr));
  return end_spawned<false>(p);
}

// ── home ────────────────────────────────────────────────────────────────────────────────────────────────────────────

void finish_home::delete_remote() noexcept {
  delete remote_;
}

void finish_home::name_it() noexcept {
  set_key(to_global(this));
}

// ── calls ───────────────────────────────────────────────────────────────────────────────────────────────────────────

call_scope* enter_call(std::uint64_t finish_key, place_id caller) {
  void* const memory = self->frames.allocate(sizeof(call_scope), frame_pool::kind::raw);
  auto* const scope = new (memory) call_scope(finish_key, caller, !self->single);
  scope->add(1);
  return scope;
}

call_scope* enter_async_call(finish_scope* run) {
  call_scope* const scope = enter_call(run->key_to_send(), self->place);
  run->add(1);
  scope->counted_in = run;
  return scope;
}

bool leave_call(call_scope* scope) noexcept try {
  if (!self->single) self->credit.give_back();
  // One is the body itself; the others are tasks that outlive it.
  if (scope->outstanding() > 1) finish_accounting(this_place()).count(*scope);
  return scope->counted_in != nullptr;
} catch (...) {
  abort_job("counting the tasks that an `at` left behind");
  return false;
}

void end_call(call_scope* scope) noexcept {
  if (self->single && scope->outstanding() == 1 && scope->counted_in == nullptr) [[likely]] {
    std::destroy_at(scope);
    self->frames.release(scope);
    return;
  }
  scope->done(1);
}

finish_scope* as_scope(call_scope* scope) noexcept {
  return scope;
}

void forget_proxies(place_state& place) noexcept {
  self = place.workers.front();
  for (auto const& [key, proxy] : std::exchange(place.finishes.proxies, {})) delete_proxy(proxy);
  place.finishes.idle_proxies.store(nullptr, std::memory_order_relaxed);
  self = nullptr;
}

unsigned finish_depth(promise_base const& task) noexcept {
  unsigned depth = 0;
  finish_scope const* scope = task.scope;
  for (; scope != nullptr && scope->kind() == finish_scope::scope_kind::home; ++depth) {
    promise_base const* outer = scope->waiter();
    while (outer->continuation.outer() != nullptr) outer = outer->continuation.outer();
    scope = outer->scope;
  }
  return depth;
}

}  // namespace tess::detail
