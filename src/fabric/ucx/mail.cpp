// mail: the mailbox of a place: what is sent and read there, and who is woken for it.
//
//   A reader that sleeps waits for files, UCX's among them: it is woken by a packet.
#include <algorithm>

#include "fabric/ucx/place.hpp"

namespace tess::detail {

namespace {

/// Polls without a look at UCX where all messages come by mailboxes: what comes by UCX then can wait.
constexpr std::uint32_t looks_spared = 15;

}  // namespace

void ucx_place::make_mailbox() {
  auto* const memory = reinterpret_cast<mailbox_memory*>(memory_.behind());
  mail_ = std::make_unique<mailbox>(job_.mailboxes, id_, *memory, job_.message_memory, job_.failed.get());
}

void ucx_place::open_mailbox() noexcept {
  all_by_mail_ = std::ranges::all_of(job_.mailboxes, [](mailbox_memory const* m) { return m != nullptr; });
  mail_->open();
}

bool ucx_place::progress_due() noexcept {
  if (!all_by_mail_) return true;
  std::uint32_t const left = looks_.load(std::memory_order_relaxed);
  looks_.store(left == 0 ? looks_spared : left - 1, std::memory_order_relaxed);
  return left == 0;
}

void ucx_place::wake_reader(place_id to) {
  if (mail_->must_call(to)) job_.on_asleep(id_, to);
}

bool ucx_place::notify(std::uint64_t cell) {
  auto const to = static_cast<place_id>(cell >> 48U);
  if (!mail_reaches(to) || !mail_->notify(to, cell)) return false;
  wake_reader(to);
  return true;
}

unsigned ucx_place::deliver_mail(unsigned budget, message_sink& sink, bool& served_others) {
  if (mail_ == nullptr) return 0;
  unsigned delivered = 0;
  // Notifications come one for each of a place's operations: they have the same bound, each for itself.
  unsigned others = 0;
  for (mailbox::received m; delivered < budget && others < budget && mail_->pop(m);) {
    if (take_notification(m)) {
      ++others;
      continue;
    }
    // What a failed place said before it failed was taken in already.
    if (!job_.failed[m.source].load(std::memory_order_relaxed)) {
      ++delivered;
      sink.deliver(id_, m.source, m.view());
    }
    mail_->done(m);
  }
  served_others = others != 0;
  return delivered;
}

void ucx_place::take_in_mail() {
  if (mail_ == nullptr) return;
  mailbox::received m;
  // Others go on sending; what was there when we began is among the first.
  for (unsigned i = 0; i < mailbox_memory::slots_count && mail_->pop(m); ++i) {
    if (take_notification(m)) continue;
    std::vector<std::byte> bytes = take_bytes(m.bytes);
    std::ranges::copy(m.view(), bytes.begin());
    mail_->done(m);
    store({m.source, 0, std::move(bytes)});
  }
}

/// False: it is a message.
bool ucx_place::take_notification(mailbox::received const& m) {
  if (m.what == mailbox::sort::message || m.what == mailbox::sort::large_message) return false;
  packet p{};
  p.source = m.source;
  std::byte* const cell = m.what == mailbox::sort::notification ? own(m.address(), sizeof(completion)) : nullptr;
  if (cell == nullptr || m.address() % alignof(completion) != 0) {
    std::lock_guard const lock(mutex_);
    refuse(p, "no message and no notification in its mailbox");
  } else if (!job_.failed[m.source].load(std::memory_order_relaxed)) {
    reinterpret_cast<completion*>(cell)->acknowledge(1);
  }
  return true;
}

void ucx_place::begin_sleep() noexcept {
  if (mail_ != nullptr) mail_->begin_sleep();
}

void ucx_place::end_sleep() noexcept {
  if (mail_ != nullptr) mail_->end_sleep();
}

}  // namespace tess::detail
