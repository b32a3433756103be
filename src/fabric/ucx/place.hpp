// place: one place of this process on UCX: its segment, the operations that it issues, and what arrives for it.
//
//   Messages and notifications between places that map each other's memory go through their mailboxes; everything else
//   goes by UCX, under the place's lock. Completions that an arriving packet ends are acknowledged after the lock is
//   released; messages wait in the inbox until poll(). Requests take credit, which the receiver gives back after
//   delivery: a sender has at most `message_memory` bytes of them under way.
//
// Threads  any; a thread that only wants progress does not wait for another one that makes it.
// Cost     an operation: one lock, one packet, an entry of the table.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "fabric/segment.hpp"
#include "fabric/ucx/credit.hpp"
#include "fabric/ucx/inbox.hpp"
#include "fabric/ucx/job.hpp"
#include "fabric/ucx/mail.hpp"
#include "fabric/ucx/notices.hpp"
#include "fabric/ucx/operations.hpp"
#include "fabric/ucx/receiver.hpp"
#include "fabric/ucx/transport.hpp"
#include "fabric/ucx/word_batches.hpp"

namespace tess::detail {

class ucx_place {
 public:
  ucx_place(ucx_job& job, place_id id, bool shared, segment_part in = {});
  ~ucx_place();
  ucx_place(ucx_place const&) = delete;
  ucx_place& operator=(ucx_place const&) = delete;

  [[nodiscard]] place_id id() const noexcept { return id_; }
  [[nodiscard]] detail::segment& memory() noexcept { return memory_; }
  [[nodiscard]] detail::segment const& memory() const noexcept { return memory_; }
  [[nodiscard]] std::vector<std::byte> address() const { return transport_.address(); }
  [[nodiscard]] int event_file() const noexcept { return transport_.event_file(); }
  void make_mailbox() { mail_.make(memory_); }
  void open_mailbox() noexcept { mail_.open(); }

  // Operations on other places.
  void word(word_request const& request, std::uint64_t (&result)[2], completion& done);
  void put(std::span<std::byte const> source, std::uint64_t target, completion* local, std::uint64_t notified);
  void get(std::uint64_t source, std::span<std::byte> target, completion* local);
  void copy(std::uint64_t source, std::uint64_t target, std::size_t bytes, completion* local);
  [[nodiscard]] bool try_send(place_id to, message_class cls, std::span<std::byte const> bytes);
  [[nodiscard]] std::byte* lend(place_id to) noexcept { return mail_.lend(to); }
  void give_back(std::byte* lent) noexcept { mail_.give_back(lent); }
  /// A message that nobody will read.
  void drop(std::span<std::byte const> bytes) noexcept { mail_.drop(bytes); }
  /// By mail; false: it must be done by a put.
  [[nodiscard]] bool notify(std::uint64_t address) { return mail_.notify(address); }
  void send_heartbeat(place_id to) { send(to, make_packet(packet_kind::heartbeat, id_)); }
  void send_notice(ucx_notices::message const& m);

  /// Delivers at most `budget` messages of the mailbox. `served_others`: there were notifications by other places.
  unsigned deliver_mail(unsigned budget, message_sink& sink, bool& served_others);
  /// Delivers at most `budget` messages that came by UCX.
  unsigned deliver_inbox(unsigned budget, message_sink& sink);
  /// Everything that was in the mailbox before the call goes to the inbox.
  void take_in_mail();
  [[nodiscard]] bool progress_due() noexcept { return mail_.progress_due(); }
  /// Moves everything on; true if an operation ended or a message arrived. `wait`: for the lock, too.
  bool progress(bool wait = false);
  /// A packet as UCX hands it over: for tests.
  [[nodiscard]] ucs_status_t receive(void const* header, std::size_t header_bytes, void* data, std::size_t bytes) {
    ucp_am_recv_param_t const param{};
    return ucx_receiver::receive(&receiver_, header, header_bytes, data, bytes, &param);
  }
  /// Credit of delivered messages goes back.
  void return_credit();
  [[nodiscard]] bool empty() const noexcept { return inbox_.empty() && mail_.empty(); }
  /// Around the sleep of a thread that reads here.
  void begin_sleep() noexcept { mail_.begin_sleep(); }
  void end_sleep() noexcept { mail_.end_sleep(); }
  /// Its bell rang, and it may sleep on.
  void hear_again() noexcept { mail_.hear_again(); }
  void close_mailbox() noexcept { mail_.close(); }
  /// progress() did something just before its caller wanted to sleep.
  [[nodiscard]] bool take_served() noexcept {
    return served.load(std::memory_order_relaxed) && served.exchange(false, std::memory_order_relaxed);
  }
  /// The event file will report what arrives next; false: there is something to progress first.
  [[nodiscard]] bool arm();
  /// No packet of this place is with UCX any more, and none waits.
  [[nodiscard]] bool all_sent() const noexcept { return transport_.all_sent() && mail_.all_sent(); }
  /// Operations on a failed place end, now and from now on.
  void end_operations_on(place_id failed);

  std::atomic<std::uint64_t> polls{0};
  std::atomic<bool> watched{false};  ///< a sleeper waits on the event file
  std::atomic<bool> served{false};   ///< see take_served()

 private:
  void send(place_id to, packet const& p);
  bool take_notification(mailbox::received const& m);

  ucx_job& job_;
  place_id id_;
  detail::segment memory_;
  ucx_credit credit_;
  ucx_inbox inbox_;
  ucx_mail mail_;
  std::mutex mutex_;  ///< guards what follows
  ucx_operations operations_;
  ucx_transport transport_;
  ucx_word_batches words_;
  ucx_receiver receiver_;
};

}  // namespace tess::detail
