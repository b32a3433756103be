// counter: a word that acknowledgements count down to zero, resuming the task that waits for it.
//
//   Tessera's completion object: block transfers, `at`, words without a window and collectives all complete on one.
//   Exactly one party notifies, the one that makes the step to zero: no wake-up is lost (detail/tasks/completion.hpp).
//   Its destructor waits until nothing is outstanding; message handlers, and tasks of other workers, may run meanwhile.
//
// Units    chosen by the issuing call; not visible to the user.
// Threads  acknowledge(): any task of the place, and fabrics. expect() and co_await: one task, the owner.
// Errors   a failed operation resumes the waiter with place_failed; so does the failure of any place during the wait,
//          because the acknowledgements may have been due from it.
// Source   Counters of "Cache-Integrated Network Interfaces" (IJPP 2012); docs/internals/contract.md, 4.
#pragma once

#include <coroutine>

#include "tess/detail/access.hpp"
#include "tess/detail/tasks/completion.hpp"
#include "tess/global_ptr.hpp"
#include "tess/task.hpp"

namespace tess {

namespace detail {
/// Polls the fabric, resuming no task of this worker, until the cell is idle.
void drain(completion& cell) noexcept;
[[noreturn]] void throw_failure(std::uint64_t failure);
/// The global address of an object in the caller's segment.
[[nodiscard]] std::uint64_t to_global(void const* address);

/// What a task that waits for a cell is parked on.
void give_up_cell(parked_wait& wait, promise_base& task) noexcept;
inline constexpr wait_kind counter_wait{"counter", &give_up_cell, true};
inline constexpr wait_kind block_wait{"block transfer"};

/// Waits for a cell; polls it for a moment first if no other task needs the processor.
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
    cell.seen();
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
  /// Waits until nothing is outstanding. Polls the fabric but resumes no task of this worker.
  ~counter() {
    if (!cell_.idle()) [[unlikely]]
      detail::drain(cell_);
    cell_.seen();
  }

  /// Announces `n` acknowledgements to wait for. They may arrive before their announcement.
  void expect(std::int64_t n) noexcept { cell_.expect(n); }
  /// Acknowledges `n`, from a task of this place.
  void acknowledge(std::int64_t n = 1) noexcept { cell_.acknowledge(n); }
  /// True if nothing is outstanding now.
  [[nodiscard]] bool idle() const noexcept {
    bool const none = cell_.idle();
    cell_.seen();
    return none;
  }

  /// Its address for other places, as the target of a put with notification. The counter must lie in the segment: in a
  /// task's frame, in a place_local, or constructed in memory of the segment (allocate() itself takes no counters).
  [[nodiscard]] global_ptr<counter> address() const {
    return global_ptr<counter>::from_bits(detail::to_global(&cell_));
  }

  /// Waits until nothing is outstanding.
  auto operator co_await() & noexcept { return detail::cell_awaiter{cell_, detail::counter_wait}; }

 private:
  friend struct detail::access;
  detail::completion cell_;
};
static_assert(sizeof(counter) == sizeof(detail::completion));

}  // namespace tess
