// channels: pipes are queues of bytes that both ends share.
#include "machine/linux/channels.hpp"

#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace tess::machine {
namespace {

constexpr std::size_t pipe_bytes_max = 65536;
constexpr std::size_t whole_bytes_max = 4096;  // PIPE_BUF: never written in parts
constexpr std::uint64_t counter_max = ~std::uint64_t{0} - 1;

struct pipe_state {
  std::deque<std::byte> bytes;
  bool has_reader = true;
  bool has_writer = true;
  std::uint64_t version = 1;
};

class reading_end final : public channel {
 public:
  explicit reading_end(std::shared_ptr<pipe_state> of) : pipe_(std::move(of)) {}
  ~reading_end() override {
    pipe_->has_reader = false;
    ++pipe_->version;
  }
  reading_end(reading_end const&) = delete;
  reading_end& operator=(reading_end const&) = delete;
  std::int64_t read(std::span<std::byte> into, std::uint64_t) override {
    auto& bytes = pipe_->bytes;
    if (bytes.empty()) return pipe_->has_writer && !into.empty() ? -EAGAIN : 0;
    auto const count = static_cast<std::ptrdiff_t>(std::min(into.size(), bytes.size()));
    std::copy_n(bytes.begin(), count, into.begin());
    bytes.erase(bytes.begin(), bytes.begin() + count);
    ++pipe_->version;
    return count;
  }
  std::int64_t write(std::span<std::byte const>) override { return -EBADF; }
  [[nodiscard]] std::uint32_t ready(std::uint64_t) const override {
    return (pipe_->bytes.empty() ? 0U : std::uint32_t{EPOLLIN}) | (pipe_->has_writer ? 0U : std::uint32_t{EPOLLHUP});
  }
  [[nodiscard]] std::uint64_t version(std::uint64_t) const override { return pipe_->version; }

 private:
  std::shared_ptr<pipe_state> pipe_;
};

class writing_end final : public channel {
 public:
  explicit writing_end(std::shared_ptr<pipe_state> of) : pipe_(std::move(of)) {}
  ~writing_end() override {
    pipe_->has_writer = false;
    ++pipe_->version;
  }
  writing_end(writing_end const&) = delete;
  writing_end& operator=(writing_end const&) = delete;
  std::int64_t read(std::span<std::byte>, std::uint64_t) override { return -EBADF; }
  std::int64_t write(std::span<std::byte const> from) override {
    if (!pipe_->has_reader) return -EPIPE;
    std::size_t const room = pipe_bytes_max - pipe_->bytes.size();
    // What fits into an empty pipe is written as a whole.
    if (room == 0 || (from.size() <= pipe_bytes_max && from.size() > room)) return from.empty() ? 0 : -EAGAIN;
    std::size_t const count = std::min(room, from.size());
    if (count < std::min(from.size(), whole_bytes_max)) return -EAGAIN;
    pipe_->bytes.insert(pipe_->bytes.end(), from.begin(), from.begin() + static_cast<std::ptrdiff_t>(count));
    ++pipe_->version;
    return static_cast<std::int64_t>(count);
  }
  [[nodiscard]] std::uint32_t ready(std::uint64_t) const override {
    bool const has_room = pipe_bytes_max - pipe_->bytes.size() >= whole_bytes_max;
    return (has_room ? std::uint32_t{EPOLLOUT} : 0U) | (pipe_->has_reader ? 0U : std::uint32_t{EPOLLERR});
  }
  [[nodiscard]] std::uint64_t version(std::uint64_t) const override { return pipe_->version; }

 private:
  std::shared_ptr<pipe_state> pipe_;
};

std::int64_t put_number(std::uint64_t value, std::span<std::byte> into) {
  std::memcpy(into.data(), &value, sizeof value);
  return sizeof value;
}

}  // namespace

std::pair<std::shared_ptr<channel>, std::shared_ptr<channel>> make_pipe() {
  auto const state = std::make_shared<pipe_state>();
  return {std::make_shared<reading_end>(state), std::make_shared<writing_end>(state)};
}

std::int64_t event_counter::read(std::span<std::byte> into, std::uint64_t) {
  if (into.size() < sizeof value_) return -EINVAL;
  if (value_ == 0) return -EAGAIN;
  std::uint64_t const taken = by_one_ ? 1 : value_;
  value_ -= taken;
  ++version_;
  return put_number(taken, into);
}

std::int64_t event_counter::write(std::span<std::byte const> from) {
  std::uint64_t more = 0;
  if (from.size() < sizeof more) return -EINVAL;
  std::memcpy(&more, from.data(), sizeof more);
  if (more > counter_max) return -EINVAL;
  if (more > counter_max - value_) return -EAGAIN;
  value_ += more;
  ++version_;
  return sizeof more;
}

std::uint32_t event_counter::ready(std::uint64_t) const {
  return (value_ > 0 ? std::uint32_t{EPOLLIN} : 0U) | (value_ < counter_max ? std::uint32_t{EPOLLOUT} : 0U);
}

std::uint64_t expiry_timer::expired(std::uint64_t now_ns) const noexcept {
  if (now_ns < at_ns_) return 0;
  return interval_ns_ == 0 ? 1 : (now_ns - at_ns_) / interval_ns_ + 1;
}

std::pair<std::uint64_t, std::uint64_t> expiry_timer::setting(std::uint64_t now_ns) const noexcept {
  std::uint64_t const times = expired(now_ns);
  if (times == 0) return {at_ns_, interval_ns_};
  return {interval_ns_ == 0 ? never : at_ns_ + times * interval_ns_, interval_ns_};
}

std::int64_t expiry_timer::read(std::span<std::byte> into, std::uint64_t now_ns) {
  std::uint64_t const times = expired(now_ns);
  if (into.size() < sizeof times) return -EINVAL;
  if (times == 0) return -EAGAIN;
  at_ns_ = setting(now_ns).first;
  return put_number(times, into);
}

std::int64_t expiry_timer::write(std::span<std::byte const>) {
  return -EINVAL;
}

std::uint32_t expiry_timer::ready(std::uint64_t now_ns) const {
  return expired(now_ns) > 0 ? std::uint32_t{EPOLLIN} : 0U;
}

}  // namespace tess::machine
