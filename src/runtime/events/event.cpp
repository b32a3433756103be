// event: the out-of-line parts of events: waiting for the lock, misuse, and the notifications of event_counter.
#include "tess/detail/events/event.hpp"

#include <array>
#include <string>
#include <thread>

#include "runtime/failures/abort.hpp"
#include "runtime/failures/failed_places.hpp"
#include "runtime/job/job.hpp"
#include "runtime/tasks/worker_loop.hpp"
#include "tess/block.hpp"
#include "tess/event_counter.hpp"
#include "tess/mutex.hpp"
#include "tess/word.hpp"

namespace tess {

namespace detail {

std::uint64_t wait_list::open_slowly() noexcept {
  for (unsigned tries = 1;; ++tries) {
    std::uint64_t seen = bits_.load(std::memory_order_relaxed);
    // acquire: pairs with the release of close().
    if ((seen & locked) == 0 &&
        bits_.compare_exchange_weak(seen, seen | locked, std::memory_order_acquire, std::memory_order_relaxed))
      return seen;
    spin_pause();
    // The holder may need this processor.
    if (tries % 64 == 0) std::this_thread::yield();
  }
}

void look_for_ready() noexcept {
  // About a microsecond: longer than a handover, short compared with the idle round that it postpones.
  constexpr int rounds = 24;
  worker_state& w = this_worker();
  for (int i = 0; i < rounds && !poll(w); ++i) spin_pause();
}

void destroyed_while_awaited(char const* what) noexcept {
  // An aborted job destroys frames in any order. After a failure, calls of the failed place may still wait; a task may
  // learn of the failure from its own operation or from another place before it is announced here.
  if (the_job == nullptr || job_aborted() || failure_reported()) return;
  try {
    throw error(what, "destroyed while tasks wait for it", "a life that ends after the last wait");
  } catch (...) {
    abort_job("destroying %s", what);
  }
}

void check_event(std::uint64_t address, char const* what, std::source_location at) {
  auto const p = global_ptr<std::byte>::from_bits(address);
  if (!p) throw error(to_text(at), std::string(what) + " through a null global_ptr", "the address() of one");
  if (p.place() >= job.places)
    throw error(to_text(at), std::string(what) + " at place " + std::to_string(p.place()),
                "a place below " + std::to_string(job.places));
}

std::uint32_t line_at(std::uint64_t address, char const* what, std::source_location at) {
  if (event_lines == nullptr) return 0;
  check_event(address, what, at);
  // Its wait_list is its first member. The word is read where it is, without asking that place.
  std::uint64_t const state = [&] {
    if (place_of(address) == here()) return std::atomic_ref(*static_cast<std::uint64_t*>(to_local(address))).load();
    // A fabric with lines can read every segment, also where the program's words have no window.
    std::byte const* const there = the_job->fabric->segment(place_of(address)).base;
    std::byte const* const word = there + (offset_of(address));
    return *reinterpret_cast<std::uint64_t const volatile*>(word);  // NOLINT: a view of its memory
  }();
  return wait_list::line_of(state);
}

// ── notifications ───────────────────────────────────────────────────────────────────────────────────────────────────

namespace {

/// Runs at the counter's place. slot 0: no answer is needed.
struct add_handler {
  struct payload {
    std::uint64_t slot;
    std::uint64_t event;
    std::int64_t n;
  };
  static constexpr std::uint32_t payload_bytes = sizeof(payload);
  static constexpr std::uint16_t payload_alignment = alignof(payload);
  static constexpr bool variable = false;

  static void invoke(message_context& context, std::byte const* bytes, std::size_t) {
    payload m;
    std::memcpy(&m, bytes, sizeof m);
    static_cast<event_counter*>(to_local(m.event))->add(m.n);
    if (m.slot != 0) reply_value(context.source, m.slot, false, nullptr, 0);
  }
};

}  // namespace

constexpr wait_kind addition_wait{"addition to an event_counter", &give_up_cell, true};
constexpr wait_kind unlock_wait{access::name<mutex>(mutex::operation::unlock), &give_up_cell, true};

void notification_failed(notification const& n) noexcept {
  abort_job("notifying place %u for an event_counter", unsigned{place_of(n.target)});
}

void notify_counter(notification const& n) noexcept {
  try {
    tess::notify(global_ptr<counter>::from_bits(n.target));
  } catch (...) {
    notification_failed(n);
  }
}

void notify_event_counter(notification const& n) noexcept {
  try {
    send_event<add_handler>({0, n.target, static_cast<std::int64_t>(n.word)});
  } catch (...) {
    notification_failed(n);
  }
}

void notify_flag(notification const& n) noexcept {
  try {
    // The slot returns to its pool when the reply has arrived.
    abandon_slot(issue_word({word_op::put, word_type_of<std::uint64_t>(), 8, 8, n.target, {n.word, 0}}));
  } catch (...) {
    notification_failed(n);
  }
}

}  // namespace detail

// ── event_counter ───────────────────────────────────────────────────────────────────────────────────────────────────

void event_counter::notify(detail::notification n) {
  detail::check_event(n.target, "event_counter", std::source_location::current());
  if (notifications_ == notifications_max)
    throw error("event_counter", "a fifth notification", "four at most; one of them may be another event_counter");
  notify_[notifications_++] = n;
}

std::int64_t event_counter::value() noexcept {
  std::uint64_t const state = line_.open();
  std::int64_t const v = value_;
  line_.close(state);
  return v;
}

std::uint64_t event_counter::phase() noexcept {
  std::uint64_t const state = line_.open();
  std::uint64_t const p = phase_;
  line_.close(state);
  return p;
}

void event_counter::add(std::int64_t n) noexcept {
  std::uint64_t const state = line_.open();
  value_ += n;
  if (value_ != 0) {
    line_.close(state);
    return;
  }
  value_ = reload_;
  ++phase_;
  // A task that goes on may destroy the counter before its notifications have been sent.
  auto const notify = notify_;
  std::uint32_t const count = notifications_;
  if (detail::wait_list::has_waiters(state))
    detail::let_others_go(*this, state);
  else
    line_.close(state);
  for (std::uint32_t i = 0; i < count; ++i) notify[i].send(notify[i]);
}

detail::event_call<void> add(global_ptr<event_counter> p, std::int64_t n, std::source_location at) {
  return detail::call_handler<void, detail::add_handler>(detail::addition_wait, {0, p.bits(), n}, at);
}

void notify(global_ptr<event_counter> p, std::int64_t n, std::source_location at) {
  add(p, n, at).abandon();
}

// ── mutex ───────────────────────────────────────────────────────────────────────────────────────────────────────────

void mutex::refuse_unlock() {
  throw error("mutex", "unlock of one that is not locked", "one unlock per lock");
}

unlock_call unlock(global_ptr<mutex> p, std::source_location at) {
  using handler = detail::event_handler<mutex, mutex::operation::unlock, true>;
  constexpr mutex::operation op = mutex::operation::unlock;
  if constexpr (detail::line_event<mutex>) {
    if (std::uint32_t const line = detail::line_at(p.bits(), detail::access::name<mutex>(op), at))
      return detail::call_line<op, true, mutex, unlock_call>(detail::unlock_wait, p.bits(), line, {}, at);
  }
  return detail::call_handler<bool, handler, unlock_call>(detail::unlock_wait, {0, p.bits(), {}}, at);
}

void mutex_guard::unlock_there(global_ptr<mutex> p) noexcept {
  try {
    static_cast<void>(unlock(p));
  } catch (...) {
    detail::abort_job("unlocking a mutex of place %u", unsigned{p.place()});
  }
}

}  // namespace tess
