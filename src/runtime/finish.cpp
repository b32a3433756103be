// finish: how the end of all tasks under a finish, at all places, is noticed (RUNTIME contract 7).
//
//   Every place counts the tasks of a finish that have not ended in one scope: `home` where the finish was opened, a
//   `proxy` elsewhere, made on first arrival. A scope also keeps, sparsely, a vector of differences: +1 at q for each
//   message sent to q, -1 at its own place for each message that arrived. A proxy that ran idle sends its vector home
//   and is forgotten. Home ends when it is idle itself and all sums are zero (X10's vector counts).
//
//   Why home cannot end early: let e be the earliest send that no report known at home holds. Its sender p was active
//   because of an earlier message m, whose send is known while its arrival at p is not (p reports both only when idle,
//   after e). An arrival at p that is known belongs to an earlier idle period, so its send precedes e and is known too.
//   So the sum at p is at least one. This needs the reports of one place in the order of its idle periods: one that
//   overtakes an earlier one shows the arrival of a later message in place of m's (finish_model_test finds the run).
//   Fabrics do not order messages, so a place numbers its reports to another and that one takes them in order.
//
//   An incoming `at` is a `call` scope. Its caller waits for the reply, so the finish cannot end meanwhile; only if the
//   body leaves tasks behind is it counted as a message: -1 here, and +1 by the caller, who reads it in the reply.
//
// Threads  all state of a place under its finish_mutex; the count to zero of a shared scope too, so that nobody touches
//          a scope that another worker found complete.
// Cost     a finish that stays at its place: nothing. Otherwise O(places touched) messages per idle period.
#include "runtime/finish.hpp"

#include <algorithm>
#include <cstring>

#include "runtime/exception_wire.hpp"
#include "runtime/job_end.hpp"
#include "runtime/message.hpp"
#include "runtime/worker_loop.hpp"
#include "tess/at.hpp"
#include "tess/memory.hpp"

namespace tess::detail {

/// Differences per place, zeros left out.
struct difference {
  place_id place;
  std::int64_t count;
};

struct remote_counts {
  std::unordered_map<place_id, std::int64_t> sums;

  void add(place_id place, std::int64_t n) {
    auto const [entry, made] = sums.try_emplace(place, 0);
    entry->second += n;
    if (entry->second == 0) sums.erase(entry);
  }
};

class finish_proxy : public finish_scope {
 public:
  finish_proxy(std::uint64_t key, bool shared) : finish_scope(scope_kind::proxy, key, shared) {}

  remote_counts counts;
  std::exception_ptr exception;
  std::uint64_t exceptions = 0;
  finish_proxy* next_idle = nullptr;
  bool listed = false;  ///< in place_state::idle_proxies
};

void delete_proxy(finish_proxy* proxy) noexcept {
  std::destroy_at(proxy);
  self->frames.release(proxy);
}

class call_scope : public finish_scope {
 public:
  call_scope(std::uint64_t key, bool shared) : finish_scope(scope_kind::call, key, shared) {}

  finish_scope* counted_in = nullptr;  ///< where this call counts as one task, once it must
};

/// All that needs the place's finish_mutex.
class finish_accounting {
 public:
  explicit finish_accounting(place_state& place) : place_(place), lock_(place.finish_mutex) {}

  /// The scope of a finish at this place: home itself, or the proxy, made if need be.
  finish_scope& find(std::uint64_t key) {
    if (key == 0) return *place_.system;
    auto const g = global_ptr<finish_home>::from_bits(key);
    if (g.place() == place_.id) return *g.local();
    auto const [entry, made] = place_.proxies.try_emplace(key, nullptr);
    if (made) {
      try {
        void* const memory = self->frames.allocate(sizeof(finish_proxy), frame_pool::kind::raw);
        entry->second = new (memory) finish_proxy(key, !self->single);
      } catch (...) {
        place_.proxies.erase(entry);
        throw;
      }
    }
    return *entry->second;
  }

  remote_counts& counts_of(finish_scope& s) {
    if (s.kind() == finish_scope::scope_kind::system) return uncounted_;
    if (s.kind() == finish_scope::scope_kind::proxy) return static_cast<finish_proxy&>(s).counts;
    auto& home = static_cast<finish_home&>(s);
    if (home.remote_ == nullptr) home.remote_ = new remote_counts;
    return *home.remote_;
  }

  /// From here on the call counts for its finish.
  finish_scope& count(call_scope& call) {
    if (call.counted_in == nullptr) {
      finish_scope& s = find(call.key());
      s.add(1);
      counts_of(s).add(place_.id, -1);
      call.counted_in = &s;
    }
    return *call.counted_in;
  }

  void drop(finish_scope& s, std::int64_t n) noexcept {
    s.add(-n);
    if (s.outstanding() == 0) idle(s);
  }

  void idle(finish_scope& s) noexcept {
    switch (s.kind()) {
      case finish_scope::scope_kind::system:
        return;
      case finish_scope::scope_kind::home:
        complete(static_cast<finish_home&>(s));
        return;
      case finish_scope::scope_kind::proxy: {
        auto& proxy = static_cast<finish_proxy&>(s);
        if (!std::exchange(proxy.listed, true)) {
          proxy.next_idle = place_.idle_proxies.load(std::memory_order_relaxed);
          place_.idle_proxies.store(&proxy, std::memory_order_relaxed);
        }
        return;
      }
      case finish_scope::scope_kind::call: {
        auto& call = static_cast<call_scope&>(s);
        finish_scope* const counted_in = call.counted_in;
        std::destroy_at(&call);
        self->frames.release(&call);
        if (counted_in != nullptr) drop(*counted_in, 1);
        return;
      }
    }
  }

  void fail(finish_scope& s, std::exception_ptr exception, std::uint64_t others = 0) {
    // Nobody waits for a task of the runtime itself, which handles what can fail in it.
    if (s.kind() == finish_scope::scope_kind::system) std::rethrow_exception(std::move(exception));
    if (s.kind() == finish_scope::scope_kind::home) {
      std::exception_ptr& first = static_cast<finish_home&>(s).first_;
      if (!first) first = std::move(exception);
      return;
    }
    auto& proxy = static_cast<finish_proxy&>(s);
    if (!proxy.exception) proxy.exception = std::move(exception);
    proxy.exceptions += 1 + others;
  }

 private:
  static void complete(finish_home& home) noexcept {
    if (home.remote_ != nullptr && !home.remote_->sums.empty()) return;
    // The waiter may free `home` as soon as it is woken.
    wake_task(home.waiter_worker_, *home.waiter_);
  }

  place_state& place_;
  std::unique_lock<spin_lock> lock_;
  remote_counts uncounted_;
};

// ── scopes ──────────────────────────────────────────────────────────────────────────────────────────────────────────

void finish_scope::ran_idle() noexcept {
  finish_accounting(this_place()).idle(*this);
}

void finish_scope::last_done(std::int64_t n) noexcept {
  finish_accounting(this_place()).drop(*this, n);
}

void finish_scope::note_sent(place_id target, std::int64_t n) noexcept try {
  finish_accounting a(this_place());
  finish_scope& s = kind_ == scope_kind::call ? a.count(static_cast<call_scope&>(*this)) : *this;
  a.counts_of(s).add(target, n);
} catch (...) {
  end_job("counting messages to place %u for their finish", unsigned{target});
}

void finish_scope::fail(std::exception_ptr exception) noexcept try {
  finish_accounting a(this_place());
  a.fail(kind_ == scope_kind::call ? a.count(static_cast<call_scope&>(*this)) : *this, std::move(exception));
} catch (...) {
  end_job(kind_ == scope_kind::system ? "running a task of the runtime itself" : "keeping an exception for its finish");
}

void report_exception(promise_base& p) noexcept {
  p.scope->fail(std::exchange(p.exception, nullptr));
}

void take_back_spawn(promise_base* p) noexcept {
  finish_scope* const scope = p->scope;
  handle_of(p).destroy();
  scope->done(1);
}

// ── home ────────────────────────────────────────────────────────────────────────────────────────────────────────────

finish_home::finish_home() : finish_scope(scope_kind::home, 0, !self->single) {}

finish_home::~finish_home() {
  delete remote_;
}

void finish_home::open(promise_base& waiter) noexcept {
  set_key(to_global(this));
  waiter_ = &waiter;
  waiter_worker_ = self->notify_id();
  set_objects_scope(waiter.scope->objects_scope());
  add(1);
}

void finish_home::rethrow() {
  if (first_) std::rethrow_exception(std::move(first_));
}

// ── calls ───────────────────────────────────────────────────────────────────────────────────────────────────────────

call_scope* enter_call(std::uint64_t finish_key) {
  auto* const scope =
      new (self->frames.allocate(sizeof(call_scope), frame_pool::kind::raw)) call_scope(finish_key, !self->single);
  scope->add(1);
  return scope;
}

call_scope* enter_async_call(finish_scope* run) {
  call_scope* const scope = enter_call(run->key());
  run->add(1);
  scope->counted_in = run;
  return scope;
}

bool leave_call(call_scope* scope) noexcept try {
  // One is the body itself; more are tasks that outlive it.
  if (scope->outstanding() > 1) finish_accounting(this_place()).count(*scope);
  return scope->counted_in != nullptr;
} catch (...) {
  end_job("counting the tasks that an `at` left behind");
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

// ── messages ────────────────────────────────────────────────────────────────────────────────────────────────────────

finish_scope* arrive(std::uint64_t finish_key, std::int64_t n) {
  finish_accounting a(this_place());
  finish_scope& s = a.find(finish_key);
  s.add(n);
  a.counts_of(s).add(self->place, -n);
  return &s;
}

namespace {

/// payload: key, number of the report between the two places, number of differences, number of exceptions, the
/// differences, the first exception's bytes.
struct report_header {
  std::uint64_t key;
  std::uint64_t number;
  std::uint32_t differences;
  std::uint32_t exceptions;
};

struct report_handler {
  static constexpr std::uint32_t payload_bytes = sizeof(report_header);
  static constexpr std::uint16_t payload_alignment = 8;
  static constexpr bool variable = true;

  static void invoke(message_context& context, std::byte const* payload, std::size_t bytes) {
    report_header h;
    std::memcpy(&h, payload, sizeof h);
    if (bytes - sizeof h < std::size_t{h.differences} * sizeof(difference))
      throw error("finish report", "truncated", "whole differences");
    if (global_ptr<std::byte>::from_bits(h.key).place() != here())
      throw error("finish report", "for a finish of another place", "one of place " + std::to_string(here()));
    finish_accounting a(this_place());
    place_state::report_order& order = this_place().reports_from[context.source];
    if (h.number != order.next) {
      order.early.try_emplace(h.number, payload, payload + bytes);
      return;
    }
    apply(a, {payload, bytes});
    ++order.next;
    for (auto& early = order.early; !early.empty() && early.begin()->first == order.next; ++order.next) {
      apply(a, early.begin()->second);
      early.erase(early.begin());
    }
  }

 private:
  static void apply(finish_accounting& a, std::span<std::byte const> report) {
    report_header h;
    std::memcpy(&h, report.data(), sizeof h);
    std::byte const* const payload = report.data();
    std::size_t const bytes = report.size();
    std::size_t const differences_bytes = std::size_t{h.differences} * sizeof(difference);
    finish_scope& s = a.find(h.key);
    for (std::uint32_t i = 0; i < h.differences; ++i) {
      difference d;
      std::memcpy(&d, payload + sizeof h + i * sizeof d, sizeof d);
      a.counts_of(s).add(d.place, d.count);
    }
    if (h.exceptions != 0)
      a.fail(s, decode_exception({payload + sizeof h + differences_bytes, bytes - sizeof h - differences_bytes}),
             h.exceptions - 1);
    if (s.outstanding() == 0) a.idle(s);
  }
};

void send_report(worker_state& w, finish_proxy& proxy, std::uint64_t number) {
  report_header const h{proxy.key(), number, static_cast<std::uint32_t>(proxy.counts.sums.size()),
                        static_cast<std::uint32_t>(proxy.exceptions)};
  std::vector<std::byte> payload(sizeof h + proxy.counts.sums.size() * sizeof(difference));
  std::memcpy(payload.data(), &h, sizeof h);
  std::byte* room = payload.data() + sizeof h;
  for (auto const& [place, count] : proxy.counts.sums) {
    difference d;
    std::memset(&d, 0, sizeof d);
    d.place = place;
    d.count = count;
    std::memcpy(room, &d, sizeof d);
    room += sizeof d;
  }
  if (proxy.exception) {
    auto const text = encode_exception(proxy.exception, w.place);
    payload.insert(payload.end(), text.begin(), text.end());
  }
  ++w.cold.finish_reports;
  send_reply(w, global_ptr<std::byte>::from_bits(proxy.key()).place(), handler_entry<report_handler>::id(), payload);
}

}  // namespace

void report_idle_finishes(worker_state& w) noexcept try {
  place_state& place = this_place();
  while (place.idle_proxies.load(std::memory_order_relaxed) != nullptr) {
    std::unique_ptr<finish_proxy, decltype(&delete_proxy)> proxy(nullptr, &delete_proxy);
    std::uint64_t number = 0;
    {
      std::lock_guard const lock(place.finish_mutex);
      finish_proxy* const p = place.idle_proxies.load(std::memory_order_relaxed);
      if (p == nullptr) return;
      place.idle_proxies.store(p->next_idle, std::memory_order_relaxed);
      p->listed = false;
      // It may have become busy again since it was listed; then it will be listed again.
      if (p->outstanding() != 0) continue;
      place.proxies.erase(p->key());
      proxy.reset(p);
      if (!p->counts.sums.empty() || p->exceptions != 0)
        number = ++place.reports_to[global_ptr<std::byte>::from_bits(p->key()).place()];
    }
    if (number != 0) send_report(w, *proxy, number);
  }
} catch (...) {
  end_job("reporting to the home of a finish");
}

void forget_proxies(place_state& place) noexcept {
  self = place.workers.front();
  for (auto const& [key, proxy] : std::exchange(place.proxies, {})) delete_proxy(proxy);
  place.idle_proxies.store(nullptr, std::memory_order_relaxed);
  self = nullptr;
}

unsigned finish_depth(promise_base const& task) noexcept {
  unsigned depth = 0;
  finish_scope const* scope = task.scope;
  for (; scope != nullptr && scope->kind() == finish_scope::scope_kind::home; ++depth) {
    promise_base const* outer = static_cast<finish_home const*>(scope)->waiter_;
    while (outer->continuation != nullptr) outer = outer->continuation;
    scope = outer->scope;
  }
  return depth;
}

}  // namespace tess::detail
