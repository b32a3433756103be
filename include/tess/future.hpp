// future: the result of a concurrent task; any number of tasks may await it for the value or the exception.
//
//   `auto f = async(work(3));` spawns the task under the caller's finish; `co_await f` waits for it. Futures are copied
//   freely within their place; all copies refer to the same result, which lives as long as one of them. To use a result
//   at another place, let the task write a sync_var.
//
// Threads  any task of the place. Waiting tasks resume in the order in which they began to wait.
// Errors   every co_await rethrows the task's exception.
//          If no future is left when the task fails,
//          its exception goes to the finish.
// Cost     two frames and a block of at least 64 bytes from the worker's pool, two counts; a ready future: a few
//          instructions. No message. A waiting task costs its frame.
// Source   Halstead, "Multilisp" (TOPLAS 1985); built from sync_var, as futures of the Tera MTA are.
#pragma once

#include <atomic>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "tess/finish.hpp"
#include "tess/sync_var.hpp"

namespace tess {

namespace detail {
/// The task ends even if other places fail.
inline constexpr wait_kind future_wait{"future"};
}  // namespace detail

template <class T>
class future;

/// Starts `work` concurrent with the caller, under the caller's innermost finish.
template <class T>
[[nodiscard("a future is awaited; spawn() starts a task without one")]] future<T> async(task<T> work);

template <class T>
class [[gnu::warn_unused]] future {
  using stored = std::conditional_t<std::is_void_v<T>, std::monostate, T>;
  static_assert(alignof(stored) <= 16, "a future's value must not be aligned to more than 16 bytes");

  struct state {
    sync_var<bool> done;
    std::atomic<std::uint32_t> owners{1};
    std::optional<stored> value;
    std::exception_ptr exception;
  };

 public:
  future(future const& other) noexcept : state_(other.state_) {
    if (state_ != nullptr) state_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  future(future&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  future& operator=(future other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~future() {
    // acquire and release: the last owner sees the effects of the others before it destroys the result.
    if (state_ == nullptr) return;
    detail::races::release(state_);
    if (state_->owners.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    detail::races::acquire(state_);
    std::destroy_at(state_);
    detail::self->frames.release(state_);
  }

  /// True if the task has ended.
  [[nodiscard]] bool ready() const noexcept { return state_->done.try_read_ff().has_value(); }

  /// Gives a reference to the value, valid as long as a copy of the future lives; for a temporary future, the value.
  auto operator co_await() const& noexcept { return awaiter<false>(*this); }
  auto operator co_await() && noexcept { return awaiter<true>(std::move(*this)); }

 private:
  template <class U>
  friend future<U> async(task<U> work);

  using wait = detail::event_wait<sync_var<bool>, sync_var<bool>::operation::read_ff, true>;

  /// Keeps the result until it has been taken.
  struct keeper {
    future kept;
  };
  template <bool Temporary>
  class [[nodiscard]] awaiter : keeper, public wait {
   public:
    explicit awaiter(future f) noexcept : keeper{std::move(f)}, wait(this->kept.state_->done, false) {
      this->kind = &detail::future_wait;
    }
    std::conditional_t<std::is_void_v<T> || Temporary, T, std::add_lvalue_reference_t<T const>> await_resume() {
      this->woken();
      state& s = *this->kept.state_;
      if (s.exception) std::rethrow_exception(s.exception);
      if constexpr (!std::is_void_v<T>) return *s.value;
    }
  };

  future() : state_(new(detail::self->frames.allocate(sizeof(state), detail::frame_pool::kind::raw)) state) {}

  static task<void> fulfil(task<T> work, future result) {
    state& s = *result.state_;
    try {
      if constexpr (std::is_void_v<T>) {
        co_await std::move(work);
        s.value.emplace();
      } else {
        s.value.emplace(co_await std::move(work));
      }
    } catch (...) {
      if (s.owners.load(std::memory_order_relaxed) == 1) throw;
      s.exception = std::current_exception();
    }
    s.done.write_xf(true);
  }

  state* state_ = nullptr;
};

template <class T>
future<T> async(task<T> work) {
  future<T> f;
  spawn(future<T>::fulfil(std::move(work), f));
  return f;
}

}  // namespace tess
