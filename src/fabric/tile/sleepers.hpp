// sleepers: lets the harts of a tile sleep until something arrives or another hart wakes them.
//
//   A hart sleeps by LR and `wrs.nto` (Zawrs) until a word is written, if the word has not changed since before the
//   hart looked for work; so nothing that arrives after that look is missed. One sleeping hart, the watcher, waits on
//   the word to which the task queue and the alarm add. The others wait on words of their own, so that a message does
//   not wake all harts. A watcher that leaves calls another hart, which takes over. The alarm ends sleeps with a
//   deadline, because `wrs.nto` has none.
//
// Threads  sleep: the thread itself; the rest: any.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>

#include "fabric/fabric.hpp"
#include "fabric/tile/memory.hpp"
#include "fabric/tile/post.hpp"
#include "fabric/tile/registers.hpp"

namespace tess::detail {

class tile_sleepers {
 public:
  explicit tile_sleepers(std::uint32_t threads) : threads_(threads), states_(std::make_unique<state[]>(threads)) {
    set_queue_word(reinterpret_cast<std::uint64_t>(&tile_memory::own().calls));
  }
  /// The machine's time, the same at all tiles.
  [[nodiscard]] std::uint64_t cycles_ns() const noexcept { return clock_.cycles_ns(); }
  /// Arrivals change no word any more.
  void end() noexcept { set_queue_word(0); }

  /// Calls nothing_to_do(whether the hart is the watcher).
  template <class Question>
  void sleep(std::uint32_t thread, deadline until, Question nothing_to_do) {
    state& own = states_[thread];
    auto const& calls = tile_memory::own().calls;
    own.until_ns.store(clock_.ns_of(until), std::memory_order_relaxed);
    own.asleep.store(1, std::memory_order_seq_cst);
    for (;;) {
      // Read before watch(): a watcher that leaves later changes this word.
      std::uint64_t const own_before = own.calls.load(std::memory_order_seq_cst);
      bool const watches = watch(thread);
      std::uint64_t const before = watches ? calls.load(std::memory_order_seq_cst) : own_before;
      if (own.asleep.load(std::memory_order_seq_cst) == 0 || !nothing_to_do(watches)) break;
      std::uint64_t const now = clock_.now_ns();
      std::uint64_t const due = own.until_ns.load(std::memory_order_relaxed);
      if (due <= now) break;
      std::uint64_t const next = watches ? std::min(due, wake_due(thread, now)) : due;
      if (next < never_ns) set_alarm(next - now);
      wait_while(watches ? calls : own.calls, before);
    }
    bool const woken = own.asleep.exchange(0, std::memory_order_seq_cst) == 0;
    if (watcher_.load(std::memory_order_relaxed) != thread + 1) return;
    watcher_.store(0, std::memory_order_seq_cst);
    // A watcher that leaves for a message takes it at once. If it called another hart before that, that hart would find
    // the message, too, and wake the next one.
    nobody_watches_.store(true, std::memory_order_seq_cst);
    if (woken || tile_post::queue_empty()) call_next();
  }
  /// If the watcher has left, another sleeping hart takes over.
  void call_next() noexcept {
    if (!nobody_watches_.load(std::memory_order_relaxed) || !nobody_watches_.exchange(false)) return;
    for (std::uint32_t t = 0; t < threads_; ++t) {
      if (states_[t].asleep.load(std::memory_order_seq_cst) == 0) continue;
      states_[t].calls.fetch_add(1, std::memory_order_seq_cst);
      return;
    }
  }

  /// The caller published its item with a sequentially consistent operation.
  void wake(std::uint32_t thread) noexcept {
    state& s = states_[thread];
    if (s.asleep.load(std::memory_order_seq_cst) == 0 || s.asleep.exchange(0, std::memory_order_seq_cst) == 0) return;
    if (watcher_.load(std::memory_order_seq_cst) == thread + 1) return call_watcher();
    s.calls.fetch_add(1, std::memory_order_seq_cst);
  }
  /// All harts of the machine sleep for ever: the machine reports it once.
  bool is_stalled() noexcept {
    if (stall_reported_.load() || tile_registers::information_field(tile_registers::information::stalled) == 0)
      return false;
    stall_reported_.store(true);
    stalled_.store(true);
    return true;
  }
  /// It did so since the last call.
  bool take_stalled() noexcept { return stalled_.exchange(false); }
  /// The watcher looks for work again.
  static void call_watcher() noexcept { tile_memory::own().calls.fetch_add(1, std::memory_order_seq_cst); }

 private:
  struct alignas(tile_memory::line_bytes) state {
    std::atomic<std::uint64_t> calls{0};
    std::atomic<std::uint64_t> until_ns{0};
    std::atomic<std::uint32_t> asleep{0};
  };

  /// std::chrono::steady_clock, by the hart's cycle counter: a system call takes longer than a wake-up.
  class cycle_clock {
   public:
    [[nodiscard]] std::uint64_t now_ns() const noexcept { return offset_ns_ + cycles_ns(); }
    [[nodiscard]] static std::uint64_t ns_of(deadline at) noexcept {
      auto const ns = std::chrono::duration_cast<std::chrono::nanoseconds>(at.time_since_epoch()).count();
      return ns < 0 ? 0 : static_cast<std::uint64_t>(ns);
    }

    [[nodiscard]] std::uint64_t cycles_ns() const noexcept {
      std::uint64_t cycles;
      asm volatile("rdcycle %0" : "=r"(cycles));
      return cycles * clock_ps_ / 1000;
    }

   private:
    std::uint64_t clock_ps_ = tile_registers::information_field(tile_registers::information::clock_ps);
    /// From the cycle counter's time to the system clock's. Never too large: the cycles are read later.
    std::uint64_t offset_ns_ = ns_of(std::chrono::steady_clock::now()) - cycles_ns();
  };

  /// The time of deadline::max().
  static constexpr std::uint64_t never_ns = std::numeric_limits<std::int64_t>::max();

  [[nodiscard]] bool watch(std::uint32_t thread) noexcept {
    std::uint32_t watcher = 0;
    return watcher_.compare_exchange_strong(watcher, thread + 1, std::memory_order_seq_cst) || watcher == thread + 1;
  }
  /// The watcher wakes harts whose deadline has passed; returns the next deadline.
  [[nodiscard]] std::uint64_t wake_due(std::uint32_t watcher, std::uint64_t now) noexcept {
    std::uint64_t next = ~std::uint64_t{0};
    for (std::uint32_t t = 0; t < threads_; ++t) {
      state& s = states_[t];
      if (t == watcher || s.asleep.load(std::memory_order_relaxed) == 0) continue;
      std::uint64_t const due = s.until_ns.load(std::memory_order_relaxed);
      if (due <= now)
        s.calls.fetch_add(1, std::memory_order_seq_cst);
      else
        next = std::min(next, due);
    }
    return next;
  }

  static void set_queue_word(std::uint64_t word) noexcept {
    namespace tasks = machine::registers::tasks;
    tile_registers::store(tile_registers::unit(machine::registers::unit::tasks) + tasks::notify, word);
  }
  static void set_alarm(std::uint64_t ns) noexcept {
    namespace tasks = machine::registers::tasks;
    tile_registers::store(tile_registers::own_window(machine::registers::unit::tasks) + tasks::alarm, ns);
  }
  static void wait_while(std::atomic<std::uint64_t> const& word, std::uint64_t value) noexcept {
    std::uint64_t seen = 0;
    asm volatile("lr.d %0, (%1)" : "=r"(seen) : "r"(&word) : "memory");
    // wrs.nto, which the assembler does not accept for rv64gc.
    if (seen == value) asm volatile(".insn i 0x73, 0, x0, x0, 0x00d" ::: "memory");
  }

  std::uint32_t threads_;
  cycle_clock clock_;
  std::unique_ptr<state[]> states_;
  std::atomic<bool> stall_reported_{false};
  std::atomic<bool> stalled_{false};
  std::atomic<std::uint32_t> watcher_{0};    ///< its thread + 1; 0: none
  std::atomic<bool> nobody_watches_{false};  ///< the last one left and has not called another yet
};

}  // namespace tess::detail
