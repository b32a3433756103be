// place: one place of this process on UCX: its segment, its UCP worker, its connections, what waits and what came.
//
//   Messages and notifications between places that map each other's memory go through their mailboxes; the rest is:
//   Everything of UCX happens under the place's lock. What an arriving packet ends is noted there and acknowledged
//   after the lock is given back; messages wait in the inbox until poll(). Requests take credit, which the receiver
//   gives back when they were delivered: a sender has at most `message_memory` bytes of them under way.
//
// Threads  any; a thread that only wants progress does not wait for another that makes it.
// Cost     an operation: one lock, one packet, an entry of the table. Connections are made on first use.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "fabric/mailbox.hpp"
#include "fabric/segment.hpp"
#include "fabric/ucx/library.hpp"
#include "fabric/ucx/operations.hpp"
#include "fabric/ucx/packet.hpp"

namespace tess::detail {

/// What all places of the process share.
struct ucx_job {
  ucx_library const& ucx;
  ucp_context_h context;
  place_id places;
  std::uint64_t message_memory;
  std::vector<std::vector<std::byte>> addresses;                ///< of the UCP workers, by place
  std::unique_ptr<std::atomic<bool>[]> failed;                  ///< by place
  std::function<void(place_id, char const*)> on_failure;        ///< a place does not answer, and how that showed
  std::function<void(place_id at, place_id by)> on_alive;       ///< a heartbeat came
  std::function<void(place_id at, place_id whom)> on_asleep{};  ///< who reads there sleeps, and is to be woken
  mailbox::directory mailboxes{};                               ///< by place; empty: there are none
};

class ucx_place {
 public:
  struct message {
    place_id source = 0;
    std::uint32_t cost = 0;
    std::vector<std::byte> bytes;
  };

  ucx_place(ucx_job& job, place_id id, bool shared);
  ~ucx_place();
  ucx_place(ucx_place const&) = delete;
  ucx_place& operator=(ucx_place const&) = delete;

  [[nodiscard]] place_id id() const noexcept { return id_; }
  [[nodiscard]] detail::segment& memory() noexcept { return memory_; }
  [[nodiscard]] detail::segment const& memory() const noexcept { return memory_; }
  [[nodiscard]] std::vector<std::byte> address() const;
  [[nodiscard]] int event_file() const noexcept { return event_file_; }
  /// Makes the mailbox; the job's directory must have its size.
  void make_mailbox();
  /// From now on all mailboxes of the directory may be used.
  void open_mailbox() noexcept;

  // Operations on other places.
  void word(word_request const& request, std::uint64_t (&result)[2], completion& done);
  void put(std::span<std::byte const> source, std::uint64_t target, completion* local, std::uint64_t notified);
  void get(std::uint64_t source, std::span<std::byte> target, completion* local);
  void copy(std::uint64_t source, std::uint64_t target, std::size_t bytes, completion* local);
  [[nodiscard]] bool try_send(place_id to, message_class cls, std::span<std::byte const> bytes);
  /// Tells a completion of another place by its mailbox; false: it must be told by a put.
  [[nodiscard]] bool notify(std::uint64_t cell);
  void say_alive(place_id to);
  void say_called(place_id to);
  void say_failed(place_id to, place_id failed);

  /// What came to the mailbox: delivers at most `budget` messages. `served_others`: notifications came.
  unsigned deliver_mail(unsigned budget, message_sink& sink, bool& served_others);
  /// The same, to where messages wait for pop().
  void take_in_mail();
  /// Where everybody has a mailbox, little comes by UCX, and looking for it takes longer than a message.
  [[nodiscard]] bool progress_due() noexcept;
  /// Moves everything on; true if an operation ended or a message came. `wait`: for the lock, too.
  bool progress(bool wait = false);
  [[nodiscard]] bool pop(message& m);
  void delivered(message&& m);
  /// Credit that was gathered goes back.
  void return_credit();
  [[nodiscard]] bool empty() const noexcept {
    return waiting_.load(std::memory_order_seq_cst) == 0 && (mail_ == nullptr || mail_->empty());
  }
  /// Around the sleep of a thread that reads here.
  void begin_sleep() noexcept;
  void end_sleep() noexcept;
  /// Somebody was to be woken; at most once for each time.
  [[nodiscard]] bool take_called() noexcept {
    return called_.load(std::memory_order_relaxed) && called_.exchange(false, std::memory_order_relaxed);
  }
  /// Whoever was to sleep is to look for more first.
  [[nodiscard]] bool took_served() noexcept {
    return served.load(std::memory_order_relaxed) && served.exchange(false, std::memory_order_relaxed);
  }
  /// The event file will tell of what comes next; false: there is something to progress first.
  [[nodiscard]] bool arm();
  /// Nothing that was sent waits in this process any more.
  [[nodiscard]] bool all_sent() const noexcept { return sending_.load(std::memory_order_acquire) == 0; }
  /// Operations on a failed place end, now and from now on.
  void end_operations_on(place_id failed);

  /// What UCX calls for each packet, inside progress().
  static ucs_status_t receive(void* arg, void const* header, std::size_t header_bytes, void* data, std::size_t bytes,
                              ucp_am_recv_param_t const* param);

  std::atomic<std::uint64_t> polls{0};
  std::atomic<bool> watched{false};  ///< a sleeper looks at the event file
  std::atomic<bool> served{false};   ///< progress() did something when its caller was about to sleep

 private:
  struct sending {
    packet head;
    ucx_place* owner;
    std::vector<std::byte> bytes;  ///< of messages and words
    sending* next;
  };
  struct arriving {
    packet head;
    ucx_place* owner;
    void* descriptor;
    std::vector<std::byte> bytes;  ///< of messages and words
    std::span<std::byte> target;
  };
  struct ending {
    completion* cell;
    std::uint64_t failure;
  };

  // mail.cpp
  [[nodiscard]] bool mail_reaches(place_id to) const noexcept {
    return mail_ != nullptr && mail_->reaches(to) && !job_.failed[to].load(std::memory_order_relaxed);
  }
  void wake_reader(place_id to);
  bool take_notification(mailbox::received const& m);

  // place.cpp
  ucp_ep_h endpoint_to(place_id to);
  sending* take_sending(packet_kind kind);
  void send(place_id to, packet const& head, std::span<std::byte const> data = {});
  void send_message(place_id to, std::uint32_t cost, std::span<std::byte const> bytes);
  void start(place_id to, sending* s, std::span<std::byte const> data);
  void end_sending(sending* s) noexcept;
  static void sent(void* request, ucs_status_t status, void* user);
  void acknowledge_ended(std::vector<ending>& ended);
  void store(message&& m);
  std::vector<std::byte> take_bytes(std::size_t size);
  void give_back(place_id by, std::uint64_t credit) noexcept;
  void end_failed(ucx_operation const& o, std::uint64_t failure);

  // words.cpp
  template <class Entry>
  static void append(sending& s, Entry const& e) {
    auto const bytes = std::as_bytes(std::span(&e, 1));
    s.bytes.insert(s.bytes.end(), bytes.begin(), bytes.end());
  }
  void flush_words(place_id to);
  void flush_all_words();
  void take_words(packet const& p, std::span<std::byte const> data);
  void take_word_results(std::span<std::byte const> data);

  // receive.cpp
  ucs_status_t take(packet const& p, std::span<std::byte const> data, void* descriptor, std::size_t bytes);
  [[nodiscard]] bool place_for(packet const& p, std::size_t bytes, std::span<std::byte>& target,
                               std::vector<std::byte>& room);
  void take_short(packet const& p);
  void take_copy(packet const& p);
  void finish(packet const& p, std::vector<std::byte>&& message_bytes, std::span<std::byte const> words);
  void end(std::uint64_t cookie, std::uint64_t failure);
  void receive_rest(std::unique_ptr<arriving> a);
  static void received(void* request, ucs_status_t status, std::size_t bytes, void* user);
  [[nodiscard]] std::byte* own(std::uint64_t address, std::uint64_t bytes) const noexcept;
  void refuse(packet const& p, char const* why) noexcept;

  ucx_job& job_;
  place_id id_;
  detail::segment memory_;
  ucp_worker_h worker_ = nullptr;
  int event_file_ = -1;
  std::mutex mutex_;  ///< of all that follows
  std::vector<ucp_ep_h> endpoints_;
  ucx_operations operations_;
  std::vector<sending*> words_to_;   ///< by place: gathered, not sent; null: none
  std::vector<place_id> words_for_;  ///< where there are some
  sending* free_sendings_ = nullptr;
  std::vector<std::unique_ptr<sending>> all_sendings_;
  std::vector<std::unique_ptr<arriving>> late_;  ///< whose data is to be fetched when UCX returns
  std::vector<ending> ended_;
  bool came_ = false;     ///< something to do, or an answer
  unsigned refused_ = 0;  ///< packets
  static constexpr unsigned refusals_told = 20;

  std::unique_ptr<mailbox> mail_;        ///< null: none
  bool all_by_mail_ = false;             ///< every place of the job is reached so
  std::atomic<std::uint32_t> looks_{0};  ///< polls before UCX is looked at again
  std::atomic<bool> called_{false};
  std::atomic<std::uint64_t> sending_{0};
  std::atomic<std::uint64_t> under_way_{0};                     ///< credit taken
  std::unique_ptr<std::atomic<std::uint64_t>[]> under_way_to_;  ///< by place: what its failure gives back
  std::mutex inbox_mutex_;
  std::deque<message> inbox_;
  std::vector<std::vector<std::byte>> spare_;
  std::vector<std::uint32_t> owed_;  ///< credit, by place
  std::vector<place_id> owed_to_;
  std::atomic<std::size_t> waiting_{0};
  std::atomic<bool> owes_{false};
};

}  // namespace tess::detail
