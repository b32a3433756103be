// at_call: the caller's side of an `at`: a slot for the reply, and the wait for it.
//
// Threads  the worker of the caller; any worker of its place may apply the reply.
// Errors   place_failed when the reply is lost with its place. co_await rethrows an exception that the reply carries.
#pragma once

#include <coroutine>
#include <cstring>
#include <exception>
#include <source_location>
#include <type_traits>
#include <utility>

#include "tess/counter.hpp"
#include "tess/detail/tasks/must_await.hpp"
#include "tess/object.hpp"

namespace tess::detail {

/// The caller's side of an `at`: owned by the worker's pool, because the reply may come after the frame is destroyed.
struct alignas(16) at_slot : ready_node {
  completion cell{1};             ///< one answer is outstanding
  finish_scope* scope = nullptr;  ///< the caller's, at the time of the call
  place_id target = 0;            ///< set when the call is abandoned
  std::uint32_t abandoned = 0;    ///< then: its index among the worker's abandoned slots
  std::uint64_t called = 0;       ///< the time of the call, if the statistics need it
  std::exception_ptr exception;
  std::uint32_t result_bytes = 0;  ///< room behind this struct
  bool left_tasks = false;         ///< the body left tasks behind, which the caller's finish must count
  bool is_event = false;           ///< the reply may depend on any place
  region* arrived = nullptr;       ///< the graph or values that arrived as the result
  void* arrived_root = nullptr;

  [[nodiscard]] std::byte* result() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
};

[[nodiscard]] at_slot* make_at_slot(std::size_t result_bytes);
void free_at_slot(at_slot* slot) noexcept;
/// The call was never awaited: the caller's finish waits for the reply, which frees the slot. If the reply may not
/// come, because a place failed, nothing waits for it.
void abandon_at_slot(at_slot* slot, place_id target) noexcept;
void end_abandoned(at_slot* slot) noexcept;
/// Polls for a moment, if no other task can run here. True: the reply came.
[[nodiscard]] bool look_for_answer(completion const& cell) noexcept;

/// Waits for a reply from `target`, which comes unless that place fails.
void give_up_at(parked_wait& wait, promise_base& task) noexcept;
inline constexpr wait_kind at_wait{"at", &give_up_at};

/// A result that travelled by value, from the bytes in a region; ends the region.
template <class R>
R take_result(region* arrived);

struct at_awaiter : cell_awaiter {
  place_id target;
};

template <class R>
class [[nodiscard("at completes at its co_await; use at_async to leave it to the finish"), gnu::warn_unused]] at_call {
 public:
  at_call(place_id target, at_slot* slot, std::source_location at, lost_operation const& lost = lost_call,
          wait_kind const& kind = at_wait) noexcept
      : slot_(slot), must_await_(lost, at), wait_{{slot->cell, kind}, target} {}
  at_call(at_call const&) = delete;
  at_call& operator=(at_call const&) = delete;
  ~at_call() {
    if (slot_ != nullptr) [[unlikely]]
      abandon_at_slot(slot_, wait_.target);
  }

  [[nodiscard]] at_slot& slot() noexcept { return *slot_; }

  /// It will not be awaited, on purpose: checked builds do not report it. The caller's finish waits for it; its result
  /// and its exception are dropped.
  void abandon() const noexcept { must_await_.met(); }

  bool await_ready() const noexcept {
    must_await_.met();
    return slot_->cell.idle() || look_for_answer(slot_->cell);
  }
  template <class Promise>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> h) noexcept {
    wait_.given_up_by_failure = has_failed(wait_.target);
    waited_ = true;
    ++self->waiting_calls;
    return wait_.given_up_by_failure ? std::coroutine_handle<>(h) : wait_.await_suspend(h);
  }
  R await_resume() {
    if (waited_) --self->waiting_calls;
    // Given up: the destructor abandons the slot.
    wait_.leave();
    if (wait_.given_up_by_failure) [[unlikely]]
      has_failed(wait_.target) ? throw_place_failed(wait_.target) : throw_place_failed();
    at_slot* const slot = std::exchange(slot_, nullptr);
    struct guard {
      at_slot* slot;
      ~guard() { free_at_slot(slot); }
    } const g{slot};
    slot->cell.seen();
    if (slot->left_tasks) slot->scope->note_sent(wait_.target, 1);
    if (std::uint64_t const failure = slot->cell.take_error()) [[unlikely]]
      throw_failure(failure);
    if (slot->exception) [[unlikely]]
      std::rethrow_exception(slot->exception);
    if constexpr (is_a<R, graph>) {
      region* const owner = std::exchange(slot->arrived, nullptr);
      return R(static_cast<typename R::element_type*>(slot->arrived_root), owner);
    } else if constexpr (!std::is_void_v<R> && !std::is_trivially_copyable_v<R>) {
      return take_result<R>(std::exchange(slot->arrived, nullptr));
    } else if constexpr (!std::is_void_v<R>) {
      alignas(R) std::byte copy[sizeof(R)];
      std::memcpy(copy, slot->result(), sizeof(R));
      return *reinterpret_cast<R*>(copy);
    }
  }

 private:
  at_slot* slot_;
  bool waited_ = false;
  [[no_unique_address]] must_await must_await_;
  at_awaiter wait_;
};

}  // namespace tess::detail
