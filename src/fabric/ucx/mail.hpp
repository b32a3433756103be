// mail: the mailbox of a place, where its process maps the memory of others; and when UCX need not be looked at.
//
//   A sleeping reader waits on files, its doorbell among them. Notifications and replies that find no room wait here,
//   since UCX would make a connection for each pair of places.
//
// Threads  any, after open().
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "fabric/mailbox.hpp"
#include "fabric/segment.hpp"
#include "fabric/ucx/job.hpp"
#include "tess/detail/words/global_address.hpp"

namespace tess::detail {

class ucx_mail {
 public:
  ucx_mail(ucx_job& job, place_id id) : job_(job), id_(id) {}

  /// Makes the mailbox; the job's directory must have its size.
  void make(segment& memory) {
    auto* const shared = reinterpret_cast<mailbox_memory*>(memory.behind());
    box_ = std::make_unique<mailbox>(job_.mailboxes, id_, *shared, job_.message_memory, job_.failed.get());
  }
  /// From now on all mailboxes of the directory may be used.
  void open() noexcept {
    reaches_all_ = std::ranges::all_of(job_.mailboxes, [](mailbox_memory const* m) { return m != nullptr; });
    box_->open();
  }

  [[nodiscard]] bool reaches(place_id to) const noexcept {
    return box_ != nullptr && box_->reaches(to) && !job_.has_failed(to);
  }
  /// To a place that it reaches. False: no room.
  [[nodiscard]] bool send(place_id to, std::span<std::byte const> bytes) {
    if (!box_->send(to, bytes)) return false;
    wake_reader(to);
    return true;
  }
  [[nodiscard]] std::byte* lend(place_id to) noexcept { return reaches(to) ? box_->lend() : nullptr; }
  void give_back(std::byte* lent) noexcept { box_->give_back(lent); }
  void drop(std::span<std::byte const> bytes) noexcept {
    if (box_ != nullptr && box_->lends(bytes.data())) box_->give_back(const_cast<std::byte*>(bytes.data()));
  }
  /// The same for a message that may wait.
  void send_later(place_id to, std::span<std::byte const> bytes) { wait({to, 0, {bytes.begin(), bytes.end()}}); }
  /// Acknowledges a completion of another place, perhaps later; false: it must be done by a put.
  [[nodiscard]] bool notify(std::uint64_t address) {
    place_id const to = place_of(address);
    if (!reaches(to)) return false;
    if (!send(waiting{to, address, {}})) wait({to, address, {}});
    return true;
  }
  /// Sends what has waited, as far as there is room, unless another thread does.
  void send_waiting() {
    if (all_sent()) return;
    std::unique_lock const lock(waiting_mutex_, std::try_to_lock);
    if (!lock) return;
    // A place that failed, or ends, reads nothing.
    std::erase_if(waiting_, [this](waiting const& w) { return !reaches(w.to) || send(w); });
    waiting_count_.store(waiting_.size(), std::memory_order_release);
  }
  [[nodiscard]] bool all_sent() const noexcept { return waiting_count_.load(std::memory_order_acquire) == 0; }
  [[nodiscard]] bool pop(mailbox::received& m) noexcept { return box_ != nullptr && box_->pop(m); }
  void done(mailbox::received const& m) noexcept { box_->done(m); }
  void prepare_answer(mailbox::received const& m) const noexcept { box_->prepare_answer(m); }
  [[nodiscard]] bool empty() const noexcept { return box_ == nullptr || box_->empty(); }

  void begin_sleep() noexcept {
    if (box_ != nullptr) box_->begin_sleep();
  }
  void end_sleep() noexcept {
    if (box_ != nullptr) box_->end_sleep();
  }
  void hear_again() noexcept {
    if (box_ != nullptr) box_->hear_again();
  }
  /// What others still send here is not read any more.
  void close() noexcept {
    if (box_ != nullptr) box_->close();
  }
  void give_up(place_id failed) noexcept {
    if (box_ != nullptr) box_->give_up(failed);
  }

  /// If all places have mailboxes, little arrives by UCX, and one progress takes longer than a message.
  [[nodiscard]] bool progress_due() noexcept {
    if (!reaches_all_) return true;
    std::uint32_t const left = polls_left_.load(std::memory_order_relaxed);
    polls_left_.store(left == 0 ? polls_skipped : left - 1, std::memory_order_relaxed);
    return left == 0;
  }
  /// A place that answers by UCX will send more.
  void expect_more() noexcept { polls_left_.store(0, std::memory_order_relaxed); }

 private:
  /// Polls without progress by UCX while everything comes by mailboxes.
  static constexpr std::uint32_t polls_skipped = 15;

  struct waiting {
    place_id to;
    std::uint64_t notified;  ///< 0: it is a message
    std::vector<std::byte> bytes;
  };

  bool send(waiting const& w) {
    if (w.notified == 0) return send(w.to, w.bytes);
    if (!box_->notify(w.to, w.notified)) return false;
    wake_reader(w.to);
    return true;
  }
  void wait(waiting&& w) {
    {
      std::lock_guard const lock(waiting_mutex_);
      waiting_.push_back(std::move(w));
      waiting_count_.store(waiting_.size(), std::memory_order_release);
    }
    // A thread of this place that sleeps on files would not know.
    job_.wake_reader(id_);
  }
  void wake_reader(place_id to) {
    if (box_->must_wake(to)) job_.wake_reader(to);
  }

  ucx_job& job_;
  place_id id_;
  std::unique_ptr<mailbox> box_;  ///< null: none
  bool reaches_all_ = false;
  std::atomic<std::uint32_t> polls_left_{0};
  std::mutex waiting_mutex_;
  std::vector<waiting> waiting_;
  std::atomic<std::size_t> waiting_count_{0};
};

}  // namespace tess::detail
