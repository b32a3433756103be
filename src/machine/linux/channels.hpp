// channels: what descriptors lead to besides files: ends of pipes, counters (eventfd), timers (timerfd).
//
//   They belong to one program: its threads talk through them, and nothing of the host is behind them.
//
// Units     nanoseconds of simulated time.
// Errors    bytes, or negative Linux error numbers: EAGAIN if it cannot be done yet.
// Threads   none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <span>
#include <utility>

namespace tess::machine {

class channel {
 public:
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

  virtual ~channel() = default;
  virtual std::int64_t read(std::span<std::byte> into, std::uint64_t now_ns) = 0;
  virtual std::int64_t write(std::span<std::byte const> from) = 0;
  // EPOLLIN, EPOLLOUT, EPOLLERR, EPOLLHUP.
  [[nodiscard]] virtual std::uint32_t ready(std::uint64_t now_ns) const = 0;
  // When it becomes ready by itself; never: not at all, or it is.
  [[nodiscard]] virtual std::uint64_t next_ns(std::uint64_t now_ns) const {
    (void)now_ns;
    return never;
  }
  // Changes whenever something comes that a reader or writer may wait for: the edges of epoll.
  [[nodiscard]] virtual std::uint64_t version(std::uint64_t now_ns) const = 0;
};

// The two ends of a pipe: the first to read from.
[[nodiscard]] std::pair<std::shared_ptr<channel>, std::shared_ptr<channel>> make_pipe();

// eventfd: a read takes the sum of what was written, or 1 of it.
class event_counter final : public channel {
 public:
  event_counter(std::uint64_t value, bool by_one) : value_(value), by_one_(by_one) {}
  std::int64_t read(std::span<std::byte> into, std::uint64_t now_ns) override;
  std::int64_t write(std::span<std::byte const> from) override;
  [[nodiscard]] std::uint32_t ready(std::uint64_t now_ns) const override;
  [[nodiscard]] std::uint64_t version(std::uint64_t) const override { return version_; }

 private:
  std::uint64_t value_;
  bool by_one_;
  std::uint64_t version_ = 1;
};

// timerfd: a read takes how often it has expired.
class expiry_timer final : public channel {
 public:
  // `since_1970`: its absolute times are of the realtime clock.
  explicit expiry_timer(bool since_1970) : since_1970_(since_1970) {}
  [[nodiscard]] bool is_since_1970() const noexcept { return since_1970_; }
  // At this time for the first time; never: not at all. Interval 0: once.
  void set(std::uint64_t at_ns, std::uint64_t interval_ns) noexcept {
    at_ns_ = at_ns;
    interval_ns_ = interval_ns;
  }
  // The next expiry, and the interval.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> setting(std::uint64_t now_ns) const noexcept;
  std::int64_t read(std::span<std::byte> into, std::uint64_t now_ns) override;
  std::int64_t write(std::span<std::byte const> from) override;
  [[nodiscard]] std::uint32_t ready(std::uint64_t now_ns) const override;
  [[nodiscard]] std::uint64_t next_ns(std::uint64_t now_ns) const override { return now_ns < at_ns_ ? at_ns_ : never; }
  [[nodiscard]] std::uint64_t version(std::uint64_t now_ns) const override { return expired(now_ns); }

 private:
  [[nodiscard]] std::uint64_t expired(std::uint64_t now_ns) const noexcept;
  bool since_1970_;
  std::uint64_t at_ns_ = never;  // the first expiry that was not read
  std::uint64_t interval_ns_ = 0;
};

}  // namespace tess::machine
