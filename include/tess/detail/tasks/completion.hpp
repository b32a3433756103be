// completion: the cell behind counters, slots and `at`: acknowledgements count it down; at zero it wakes its waiter.
//
//   A fabric object in segment memory: {value, error, notify, cookie} (docs/internals/contract.md, 4). The owner holds
//   one large unit (`armed_unit`), which it subtracts when it waits: the value can be zero only while the owner waits
//   and nothing is outstanding. So exactly one party makes the step to zero, in either order of the acknowledgement
//   and the wait, and acknowledgements that arrive before their announcement are harmless.
//
// Units    of the issuing call. 32 bits of outstanding units at most.
// Threads  acknowledge: any. expect, arm, reset: the owner.
// Bits     notify: 16-31 place, 0-15 worker of the ready queue that gets the cookie. cookie: a ready_node's address,
//          bit 0 set if it is a word's slot to be freed, bit 1 if it is the slot of an `at` that is not awaited,
//          both if it is a stop request (tess/timeout.hpp).
#pragma once

#include <atomic>
#include <cstdint>

#include "tess/detail/tasks/races.hpp"

namespace tess::detail {

/// The link of a ready queue: the base of a task's promise and of a slot.
struct ready_node {
  std::uint64_t next_ready = 0;
};

/// The low bits of a cookie say what it stands for; none set: a task to be resumed.
inline constexpr std::uint64_t word_slot_tag = 1;
inline constexpr std::uint64_t at_slot_tag = 2;
inline constexpr std::uint64_t stop_message_tag = word_slot_tag | at_slot_tag;
inline ready_node* node_of(std::uint64_t cookie) noexcept {
  return reinterpret_cast<ready_node*>(cookie & ~(word_slot_tag | at_slot_tag));
}

/// Appends a cookie to the ready queue of a worker and wakes it.
void notify_worker(std::uint32_t notify, std::uint64_t cookie) noexcept;

class completion {
 public:
  static constexpr std::int64_t armed_unit = std::int64_t{1} << 40;

  completion() = default;
  /// The same state as after expect(units).
  explicit completion(std::int64_t units) noexcept : value_(armed_unit + units) {}

  /// True if nothing is outstanding. acquire: the effects of the acknowledged operations are visible to the owner.
  [[nodiscard]] bool idle() const noexcept { return value_.load(std::memory_order_acquire) <= armed_unit; }
  [[nodiscard]] std::int64_t outstanding() const noexcept {
    return value_.load(std::memory_order_relaxed) - armed_unit;
  }

  void expect(std::int64_t units) noexcept { value_.fetch_add(units, std::memory_order_relaxed); }

  /// Announces the waiter. True: nothing is outstanding, there will be no notification, and the state is as after
  /// reset(). False: the cookie will be delivered once, then the owner calls reset().
  [[nodiscard]] bool arm(std::uint32_t notify, std::uint64_t cookie) noexcept {
    notify_ = notify;
    cookie_ = cookie;
    // release: notify and cookie are written before the arming; acquire: what the last acknowledgement published.
    if (value_.fetch_sub(armed_unit, std::memory_order_acq_rel) > armed_unit) return false;
    reset();
    return true;
  }
  /// Undoes arm(). False: the cookie is delivered or on its way; the owner calls reset() as usual.
  [[nodiscard]] bool disarm() noexcept {
    std::int64_t value = value_.load(std::memory_order_relaxed);
    // The party that makes the step to zero notifies: while the value is above zero, none has.
    while (value > 0)
      if (value_.compare_exchange_weak(value, value + armed_unit, std::memory_order_relaxed)) return true;
    return false;
  }
  /// The waiter's index; the cell must be armed.
  [[nodiscard]] std::uint32_t waiter() const noexcept { return notify_; }
  void reset() noexcept { value_.fetch_add(armed_unit, std::memory_order_relaxed); }

  /// Called by fabrics. A nonzero `failure` (a place + 1) is kept and becomes the waiter's exception.
  void acknowledge(std::int64_t units, std::uint64_t failure = 0) noexcept {
    races::release(key_);
    if (failure != 0) error_.store(failure, std::memory_order_relaxed);
    // release: what was acknowledged, to the waiter; acquire: notify and cookie.
    std::int64_t const before = value_.fetch_sub(units, std::memory_order_acq_rel);
    // Armed values are small; only the acknowledgement that takes them to zero or below notifies.
    if (before > 0 && before <= units) notify_worker(notify_, cookie_);
  }

  /// acknowledge(1) in two parts, for a fabric that subtracts the 1 remotely: this is the rest, at the
  /// cell's place, if the value requires it.
  static bool notifies(std::int64_t before) noexcept { return before == 1; }
  void notify() noexcept { notify_worker(notify_, cookie_); }
  static constexpr std::size_t value_offset = 0;

  /// The waiter, or one that saw that nothing is outstanding, has seen what was acknowledged.
  void seen() const noexcept { races::acquire(key_); }

  /// 0, or the failed place + 1; clears it.
  std::uint64_t take_error() noexcept {
    // Failures are rare, and an exchange is expensive.
    return error_.load(std::memory_order_relaxed) == 0 ? 0 : error_.exchange(0, std::memory_order_relaxed);
  }

 private:
  std::atomic<std::int64_t> value_{armed_unit};
  std::atomic<std::uint64_t> error_{0};
  std::uint32_t notify_ = 0;
  std::uint64_t cookie_ = 0;
  [[no_unique_address]] races::own_key key_;
};
static_assert(TESS_RACES || sizeof(completion) == 32);

}  // namespace tess::detail
