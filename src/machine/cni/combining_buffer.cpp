// combining_buffer: combining, and stores in flight.
#include "machine/cni/combining_buffer.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tess::machine {
namespace {

static_assert(registers::cni::line_bytes <= transaction::data_max);

}  // namespace

combining_buffer::combining_buffer(kernel& k, adapter& way, picoseconds idle_ps, std::uint32_t posted_max,
                                   std::function<void(transaction const&)> failed)
    : event([](event& self) { static_cast<combining_buffer&>(self).idle_for_long(); }),
      kernel_(k),
      adapter_(way),
      idle_ps_(idle_ps),
      posted_max_(posted_max),
      failed_(std::move(failed)) {}

bool combining_buffer::continues(std::uint64_t address, std::size_t bytes) const noexcept {
  return bytes_ != 0 && address == first_ + bytes_ &&
         (address + bytes - 1) / registers::cni::line_bytes == first_ / registers::cni::line_bytes;
}

bool combining_buffer::store(std::uint32_t target, std::uint64_t address, std::span<std::byte const> value,
                             bool combines, event& again) {
  bool const joins = combines && continues(address, value.size());
  if (!joins && !flush()) {
    waiting_.push_back(&again);
    return false;
  }
  bool const crosses =
      address / registers::cni::line_bytes != (address + value.size() - 1) / registers::cni::line_bytes;
  if (!combines || crosses) {
    if (is_full()) {
      waiting_.push_back(&again);
      return false;
    }
    send(target, address, value);
    return true;
  }
  if (!joins) {
    first_ = address;
    target_ = target;
  }
  std::ranges::copy(value, data_.begin() + static_cast<std::ptrdiff_t>(bytes_));
  bytes_ += value.size();
  if ((first_ + bytes_) % registers::cni::line_bytes == 0 && flush()) return true;
  flush_at_ = kernel_.now() + idle_ps_;
  if (!std::exchange(timer_runs_, true)) kernel_.at(flush_at_, *this);
  return true;
}

void combining_buffer::idle_for_long() {
  timer_runs_ = false;
  if (bytes_ == 0) return;
  if (flush_at_ <= kernel_.now()) {
    (void)flush();  // if too many are in flight, the end of one of them flushes
    return;
  }
  timer_runs_ = true;
  kernel_.at(flush_at_, *this);
}

bool combining_buffer::flush() {
  if (bytes_ == 0) return true;
  if (is_full()) return false;
  send(target_, first_, std::span(data_).first(bytes_));
  bytes_ = 0;
  return true;
}

void combining_buffer::send(std::uint32_t target, std::uint64_t address, std::span<std::byte const> value) {
  if (spare_.empty()) {
    posted& made = all_.emplace_back(*this);
    made.sent.done = &made;
    spare_.push_back(&made);
  }
  transaction& sent = spare_.back()->sent;
  spare_.pop_back();
  sent.what = remote_operation::write;
  sent.part = cni_message{};
  sent.target = target;
  sent.address = address;
  sent.bytes = value.size();
  std::ranges::copy(value, sent.data.begin());
  ++under_way_;
  adapter_.issue(sent);
}

void combining_buffer::ended(posted& one) {
  --under_way_;
  spare_.push_back(&one);
  if (one.sent.status != remote_outcome::done) failed_(one.sent);
  if (bytes_ != 0 && !timer_runs_) (void)flush();
  for (event* const waiting : std::exchange(waiting_, {})) kernel_.after(0, *waiting);
}

bool combining_buffer::drain(event& again) {
  (void)flush();
  if (bytes_ == 0 && under_way_ == 0) return true;
  waiting_.push_back(&again);
  return false;
}

}  // namespace tess::machine
