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
// Cost     a frame and a block of about 128 bytes from the worker's pool, two counts; a ready future: a few
//          instructions. No message. A waiting task costs its frame.
// Source   Halstead, "Multilisp" (TOPLAS 1985); built from sync_var, as futures of the Tera MTA are.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <optional>
#include <source_location>
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
[[nodiscard("a future is awaited; spawn() starts a task without one")]] future<T> async(
    task<T> work, std::source_location at = std::source_location::current());

template <class T>
class [[gnu::warn_unused]] future {
  using stored = std::conditional_t<std::is_void_v<T>, std::monostate, T>;
  static_assert(alignof(stored) <= 16, "a future's value must not be aligned to more than 16 bytes");

  /// The result, and until then the task that awaits the work. It has no coroutine: its frame has the two functions
  /// of one (clang and gcc agree on them), so that the end of the work is a jump to `ended`.
  struct state {
    void (*resume)(void*) = &future::ended;
    void (*destroy)(void*) noexcept = &future::abandoned;
    detail::promise_base awaiting;
    std::coroutine_handle<detail::task_promise<T>> work;
    sync_var<bool> done;
    std::optional<stored> value;
    std::exception_ptr exception;
    /// Futures, and the task.
    std::atomic<std::uint32_t> owners{2};
    bool shared = !detail::self->single;

    void add_owner() noexcept {
      if (shared)
        owners.fetch_add(1, std::memory_order_relaxed);
      else
        owners.store(owners.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
    void drop_owner() noexcept {
      detail::races::release(this);
      if (shared) {
        // acquire and release: the last owner sees the effects of the others before it destroys the result. The only
        // owner stays the only one.
        if (owners.load(std::memory_order_acquire) != 1 && owners.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
      } else {
        std::uint32_t const left = owners.load(std::memory_order_relaxed) - 1;
        owners.store(left, std::memory_order_relaxed);
        if (left != 0) return;
      }
      detail::races::acquire(this);
      std::destroy_at(this);
      detail::self->frames.release(this);
    }
  };

 public:
  future(future const& other) noexcept : state_(other.state_) {
    if (state_ != nullptr) state_->add_owner();
  }
  future(future&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  future& operator=(future other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~future() {
    if (state_ != nullptr) state_->drop_owner();
  }

  /// True if the task has ended.
  [[nodiscard]] bool ready() const noexcept { return state_->done.try_read_ff().has_value(); }

  /// Gives a reference to the value, valid as long as a copy of the future lives; for a temporary future, the value.
  auto operator co_await() const& noexcept { return awaiter<false>(*this); }
  auto operator co_await() && noexcept { return awaiter<true>(std::move(*this)); }

 private:
  template <class U>
  friend future<U> async(task<U> work, std::source_location at);

  using wait = detail::event_wait<sync_var<bool>, sync_var<bool>::operation::read_ff, true>;

  /// Keeps the result until it has been taken: a temporary's anyway, another one's while the task is parked.
  template <bool Temporary>
  class [[nodiscard]] awaiter : public wait {
   public:
    explicit awaiter(future&& f) noexcept
      requires(Temporary)
        : wait(f.state_->done, false), state_(*f.state_), kept_(f.state_) {
      f.state_ = nullptr;
      this->kind = &detail::future_wait;
    }
    explicit awaiter(future const& f) noexcept
      requires(!Temporary)
        : wait(f.state_->done, false), state_(*f.state_) {
      this->kind = &detail::future_wait;
    }
    ~awaiter() {
      if (kept_ != nullptr) kept_->drop_owner();
    }
    [[gnu::always_inline]] bool await_ready() noexcept {
      if (!detail::access::line(state_.done).is_set() || detail::self->count_event()) return wait::await_ready();
      this->must_await_.met();
      return true;
    }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> h) noexcept {
      if (kept_ == nullptr) {
        kept_ = &state_;
        state_.add_owner();
      }
      return wait::await_suspend(h);
    }
    std::conditional_t<std::is_void_v<T> || Temporary, T, std::add_lvalue_reference_t<T const>> await_resume() {
      this->woken();
      if (state_.exception) [[unlikely]]
        std::rethrow_exception(state_.exception);
      if constexpr (!std::is_void_v<T>) return *state_.value;
    }

   private:
    state& state_;
    state* kept_ = nullptr;
  };

  /// For work that is to be spawned.
  future(task<T> work, std::source_location at)
      : state_(new(detail::self->frames.allocate(sizeof(state), detail::frame_pool::kind::task)) state) {
    state& s = *state_;
    static_assert(offsetof(state, awaiting) == 16, "the promise follows the two functions of a frame");
    detail::promise_base& p = *work.release();
    s.work = std::coroutine_handle<detail::task_promise<T>>::from_promise(static_cast<detail::task_promise<T>&>(p));
    s.awaiting.scope = detail::self->current->scope;
    s.awaiting.where = at;
    s.awaiting.callee = &p;
    p.continuation = &s.awaiting;
  }

  using resume_function = void (*)(void*);
  /// The work has ended: resumes the next task in place of itself. That may be the noop coroutine, whose function
  /// takes no argument in libstdc++: UndefinedBehaviorSanitizer would report it.
  [[clang::no_sanitize("function")]] static void ended(void* frame) {
    void* const next = settle(frame).address();
    [[clang::musttail]] return (*static_cast<resume_function*>(next))(next);
  }
  [[gnu::always_inline]] static std::coroutine_handle<> settle(void* frame) noexcept {
    auto& s = *static_cast<state*>(frame);
    detail::task_promise<T>& p = s.work.promise();
    detail::races::continue_in(s.awaiting, p);
    if (p.exception) [[unlikely]] {
      // Nobody will ask for it.
      if (s.owners.load(std::memory_order_relaxed) == 1)
        report_exception(p);
      else
        s.exception = std::move(p.exception);
    } else {
      keep_value(s, p);
    }
    detail::races::strand* const strand = detail::races::strand_of(p);
    s.work.destroy();
    detail::finish_scope& scope = *s.awaiting.scope;
    detail::frame_pool::set_kind(frame, detail::frame_pool::kind::raw);
    detail::worker& w = *detail::self;
    detail::promise_base* const waiter = wake_others(s, w);
    s.drop_owner();
    detail::races::end(w, strand, scope.key());
    if (waiter == nullptr) return w.after_task(scope);
    scope.done(1);
    return w.resume_now(waiter);
  }

  /// Tells those that wait. A single one of this worker is not told but given back: it runs next.
  static detail::promise_base* wake_others(state& s, detail::worker const& w) noexcept {
    using detail::access, detail::wait_list;
    wait_list& line = access::line(s.done);
    std::uint64_t bits = line.open();
    bool full = true;
    access::attempt(s.done, sync_var<bool>::operation::write_xf, bits, full);
    detail::promise_base* next = nullptr;
    if (wait_list::has_waiters(bits)) {
      auto& first = static_cast<detail::waiting<bool>&>(wait_list::first(bits));
      bool const alone = first.next == &first && first.is == detail::waiter::kind::task;
      if (!alone || first.notify != w.notify_id()) {
        detail::let_others_go(s.done, bits);
        return nullptr;
      }
      wait_list::remove_first(bits);
      first.value = true;
      next = static_cast<detail::promise_base*>(detail::node_of(first.whom));
    }
    line.close(bits);
    return next;
  }

  static void keep_value(state& s, detail::task_promise<T>& p) noexcept {
    if constexpr (std::is_void_v<T>) {
      s.value.emplace();
    } else {
      try {
        s.value.emplace(std::move(*p.result));
      } catch (...) {
        s.exception = std::current_exception();
      }
    }
  }

  /// The job was aborted before the work had ended.
  static void abandoned(void* frame) noexcept {
    auto& s = *static_cast<state*>(frame);
    detail::frame_pool::set_kind(frame, detail::frame_pool::kind::raw);
    s.work.destroy();
    s.drop_owner();
  }

  state* state_ = nullptr;
};

template <class T>
future<T> async(task<T> work, std::source_location at) {
  future<T> f(std::move(work), at);
  detail::spawn_promise(*detail::self, &f.state_->work.promise(), TESS_RACES_CALLER);
  return f;
}

}  // namespace tess
