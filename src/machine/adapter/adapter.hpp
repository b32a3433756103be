// adapter: a tile's network adapter: remote words and lines, DMA, and the queue of remote task invocations.
//
//   As a client it sends transactions to their homes: at most `outstanding` lines and as many others at a time; the
//   rest wait here. A home may need a line to answer a word, so lines wait for lines only.
//   As a server it passes arriving transactions to the tile's home at once, and answers when the home is done. It
//   accepts everything that arrives: the senders limit what is in flight, so nothing ever waits in a router for a home
//   (docs/internals/machine.md, 5).
//   Requests use the first virtual network; answers, unblocks and DMA data the second; invocations, DMA commands and
//   directory probes the third. Invocations and their answers use a network of their own if the machine has one. A full
//   task queue or a full accelerator queue refuses an invocation or a trigger, which keeps its slot at the sender and
//   is sent again. After many refusals in a row without any change at the home, the home holds the answer back until
//   the queue changes: so a machine in which everything waits becomes idle, and the deadlock is found. A DMA transfer
//   is run by the adapter of the source tile: it reads there, packet by packet, and sends each packet to the
//   destination's home, a few at a time. The requester is answered when all packets have been written.
//
// Units     cycles of the tile's clock.
// Errors    remote_outcome::wrong at the sender, for an address that the home does not have and for a misaligned DMA.
// Threads   one.
// Source    NEMESYS (MEMSYS 2019), section 3 (network adapter) and 4 (task spawn); CNI (IJPP 2012), section 3 (acks).
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "machine/adapter/transaction.hpp"
#include "machine/kernel/activity.hpp"
#include "machine/kernel/kernel.hpp"
#include "machine/network/network.hpp"

namespace tess::machine {

/// What a tile serves to others: words, lines and bytes.
class home {
 public:
  virtual ~home() = default;
  /// Performs a read, write, atomic or compare_swap and sets `status`; `finished` happens when it is complete.
  virtual void serve(transaction& request, event& finished) = 0;
  /// The same for a unit of this tile, without an adapter that could carry the request on to another part.
  virtual void access(transaction& request, event& finished) { serve(request, finished); }
  /// A write with an acknowledgement is complete, or refused for good. The answer follows.
  virtual void acknowledge(transaction& /*asked*/) {}
};

struct adapter_parameters {
  std::uint32_t request_cycles = 4;
  std::uint32_t response_cycles = 4;
  std::uint32_t header_bytes = 8;
  std::uint32_t outstanding = 16;
  std::uint32_t dma_packet_bytes = 64;
  std::uint32_t dma_packets = 4;
  std::uint32_t task_queue_entries = 16;
  std::uint32_t retry_cycles = 64;   ///< Before a refused invocation is sent again.
  std::uint32_t refusals_max = 256;  ///< After this many refusals the home answers only when its queue has changed.
};

class adapter : public packet_receiver {
 public:
  using task_message = std::array<std::byte, transaction::data_max>;
  struct statistics {
    std::uint64_t requests = 0;
    std::uint64_t served = 0;
    std::uint64_t refused = 0;  ///< Invocations and triggers that found our queue full.
    std::uint64_t dma_bytes = 0;
    picoseconds latency_ps = 0;  ///< Sum over all requests, including the wait for a slot.
    std::uint64_t loads = 0;     ///< Reads of words and lines among the requests,
    picoseconds load_ps = 0;
    std::uint64_t stores = 0;  ///< and writes, without DMA.
    picoseconds store_ps = 0;
    picoseconds busy_ps = 0;  ///< Time with a request of this tile or of another one in flight.
  };

  /// `mail`: the second network, for invocations; null: one network carries everything.
  adapter(kernel& k, network& noc, clock_domain clock, adapter_parameters const& parameters, std::uint32_t tile,
          home& local, network* mail = nullptr);

  /// Issues a transaction; it must stay in place until its `done` has happened.
  void issue(transaction& issued);
  /// The same for what must not wait for the clients' slots: directory probes, unblocks, and data of transfers.
  void issue_at_once(transaction& issued) { issue_for(issued, tile_); }
  /// The same, but the answer goes to another tile, whose part `done` is then.
  void issue_for(transaction& issued, std::uint32_t answered_at);

  /// Removes and returns the oldest invocation, if there is one.
  [[nodiscard]] std::optional<task_message> take_task();
  [[nodiscard]] std::size_t tasks() const noexcept { return tasks_.size(); }
  /// The invocations that wait there wait here instead.
  void take_over_tasks(adapter& from) { tasks_ = std::move(from.tasks_); }
  /// Called when an invocation arrives: wakes a hart.
  void on_task(std::function<void()> callback) { task_arrived_ = std::move(callback); }

  /// Called for a trigger, by the accelerator of a memory. False: its queue is full, and the sender tries again.
  void on_trigger(std::function<bool(task_message const&)> taken) { triggered_ = std::move(taken); }

  /// Called for a copy of a network interface whose source is here. False: its queue is full, and the sender tries
  /// again. At the copy's end, call respond().
  void on_copy(std::function<bool(transaction&)> taken) { copy_taken_ = std::move(taken); }
  /// Issues data whose sender limits its own packets in flight: it takes no slot of the clients.
  void issue_data(transaction& piece);
  /// The same for an interface's jobs, which enter the network as requests do.
  void issue_job(transaction& packet);
  /// Answers a transaction of another tile whose status is set.
  void respond(transaction& answered);
  /// A full queue here, which refuses, has changed.
  void queue_changed();
  /// Refused transactions whose answers are held back until then.
  [[nodiscard]] std::vector<transaction*> const& held_back() const noexcept { return held_back_; }

  /// From now on, every completed transaction is logged.
  void set_log(activity_log* log) noexcept { activity_ = {log, tile_}; }

  void arrived(packet const& whole) override;

  /// No transaction of this tile, and none of another one here, is under way.
  [[nodiscard]] bool idle() const noexcept { return at_work_ == 0; }
  [[nodiscard]] std::uint32_t tile() const noexcept { return tile_; }
  [[nodiscard]] statistics counted() const noexcept {
    statistics now = counted_;
    if (at_work_ != 0) now.busy_ps += kernel_.now() - busy_since_;
    return now;
  }

 private:
  static constexpr std::uint8_t requests = 0;
  static constexpr std::uint8_t responses = 1;
  static constexpr std::uint8_t control = 2;

  /// A transaction that arrived here and is being served.
  struct job : event {
    explicit job(adapter& owner_)
        : event([](event& self) { static_cast<job&>(self).owner.answer(static_cast<job&>(self)); }), owner(owner_) {}
    adapter& owner;
    transaction* request = nullptr;
  };

  struct moving_packet;
  /// A client's requests in flight, and those that wait for a slot.
  struct slots {
    std::uint32_t under_way = 0;
    std::deque<transaction*> waiting;
  };

  void begins() noexcept {
    if (at_work_++ == 0) busy_since_ = kernel_.now();
  }
  void ends() noexcept {
    if (--at_work_ == 0) counted_.busy_ps += kernel_.now() - busy_since_;
  }
  void count(transaction const& answered) noexcept;
  void post(transaction& sent);
  void send(transaction& sent);
  void serve(transaction& request);
  void answer(job& done);
  void returned(transaction& answered);
  void invoke(transaction& request);
  void trigger(transaction& request);
  [[nodiscard]] std::uint8_t class_of(transaction const& sent) const noexcept;
  [[nodiscard]] network& network_for(transaction const& sent) noexcept {
    return mail_ != nullptr && sent.what == remote_operation::invoke ? *mail_ : network_;
  }
  [[nodiscard]] bool holds_back(transaction& refused);
  process run_transfer(transaction& request);
  void copy(transaction& request);

  kernel& kernel_;
  network& network_;
  network* mail_;
  clock_domain clock_;
  adapter_parameters parameters_;
  std::uint32_t tile_;
  home& home_;
  slots words_;
  slots lines_;
  std::deque<job> jobs_;
  std::vector<job*> spare_jobs_;
  std::deque<task_message> tasks_;
  std::function<void()> task_arrived_;
  std::function<bool(task_message const&)> triggered_;
  std::function<bool(transaction&)> copy_taken_;
  std::uint64_t queue_changes_ = 0;
  std::vector<transaction*> held_back_;
  statistics counted_;
  std::uint64_t at_work_ = 0;  ///< Transactions in flight.
  picoseconds busy_since_ = 0;
  activity_source activity_;
};

}  // namespace tess::machine
