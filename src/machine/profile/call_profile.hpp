// call_profile: the cycles of one hart, by call path and instruction, and what each instruction waited for.
//
//   Every cycle is counted, none is sampled. The engine tells when a block of instructions begins; how many of its
//   instructions were executed follows from the hart's count of instructions at the begin of the next one. Whoever
//   makes the hart wait says how long and what for. What is left is a jump's own time. So the sum over all
//   instructions, and of the time without a thread, is the hart's time.
//
//   The call path is kept as a tree. A jump that links is a call; a jump through the link register to the address
//   behind a call that is still open is its return, and closes all calls since; any other jump to another function
//   takes the place of the function that jumps, as a tail call does.
//
// Units     cycles of the hart's clock.
// Threads   none.
// Source    the calling convention's hints: RISC-V Unprivileged ISA 20191213, 2.5 (return-address stack).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "machine/hart/code_cache.hpp"
#include "machine/hart/hart.hpp"
#include "machine/hart/inst.hpp"
#include "machine/kernel/arena.hpp"
#include "machine/profile/function_table.hpp"
#include "machine/profile/index_table.hpp"

namespace tess::machine {

/// What a cycle is spent on.
enum class spent : std::uint8_t {
  issue,        ///< Executing: one cycle, the penalties of the instruction, and of a taken jump.
  l2,           ///< A line or word of the tile: its L2 or its tile-local memory, beyond the L1.
  memory,       ///< A line of a memory: the network, its DRAM, and whoever has the line instead.
  remote,       ///< A word, an atomic or an operation at another tile.
  bus,          ///< The tile's bus is taken by others.
  interface,    ///< A queue, a counter or the list of jobs of the network interface.
  device,       ///< A register of a unit of the tile.
  buffer,       ///< A free entry of the write buffer.
  translation,  ///< An address: the second TLB, the walk of page tables, page faults.
  system,       ///< The system call or the trap itself.
  sleep,        ///< Until it is woken: a futex, a reserved word, an interrupt, a time.
};
inline constexpr std::size_t ways_to_spend = 11;
[[nodiscard]] char const* name_of(spent on) noexcept;

using spent_cycles = std::array<std::uint64_t, ways_to_spend>;

/// A block as the engine runs it.
struct block_shape {
  enum class exit : std::uint8_t { jump, call, back };
  struct step {
    std::uint16_t end = 0;    ///< Cycles of the block up to and including this instruction.
    std::uint8_t offset = 0;  ///< In 2 bytes.
    exit leaves_by = exit::jump;
  };
  std::vector<step> steps;  ///< By instruction, and one more with the offset of what follows.
  [[nodiscard]] std::size_t size() const noexcept { return steps.size() - 1; }
};

/// Those of all harts that run a program.
class block_shapes {
 public:
  block_shape const& of(hart const& h, inst const* first);

 private:
  std::unordered_map<std::uint64_t, std::deque<block_shape>> shapes_;  ///< By pc; several if the code was changed.
};

/// Where threads are that have no hart, by their number: those of a program.
struct thread_path {
  struct step {
    std::uint32_t function;
    std::uint64_t site;
  };
  struct open_call {
    std::uint64_t returns_to;
    std::size_t steps;  ///< Up to the call that was left.
  };
  std::vector<step> steps;  ///< From the thread's first function on.
  std::vector<open_call> open;
};
using thread_paths = std::unordered_map<std::uint64_t, thread_path>;

class call_profile {
 public:
  /// All must exist as long.
  call_profile(function_table const& functions, block_shapes& shapes, thread_paths& threads)
      : functions_(functions), shapes_(shapes), threads_(threads) {}
  call_profile(call_profile const&) = delete;
  call_profile& operator=(call_profile const&) = delete;

  // From the engine and its memory.
  /// A block begins; `first` is one of its slots.
  void enter(hart const& h, inst const* first) {
    if (!goes_where_it_went(h, first)) enter_slowly(h, first);
  }
  /// Instruction i waits, and the hart goes on at once.
  void wait(inst const* i, spent on, std::uint64_t cycles);

  // From the hart.
  /// The engine has returned.
  void stop(std::uint64_t now) noexcept { left_at_ = now; }
  /// It is called again; of the time in between `bus_cycles` were spent on the bus, and the rest on `on`.
  void go_on(hart const& h, spent on, std::uint64_t bus_cycles, std::uint64_t translation_cycles);
  /// A thread begins; what is between stop() and go_on() is nobody's.
  void begin_thread() noexcept { begins_ = true; }
  /// Another thread takes the hart, and goes on where it was, on whichever hart; 0: there was none.
  void switch_thread(std::uint64_t from, std::uint64_t to);
  /// Nothing follows.
  void finish(hart const& h, spent on, std::uint64_t now);

  /// Adds what another hart has counted, whose code is so many bytes behind.
  void add(call_profile const& other, std::uint64_t moved_by);

  // Results.
  /// A function in the tree of calls.
  struct call {
    std::uint32_t parent;
    std::uint32_t function;  ///< Its number in the table.
    std::uint64_t site;      ///< The pc of the jump in the parent; 0: it is a thread's first.
    bool operator==(call const&) const = default;
  };
  static constexpr std::uint32_t root = 0;
  [[nodiscard]] std::vector<call> const& calls() const noexcept { return calls_; }
  struct line_item {
    std::uint32_t of;  ///< In calls().
    std::uint64_t pc;
    std::uint64_t instructions;
    spent_cycles cycles;
  };
  void visit(std::function<void(line_item const&)> const& each) const;
  /// In which the hart had no thread.
  [[nodiscard]] std::uint64_t idle_cycles() const noexcept { return idle_; }

 private:
  struct counted_block;
  /// Executions of a block that ended behind one of its instructions.
  struct block_exit {
    counted_block* to;     ///< Where it went last, other than back,
    counted_block* other;  ///< and before that: a jump that is taken or not.
    std::uint64_t times;
    std::uint64_t own_cycles;  ///< Beyond those of the instructions: a taken jump's.
    block_exit* next;
    std::uint16_t after;  ///< Instructions executed; 0: this is not used yet.
    std::uint16_t end;    ///< Their cycles.
    block_shape::exit leaves_by;
  };
  /// What an instruction waited for.
  struct block_wait {
    block_wait* next;  ///< In a ring, in the order in which they came first, which is that of later ones, too.
    std::uint64_t cycles;
    std::uint16_t instruction;
    spent on;
  };
  /// Executions of a block in one call. Most blocks are left in one place and wait at one or two, and there are many.
  struct counted_block {
    std::uint64_t pc;
    block_exit exits;  ///< The first one.
    std::uint32_t of;
    std::uint32_t size;  ///< Instructions.
    block_shape::step const* steps;
    block_wait* waits;           ///< The last that was counted; null: none waited.
    counted_block* behind_call;  ///< Where the function that it called last came back to.
    void forget() noexcept {
      for (block_exit* one = &exits; one != nullptr; one = one->next) one->to = one->other = nullptr;
      behind_call = nullptr;
    }
    void visit_waits(auto each) const {
      if (waits == nullptr) return;
      block_wait const* one = waits->next;
      for (; one != waits; one = one->next) each(*one);
      each(*one);
    }
    [[nodiscard]] std::uint64_t address(std::size_t instruction) const noexcept {
      return pc + 2U * std::uint64_t{steps[instruction].offset};
    }
  };
  struct open_call {
    std::uint64_t returns_to;
    std::uint32_t of;     ///< The call that was left.
    counted_block* from;  ///< Null: on another hart.
  };
  static constexpr std::size_t open_max = 512;  ///< Deeper calls are counted as tail calls.
  static constexpr std::size_t search_max = 64;

  /// The block was left by this exit.
  void count(block_exit& by, hart const& h, std::uint64_t now) noexcept {
    ++by.times;
    std::uint64_t const accounted = waited_ + by.end;
    std::uint64_t const passed = now - entered_at_;
    by.own_cycles += passed - std::min(passed, accounted);
    waited_ = 0;
    entered_at_ = now;
    entered_retired_ = h.retired;
  }
  void wait_stopped(hart const& h, spent on, std::uint64_t cycles);
  /// By which exit the block was left; null: before it began.
  block_exit* close(hart const& h, std::uint64_t now);
  counted_block& after(counted_block& before, block_exit& by, std::uint64_t pc, hart const& h, inst const* first);
  counted_block& after_other(counted_block& before, block_exit& by, std::uint64_t pc, hart const& h, inst const* first);
  counted_block& block_of(std::uint32_t of, std::uint64_t pc, hart const& h, inst const* first);
  counted_block& block_of(std::uint32_t of, std::uint64_t pc, std::uint32_t size, auto shape);
  void add(counted_block& to, std::size_t instruction, spent on, std::uint64_t cycles);
  void add_pending(spent on, std::uint64_t cycles) noexcept {
    pending_[static_cast<std::size_t>(on)] += cycles;
    has_pending_ = has_pending_ || cycles != 0;
  }
  void take_pending();
  block_exit& exit_of(counted_block& block, std::size_t after) {
    return block.exits.after == after ? block.exits : exit_behind(block, after);
  }
  block_exit& exit_behind(counted_block& block, std::size_t after);
  std::uint32_t callee(std::uint32_t from, std::uint32_t function, std::uint64_t site);
  std::uint32_t jumped(std::uint32_t from, std::uint64_t pc);
  [[nodiscard]] thread_path path_of(std::uint32_t call) const;

  /// The usual way in: by a jump as before, and nothing to be added first. False: it is another, and nothing was done.
  bool goes_where_it_went(hart const& h, inst const* first) noexcept;
  void enter_slowly(hart const& h, inst const* first);

  // What each block needs.
  counted_block* current_ = nullptr;
  std::uint64_t entered_at_ = 0;
  std::uint64_t entered_retired_ = 0;
  std::uint64_t waited_ = 0;  ///< Since then.
  std::uint64_t generation_ = 0;
  std::optional<std::uint32_t> goes_on_in_;  ///< Since a switch: the call in which the thread was; root: it begins.
  bool has_pending_ = false;
  bool begins_ = true;

  function_table const& functions_;
  block_shapes& shapes_;
  std::vector<call> calls_{{root, function_table::unknown, 0}};
  index_table callees_;  ///< In calls_.
  std::vector<open_call> open_;
  thread_paths& threads_;
  arena memory_;  ///< The counts are there, which live as long.
  std::vector<counted_block*> counts_;
  index_table known_;  ///< In counts_, for this generation of the code.
  static constexpr std::size_t recent_max = 1024;
  std::array<counted_block*, recent_max> recent_{};  ///< Some of these, by their hash: they stay in the host's caches.
  spent_cycles pending_{};                           ///< The first instruction of the block that follows gets them.
  std::uint64_t left_at_ = 0;
  std::uint64_t idle_ = 0;
};

inline bool call_profile::goes_where_it_went(hart const& h, inst const* first) noexcept {
  if (current_ == nullptr || has_pending_ || begins_ || goes_on_in_ || generation_ != h.code->generation())
    return false;
  std::uint64_t const executed = h.retired - entered_retired_;
  block_exit* by = &current_->exits;
  while (by->after != executed) {
    by = by->next;
    if (by == nullptr) return false;
  }
  if (by->leaves_by != block_shape::exit::jump) return false;
  std::uint64_t const pc = first->pc();
  counted_block* to = by->to;
  if (to == nullptr || to->pc != pc) {
    to = by->other;
    if (to == nullptr || to->pc != pc) return false;
  }
  count(*by, h, h.now());
  current_ = to;
  return true;
}

}  // namespace tess::machine
