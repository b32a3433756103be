// scope: the part of one finish at one place: counts the tasks under it that have not ended.
//
//   Four kinds share this base. `home`: the finish itself. `proxy`: a finish of another place, created here on first
//   arrival. `call`: one incoming `at`, which costs the finish nothing unless its body leaves tasks behind. `system`:
//   the runtime's own tasks, which nothing waits for. What each does when it becomes idle is in
//   src/runtime/finish/finish.cpp (docs/internals/contract.md, 7).
//
// Threads  add, done: any worker of the place; plain arithmetic where the place has only one.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>

#include "tess/error.hpp"

namespace tess::detail {

class region;

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
    if (!shared_) {
      std::int64_t const left = outstanding_.load(std::memory_order_relaxed) - n;
      outstanding_.store(left, std::memory_order_relaxed);
      if (left == 0) ran_idle();
      return;
    }
    // The step to zero is taken under the place's lock, so that the scope is not lost to another worker that finds
    // it complete. release: the effects of the task are visible to the worker that ends the finish.
    std::int64_t before = outstanding_.load(std::memory_order_relaxed);
    while (before != n)
      if (outstanding_.compare_exchange_weak(before, before - n, std::memory_order_release, std::memory_order_relaxed))
        return;
    last_done(n);
  }

  /// Keeps the first exception and counts the others.
  void fail(std::exception_ptr exception) noexcept;
  /// Records that `n` messages under this finish left for `target`.
  void note_sent(place_id target, std::int64_t n) noexcept;

  /// Identifies the finish everywhere: the global address of its home scope.
  [[nodiscard]] std::uint64_t key() const noexcept { return key_; }
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

 private:
  void ran_idle() noexcept;
  void last_done(std::int64_t n) noexcept;
  void end_objects() noexcept;

  std::atomic<std::int64_t> outstanding_{0};
  std::uint64_t key_;
  std::atomic<region*> objects_{nullptr};
  finish_scope* objects_scope_ = this;
  scope_kind kind_;
  bool shared_;
};

}  // namespace tess::detail
