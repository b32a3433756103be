// tile_sleepers: harts that sleep on the word to which the task queue adds, and everybody of the tile who calls them.
//
//   A hart sleeps by LR and `wrs.nto` (Zawrs): until the word is written, if it is still what it was before the hart
//   looked for work. So nothing that comes after that look is missed. `wrs.nto` knows no time: the tile's alarm adds to
//   the word as well.
//
// Threads  sleep: the thread itself; the others any.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>

#include "fabric/fabric.hpp"
#include "fabric/tile_memory.hpp"
#include "fabric/tile_registers.hpp"

namespace tess::detail {

class tile_sleepers {
 public:
  explicit tile_sleepers(std::uint32_t threads) : states_(std::make_unique<state[]>(threads)) {
    tell_queue(reinterpret_cast<std::uint64_t>(&tile_memory::own().calls));
  }
  /// Nobody is called any more.
  void end() noexcept { tell_queue(0); }

  template <class Question>
  void sleep(std::uint32_t thread, deadline until, Question nothing_to_do) {
    std::atomic<std::uint32_t>& asleep = states_[thread].asleep;
    std::atomic<std::uint64_t> const& calls = tile_memory::own().calls;
    asleep.store(1, std::memory_order_seq_cst);
    for (;;) {
      std::uint64_t const before = calls.load(std::memory_order_seq_cst);
      if (asleep.load(std::memory_order_seq_cst) == 0 || !nothing_to_do()) break;
      auto const left = until - std::chrono::steady_clock::now();
      if (left.count() <= 0) break;
      set_alarm(static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(left).count()));
      wait_while(calls, before);
    }
    asleep.store(0, std::memory_order_relaxed);
  }

  /// The caller published its item with a sequentially consistent operation.
  void wake(std::uint32_t thread) noexcept {
    std::atomic<std::uint32_t>& asleep = states_[thread].asleep;
    if (asleep.load(std::memory_order_seq_cst) != 0 && asleep.exchange(0, std::memory_order_seq_cst) != 0) call_all();
  }
  /// All who sleep look again.
  static void call_all() noexcept { tile_memory::own().calls.fetch_add(1, std::memory_order_seq_cst); }

 private:
  struct alignas(tile_memory::line_bytes) state {
    std::atomic<std::uint32_t> asleep{0};
  };

  static void tell_queue(std::uint64_t word) noexcept {
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
    // wrs.nto, which this compiler's assembler does not know for rv64gc.
    if (seen == value) asm volatile(".insn i 0x73, 0, x0, x0, 0x00d" ::: "memory");
  }

  std::unique_ptr<state[]> states_;
};

}  // namespace tess::detail
