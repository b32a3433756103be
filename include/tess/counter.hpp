// counter: a word that acknowledgements count down to zero, resuming the task that waits for it.
//
//   The one completion object of Tessera: block transfers, `at`, words without a window and collectives end in one.
//   Exactly one party, whoever makes the step to zero, notifies: no lost wake-up (detail/completion.hpp says why).
//   Its destructor waits for what is outstanding; message handlers, and tasks of other workers, may run meanwhile.
//
// Units    chosen by the call that issues; never seen by the user.
// Threads  acknowledge(): any task of the place, and fabrics. expect(), co_await: one task, the owner.
// Errors   an operation that failed resumes the waiter with place_failed; so does a place that fails meanwhile, since
//          the acknowledgements may have been its own.
// Source   Counters of "Cache-Integrated Network Interfaces" (IJPP 2012); docs/internals/contract.md, 4.
#pragma once

#include <coroutine>

#include "tess/detail/completion.hpp"
#include "tess/global_ptr.hpp"
#include "tess/task.hpp"

namespace tess {

namespace detail {
/// Polls the fabric, resuming no task of this worker, until the cell is idle.
void drain(completion& cell) noexcept;
[[noreturn]] void throw_failure(std::uint64_t failure);
/// The global address of something in the caller's segment.
[[nodiscard]] std::uint64_t to_global(void const* address);

/// What cells are waited for.
void give_up_cell(parked_wait& wait, promise_base& task) noexcept;
inline constexpr wait_kind counter_wait{"counter", &give_up_cell, true};
inline constexpr wait_kind block_wait{"block transfer"};

/// Waits for a cell; looks at it for a moment first when nobody else needs the processor.
struct cell_awaiter : parked_wait, stoppable_wait {
  cell_awaiter(completion& c, wait_kind const& k) noexcept : parked_wait{&k}, cell(c) {}

  completion& cell;
  bool parked = false;
  bool given_up_by_failure = false;

  bool await_ready() const noexcept {
    if (cell.idle()) return true;
    worker& w = *self;
    if (!w.may_spin) return false;
    for (int i = 0; i < spin_limit && w.spend_alone(); ++i) {
      spin_pause();
      if (cell.idle()) return true;
    }
    return false;
  }
  template <class Promise>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> h) noexcept {
    promise_base& p = h.promise();
    if (!enter(p)) [[unlikely]]
      return h;
    if (job.failed != nullptr && kind->on_any_place) [[unlikely]] {
      given_up_by_failure = true;
      return h;
    }
    p.waits_for = this;
    worker& w = *self;
    if (cell.arm(w.notify_id(), reinterpret_cast<std::uint64_t>(static_cast<ready_node*>(&p)))) {
      p.waits_for = nullptr;
      return h;
    }
    parked = true;
    return w.next();
  }
  void await_resume() {
    leave();
    if (given_up_by_failure) [[unlikely]]
      throw_place_failed();
    if (parked) cell.reset();
    if (std::uint64_t const failure = cell.take_error()) [[unlikely]]
      throw_failure(failure);
  }
  [[nodiscard]] bool take_back() noexcept { return cell.disarm(); }

 private:
  static constexpr int spin_limit = 60;
};
}  // namespace detail

class counter {
 public:
  counter() = default;
  counter(counter const&) = delete;
  counter& operator=(counter const&) = delete;
  /// Waits, polling the fabric but resuming no task of this worker, until nothing is outstanding.
  ~counter() {
    if (!cell_.idle()) [[unlikely]]
      detail::drain(cell_);
  }

  /// Announces `n` acknowledgements to wait for. They may overtake their announcement.
  void expect(std::int64_t n) noexcept { cell_.expect(n); }
  /// One of them, from a task of this place.
  void acknowledge(std::int64_t n = 1) noexcept { cell_.acknowledge(n); }
  /// Nothing is outstanding now.
  [[nodiscard]] bool idle() const noexcept { return cell_.idle(); }

  /// Its name for other places, as the target of a put with notification. The counter must lie in the segment: in a
  /// task's frame, in a place_local, or constructed in memory of the segment (allocate() itself takes no counters).
  [[nodiscard]] global_ptr<counter> address() const {
    return global_ptr<counter>::from_bits(detail::to_global(&cell_));
  }

  /// Waits until nothing is outstanding.
  auto operator co_await() & noexcept { return detail::cell_awaiter{cell_, detail::counter_wait}; }

  /// For the runtime.
  detail::completion& cell() noexcept { return cell_; }

 private:
  detail::completion cell_;
};
static_assert(sizeof(counter) == sizeof(detail::completion));

}  // namespace tess
