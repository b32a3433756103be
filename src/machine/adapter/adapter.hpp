// adapter: a tile's network adapter: remote words and lines, DMA, and the queue of remote task invocations.
//
//   As a client it sends transactions to their homes, at most `outstanding` lines and as many others at a time; more
//   wait here. A home may need a line to answer a word, so lines wait for lines only. As a server it hands what arrives
//   to the tile's home at once and answers when that is done. It takes in everything that arrives: what can be under
//   way is limited by its senders, so nothing ever waits in a router for a home (docs/internals/machine.md, 5).
//   Requests go by the first virtual network, answers, unblocks and DMA data by the second, invocations, DMA commands
//   and probes of a directory by the third; invocations and their answers by a network of their own where the machine
//   has one. The task queue may be full, and so may that of a memory's accelerator: then the invocation or the trigger
//   is refused, stays in its slot at the sender and is sent again. What was refused so often that nobody seems to empty
//   the queue is answered no more until something changes there: so a machine in which all wait comes to rest. A DMA is
//   run by the adapter of the tile where its source is: it reads there, packet by packet, and sends each packet to the
//   destination's home, a few at a time; whoever asked is told when all have been written.
//
// Units     cycles of the tile's clock.
// Errors    remote_outcome::wrong at the sender, for what the home does not have, and DMA that is not aligned to its
// packets. Threads   one. Source    NEMESYS (MEMSYS 2019), section 3 (network adapter) and 4 (task spawn); CNI (IJPP
// 2012), section 3 (acks).
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

/// What a tile has for others: its words, lines and bytes.
class home {
 public:
  virtual ~home() = default;
  /// Does a read, write, atomic or compare_swap; sets `status`; `finished` happens when it is done.
  virtual void serve(transaction& asked, event& finished) = 0;
  /// What has been written, or refused for good, names an acknowledgement; the answer follows.
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
  std::uint32_t retry_cycles = 64;   ///< Of a refused invocation.
  std::uint32_t refusals_max = 256;  ///< After so many the home answers when something has changed there.
};

class adapter : public packet_receiver {
 public:
  using task_message = std::array<std::byte, transaction::data_max>;
  struct statistics {
    std::uint64_t requests = 0;
    std::uint64_t served = 0;
    std::uint64_t refused = 0;  ///< Invocations and triggers that found our queue full.
    std::uint64_t dma_bytes = 0;
    picoseconds latency_ps = 0;  ///< Of all requests together, waiting here included.
    std::uint64_t loads = 0;     ///< Of them, words and lines that were read,
    picoseconds load_ps = 0;
    std::uint64_t stores = 0;  ///< and written, DMA apart.
    picoseconds store_ps = 0;
    picoseconds busy_ps = 0;  ///< In which it had something of its own tile or of others under way.
  };

  /// `mail`: the second network, for invocations; null: there is one for all.
  adapter(kernel& k, network& over, clock_domain clock, adapter_parameters const& made_of, std::uint32_t tile,
          home& local, network* mail = nullptr);

  /// Begins it; `issued` must stay until its `done` has happened.
  void issue(transaction& issued);
  /// The same for what must not wait for clients' requests: a directory's probes, unblocks, and data of transfers.
  void issue_at_once(transaction& issued);

  /// The oldest invocation, if there is one.
  [[nodiscard]] std::optional<task_message> take_task();
  [[nodiscard]] std::size_t tasks() const noexcept { return tasks_.size(); }
  /// Called whenever an invocation comes in: wakes a hart.
  void on_task(std::function<void()> told) { task_arrived_ = std::move(told); }

  /// Who takes triggers, as the accelerator of a memory does: false, it is full, and the sender tries again.
  void on_trigger(std::function<bool(task_message const&)> taken) { triggered_ = std::move(taken); }

  /// Who takes copies of network interfaces whose source is here: false, it is full, and the sender tries again. When
  /// the copy has ended, respond().
  void on_copy(std::function<bool(transaction&)> taken) { copy_taken_ = std::move(taken); }
  /// Data of who limits by itself how much of it is under way: no slot of the clients is taken.
  void issue_data(transaction& piece);
  /// The same of an interface's jobs, which take the way into the network that requests take.
  void issue_job(transaction& packet);
  /// The answer to what another tile asked, whose status is set.
  void respond(transaction& answered);
  /// Of what is full here, and refuses, something has changed.
  void changed();
  /// What was refused and is not answered before that.
  [[nodiscard]] std::vector<transaction*> const& kept() const noexcept { return kept_; }

  /// From now on, every transaction that has ended.
  void tell(activity_log* log) noexcept { activity_ = {log, tile_}; }

  void arrived(packet const& whole) override;

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

  /// Something that arrived here and is being done.
  struct job : event {
    explicit job(adapter& owner_)
        : event([](event& self) { static_cast<job&>(self).owner.answer(static_cast<job&>(self)); }), owner(owner_) {}
    adapter& owner;
    transaction* asked = nullptr;
  };

  struct dma_packet;
  /// Of clients: requests under way, and those that wait for one of them to end.
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
  void serve(transaction& asked);
  void answer(job& done);
  void returned(transaction& answered);
  void invoke(transaction& asked);
  void trigger(transaction& asked);
  [[nodiscard]] std::uint8_t class_of(transaction const& sent) const noexcept;
  [[nodiscard]] network& way_of(transaction const& sent) noexcept {
    return mail_ != nullptr && sent.what == remote_operation::invoke ? *mail_ : network_;
  }
  [[nodiscard]] bool keeps(transaction& refused);
  process run_transfer(transaction& asked);
  void copy(transaction& asked);

  kernel& kernel_;
  network& network_;
  network* mail_;
  clock_domain clock_;
  adapter_parameters made_of_;
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
  std::uint64_t changes_ = 0;
  std::vector<transaction*> kept_;
  statistics counted_;
  std::uint64_t at_work_ = 0;  ///< What is under way.
  picoseconds busy_since_ = 0;
  activity_teller activity_;
};

}  // namespace tess::machine
