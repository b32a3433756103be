// dram: one DRAM channel with its controller: queues, FR-FCFS scheduling, open rows, refresh. Timing only, no data.
//
//   One command per cycle. Among allowed commands, column commands to open rows come first, then the oldest request's.
//   A row is not closed while a queued request hits it. Reads have priority; writes are collected and drained when half
//   their queue is full or no read waits. A read of a line that waits to be written is served by the queue. Every
//   refresh interval a rank is closed and refreshed before anything else.
//
// Units     picoseconds outside, cycles of the DRAM's clock inside. Addresses are offsets within this channel.
// Errors    try_access() returns false when the queue is full.
// Cost      about three events per access; the queue is searched for every command.
// Threads   one.
// Source    S. Rixner et al., "Memory access scheduling", ISCA 2000 (FR-FCFS).
// Test      latency and bandwidth against DRAMsim3 and Ramulator 2.1 (tests/machine/dram/dram_test.cpp).
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "machine/dram/currents.hpp"
#include "machine/dram/rules.hpp"
#include "machine/kernel/kernel.hpp"

namespace tess::machine {

class dram {
 public:
  struct statistics {
    std::uint64_t reads = 0;
    std::uint64_t writes = 0;
    std::uint64_t column_commands = 0;
    std::uint64_t write_commands = 0;  ///< Those that write.
    std::uint64_t activates = 0;       ///< Column commands minus activates are row hits.
    std::uint64_t row_conflicts = 0;   ///< Rows closed for another one.
    std::uint64_t refreshes = 0;
    std::uint64_t busy_cycles = 0;  ///< In which the data bus was in use.
    std::uint64_t latency_ps = 0;   ///< Sum over all reads.
  };

  dram(kernel& k, dram_parameters const& parameters);
  dram(dram const&) = delete;
  dram& operator=(dram const&) = delete;

  /// One burst. `done` happens when a read's data is there, or a write is queued. False: the queue is full, and nothing
  /// happened.
  [[nodiscard]] bool try_access(std::uint64_t address, bool write, event& done);
  /// Notifies once, when the next queue entry becomes free.
  void tell_of_room(event& vacancy) { vacancies_.push_back(&vacancy); }

  [[nodiscard]] statistics const& counted() const noexcept { return counted_; }
  [[nodiscard]] dram_parameters const& parameters() const noexcept { return parameters_; }
  /// Up to now, with the refreshes of an idle time.
  [[nodiscard]] dram_activity activity() const noexcept;

 private:
  static constexpr std::uint32_t closed = ~std::uint32_t{0};
  static constexpr std::uint64_t never = ~std::uint64_t{0};

  struct request {
    dram_address at;
    std::uint64_t line;
    event* done;  ///< Null for writes, which are done when queued.
    picoseconds came;
  };
  struct rank_state {
    std::uint64_t refresh_due;
    std::vector<std::uint32_t> open_rows;  ///< By bank.
    std::uint32_t open = 0;
    std::uint64_t open_from = 0;  ///< If rows are open: since this cycle.
  };
  struct tick : event {
    explicit tick(dram& owner_) : event([](event& self) { static_cast<tick&>(self).fire(); }), owner(owner_) {}
    void fire();
    dram& owner;
  };
  struct choice {
    std::uint64_t cycle = ~std::uint64_t{0};  ///< Earliest possible.
    std::size_t index = 0;
    dram_command command = dram_command::read;
  };

  void work();
  void plan(std::uint64_t cycle);
  [[nodiscard]] std::uint64_t cycle_at_or_after(picoseconds time) const noexcept;
  [[nodiscard]] bool refreshing(std::uint32_t rank, std::uint64_t cycle) const noexcept {
    return cycle >= ranks_[rank].refresh_due;
  }
  /// Accounts for the refreshes of an idle time.
  void catch_up(std::uint64_t cycle);
  std::uint64_t refresh(std::uint64_t cycle, bool& issued);
  [[nodiscard]] std::uint64_t first_refresh() const noexcept;
  /// The last open row of the rank was closed.
  void count_open(rank_state& rank, std::uint64_t cycle) noexcept {
    open_cycles_ += cycle - std::min(cycle, rank.open_from);
  }
  void issue_refresh(dram_command command, std::uint32_t rank, std::uint64_t cycle);
  [[nodiscard]] choice choose(std::vector<request> const& queue, bool writes, std::uint64_t cycle) const;
  [[nodiscard]] std::uint64_t bank_bit(dram_address const& at) const noexcept {
    return std::uint64_t{1} << (at.rank * parameters_.banks + at.bank);
  }
  void issue(std::vector<request>& queue, choice const& chosen, std::uint64_t cycle);
  /// The decision to drain writes is made in the cycle after each command, and at every new request.
  [[nodiscard]] bool turned() const noexcept;
  void take_turn() noexcept;
  [[nodiscard]] bool drains(bool draining) const noexcept { return !writes_.empty() && (draining || reads_.empty()); }
  /// The next cycle for a command, if no request arrives and no refresh is due.
  [[nodiscard]] std::uint64_t next_chance();

  kernel& kernel_;
  dram_parameters parameters_;
  dram_rules rules_;
  std::vector<rank_state> ranks_;
  std::uint64_t first_refresh_ = 0;  ///< The earliest due refresh.
  std::vector<request> reads_;       ///< Oldest first.
  std::vector<request> writes_;      ///< Oldest first.
  bool draining_ = false;
  bool turn_over_ = false;          ///< To be decided at next_command_.
  std::uint64_t next_command_ = 0;  ///< Cycle from which the command bus is free.
  std::vector<event*> vacancies_;
  choice ahead_;  ///< What choose() will say at its cycle; never, if a request came since then.

  std::deque<tick> ticks_;
  std::vector<tick*> spare_ticks_;
  std::uint64_t planned_ = ~std::uint64_t{0};  ///< The earliest scheduled tick.
  std::uint64_t open_cycles_ = 0;              ///< Sum over the ranks, without those that are open.
  statistics counted_;
};

}  // namespace tess::machine
