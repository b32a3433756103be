// scope: the part of one finish at one place: counts the tasks under it that have not ended.
//
//   Four kinds share this base. `home`: the finish itself. `proxy`: a finish of another place, created here on first
//   arrival. `call`: one incoming `at`, which costs the finish nothing unless its body leaves tasks behind. `system`:
//   the runtime's own tasks, which nothing waits for. What each does when it becomes idle is in
//   src/runtime/finish/finish.cpp (docs/internals/contract.md, 7).
//
//   A scope begins as its worker's own and counts with plain arithmetic. The worker shares it before another one can
//   take a task of it or learn its key, and from then on its count is atomic. A worker that spawns and ends many tasks
//   of one shared scope takes a credit: units that it has added in advance, of which spawns take one and ends give one
//   back. So the count may be too high, never too low; the credit is returned when the worker's turn ends.
//
// Threads  add, done: any worker of the place that runs a task of the scope. share: the worker that owns it.
//          scope_credit: its worker.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <utility>

#include "tess/error.hpp"

namespace tess::detail {

class region;
struct promise_base;

class finish_scope {
 public:
  enum class scope_kind : std::uint8_t { home, proxy, call, system };

  finish_scope(scope_kind kind, std::uint64_t key, bool shared) noexcept : key_(key), kind_(kind), shared_(shared) {}
  ~finish_scope() {
    if (objects_.load(std::memory_order_relaxed) != nullptr) [[unlikely]]
      end_objects();
  }
  finish_scope(finish_scope const&) = delete;
  finish_scope& operator=(finish_scope const&) = delete;

  void add(std::int64_t n) noexcept {
    if (!shared_)
      outstanding_.store(outstanding_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
    else
      outstanding_.fetch_add(n, std::memory_order_relaxed);
  }
  void done(std::int64_t n) noexcept {
    if (is_last(n)) last_done(n);
  }
  /// The same for the end of one task. True: it is the last one, and not yet counted.
  [[nodiscard, gnu::always_inline]] bool is_last_task() noexcept { return is_last(1); }
  void end_last_task() noexcept { last_done(1); }
  /// True if the end of its last task ends the finish, and the waiter is this worker's.
  [[nodiscard, gnu::always_inline]] bool ends_on(std::uint32_t worker) const noexcept {
    // Nobody else knows the scope any more: neither a task nor a message.
    return waiter_ != nullptr && !travels_ && (!shared_ || waiter_worker_ == worker);
  }
  [[nodiscard]] promise_base* waiter() const noexcept { return waiter_; }
  [[nodiscard]] bool shared() const noexcept { return shared_; }

  /// Before another worker can see the scope, by a task that it may steal or by a message.
  void share() noexcept {
    if (!shared_) share_first();
  }

  /// Keeps the first exception and counts the others.
  void fail(std::exception_ptr exception) noexcept;
  /// Records that `n` messages under this finish left for `target`.
  void note_sent(place_id target, std::int64_t n) noexcept;

  /// Identifies the finish everywhere: the global address of its home scope.
  [[nodiscard]] std::uint64_t key() const noexcept { return key_; }
  /// The same for a message, whose answer any worker may handle.
  [[nodiscard]] std::uint64_t key_to_send() noexcept;
  [[nodiscard]] scope_kind kind() const noexcept { return kind_; }

  /// The scope whose region takes the objects that its tasks make: itself; for a finish, the one around it.
  [[nodiscard]] finish_scope& objects_scope() noexcept { return *objects_scope_; }
  void set_objects_scope(finish_scope& s) noexcept { objects_scope_ = &s; }
  /// Null until an object was made.
  [[nodiscard]] region* objects() const noexcept { return objects_.load(std::memory_order_acquire); }
  void set_objects(region* r) noexcept { objects_.store(r, std::memory_order_release); }
  /// False: another worker was first.
  [[nodiscard]] bool offer_objects(region* r) noexcept {
    region* none = nullptr;
    return objects_.compare_exchange_strong(none, r, std::memory_order_acq_rel);
  }
  [[nodiscard]] std::int64_t outstanding() const noexcept {
    // acquire: pairs with the release of done().
    return outstanding_.load(std::memory_order_acquire);
  }

 protected:
  void set_key(std::uint64_t key) noexcept { key_ = key; }
  void set_waiter(promise_base& waiter, std::uint32_t worker) noexcept {
    waiter_ = &waiter;
    waiter_worker_ = worker;
  }
  [[nodiscard]] std::uint32_t waiter_worker() const noexcept { return waiter_worker_; }
  /// From now on messages count for it, too.
  void set_travels() noexcept { travels_ = true; }

 private:
  /// Counts down by n, but not to zero: then it is true.
  [[nodiscard, gnu::always_inline]] bool is_last(std::int64_t n) noexcept {
    // acquire: the effects of all other tasks are visible to the worker that ends the finish.
    std::int64_t before = outstanding_.load(std::memory_order_acquire);
    if (!shared_) {
      if (before == n) return true;
      outstanding_.store(before - n, std::memory_order_relaxed);
      return false;
    }
    // The step to zero is taken under the place's lock, so that the scope is not lost to another worker that finds
    // it complete. release: the effects of the task are visible to the worker that ends the finish.
    while (before != n)
      if (outstanding_.compare_exchange_weak(before, before - n, std::memory_order_release, std::memory_order_acquire))
        return false;
    return true;
  }
  void last_done(std::int64_t n) noexcept;
  void share_first() noexcept;
  void end_objects() noexcept;

  std::atomic<std::int64_t> outstanding_{0};
  std::uint64_t key_;
  std::atomic<region*> objects_{nullptr};
  finish_scope* objects_scope_ = this;
  promise_base* waiter_ = nullptr;  ///< of a finish: the task that waits for its end
  std::uint32_t waiter_worker_ = 0;
  scope_kind kind_;
  bool shared_;
  bool travels_ = false;
};

/// Units of one shared scope's count that a worker holds.
class scope_credit {
 public:
  /// Counts a task that is spawned.
  [[gnu::always_inline]] void add(finish_scope& s) noexcept {
    if (!s.shared())
      s.add(1);
    else
      add_shared(s);
  }
  /// True if the end of a task has been counted.
  [[nodiscard, gnu::always_inline]] bool takes_back(finish_scope const& s) noexcept {
    if (scope_ != &s || units_ == 0) return false;
    ++units_;
    return true;
  }
  /// How many units to take at once; 0: tasks are long, and a finish must not wait for the end of one of another.
  void take_at_once(std::int64_t units) noexcept { most_ = units; }
  /// Before the worker may wait for others, or they for it.
  void give_back() noexcept {
    if (std::int64_t const n = std::exchange(units_, 0); n != 0) scope_->done(n);
    scope_ = nullptr;
  }

 private:
  [[gnu::noinline]] void add_shared(finish_scope& s) noexcept {
    if (scope_ == &s && units_ > 1) {
      // The last unit stays, so that the scope does.
      --units_;
      return;
    }
    // Twice in a row: more will follow.
    std::int64_t const taken = scope_ == &s ? most_ : 0;
    if (scope_ != &s) give_back();
    s.add(1 + taken);
    scope_ = &s;
    units_ += taken;
  }

  finish_scope* scope_ = nullptr;
  std::int64_t units_ = 0;
  std::int64_t most_ = 0;
};

}  // namespace tess::detail
