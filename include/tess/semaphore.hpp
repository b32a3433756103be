// semaphore: permits that tasks of any place acquire and release; tasks wait for a permit in FIFO order.
//
// Units    permits, fewer than 2^32.
// Threads  any task; a task other than the one that acquired may release.
// Errors   destruction while tasks wait for it ends the job with a message.
// Cost     acquire and release at its place: 16 bytes of one cache line; a compare-exchange each with several workers.
//          From another place: one request and one reply each.
// Source   a match queue of empty tokens (mutex.hpp), its slots reduced to a count; Dijkstra's P and V.
#pragma once

#include <source_location>

#include "tess/detail/events/event.hpp"

namespace tess {

class semaphore {
 public:
  using value_type = std::uint32_t;
  enum class operation : std::uint8_t { acquire, release };

  explicit semaphore(std::uint32_t permits) noexcept : permits_(permits) {}
  ~semaphore() {
    if (line_.awaited()) [[unlikely]]
      detail::destroyed_while_awaited("a semaphore");
  }

  /// Waits for a permit and takes it.
  auto acquire(std::source_location at = std::source_location::current()) noexcept
      -> detail::event_wait<semaphore, operation::acquire>;
  [[nodiscard]] bool try_acquire() noexcept;
  void release(std::uint32_t permits = 1) noexcept;

  /// Its address for other places; it must lie in the segment.
  [[nodiscard]] global_ptr<semaphore> address() { return to_global(this); }

 private:
  friend struct detail::access;
  [[gnu::always_inline]] bool attempt(operation op, std::uint64_t&, value_type& n) noexcept {
    if (op == operation::release) {
      permits_ += n;
      return true;
    }
    if (permits_ == 0) return false;
    --permits_;
    return true;
  }
  static constexpr bool takes(operation op) noexcept { return op == operation::release; }
  static constexpr bool gives(operation) noexcept { return false; }
  static constexpr char const* name(operation op) noexcept {
    return op == operation::acquire ? "acquire of a semaphore" : "release of a semaphore";
  }

  detail::wait_list line_;
  std::uint32_t permits_;
};

inline auto semaphore::acquire(std::source_location at) noexcept -> detail::event_wait<semaphore, operation::acquire> {
  return {*this, 0, at};
}
inline bool semaphore::try_acquire() noexcept {
  return detail::try_event<operation::acquire>(*this);
}
inline void semaphore::release(std::uint32_t permits) noexcept {
  static_cast<void>(detail::try_event<operation::release>(*this, permits));
}

// The same from any place: one request, one reply.

/// At another place.
inline auto acquire(global_ptr<semaphore> p, std::source_location at = std::source_location::current()) {
  return detail::call_event<semaphore::operation::acquire>(p, {}, at);
}
/// co_await gives true if there was a permit.
inline auto try_acquire(global_ptr<semaphore> p, std::source_location at = std::source_location::current()) {
  return detail::call_try_event<semaphore::operation::acquire>(p, {}, at);
}
inline auto release(global_ptr<semaphore> p, std::uint32_t permits = 1,
                    std::source_location at = std::source_location::current()) {
  return detail::call_event<semaphore::operation::release>(p, permits, at);
}

}  // namespace tess
