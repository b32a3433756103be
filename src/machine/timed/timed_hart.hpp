// timed_hart: a hart with time: it runs ahead of the kernel while nothing else in the machine can observe it.
//
//   As an event it is due at the time at which its hart continues. While no other event comes before that, it continues
//   at once. Operations for which the hart stops are done when the kernel has reached the hart's time
//   (docs/internals/machine.md, 3). A hart with machine mode never runs ahead of an event: an interrupt is taken before
//   the first instruction that begins in a later cycle than the one in which its line rose.
//
// Threads   one.
#pragma once

#include <array>
#include <deque>
#include <limits>
#include <optional>

#include "machine/flat/warm_caches.hpp"
#include "machine/hart/code_cache.hpp"
#include "machine/hart/hart.hpp"
#include "machine/hart/instruction_observer.hpp"
#include "machine/hart/pipeline.hpp"
#include "machine/hart/privileged.hpp"
#include "machine/timed/hart_memory.hpp"
#include "machine/unit/interrupts.hpp"

namespace tess::machine {

class timed_hart;

/// The execution environment of a hart: the program that runs on it.
class hart_environment {
 public:
  virtual ~hart_environment() = default;
  enum class after : std::uint8_t { goes_on, sleeps };
  virtual after system_call(timed_hart& of) = 0;
  virtual std::uint64_t counter(hart const& h) const = 0;
  virtual void trapped(timed_hart& of) = 0;
  /// The hart stopped at a trap: true if it goes on in a handler.
  virtual bool handles(timed_hart& of) {
    (void)of;
    return false;
  }
  /// It was interrupted (timed_hart::interrupt).
  virtual void attend(timed_hart& of) { (void)of; }
  /// The cycle before which nothing happens that this hart's tile could observe.
  [[nodiscard]] virtual std::uint64_t horizon(timed_hart const& of) const = 0;
};

/// Logs waits of a hart, for a trace.
class wait_log {
 public:
  virtual ~wait_log() = default;
  /// `why` is a string literal: it is kept, not copied.
  virtual void waited(timed_hart const& who, char const* why, picoseconds begin, picoseconds end) = 0;
};

/// Sees each instruction of a hart, and its traps.
class step_observer : public instruction_observer {
 public:
  /// The hart stopped at a trap that no handler takes; the program ends after this.
  virtual void trapped() = 0;
  /// After the hart has stopped: may throw what begin() may not.
  virtual void check() = 0;
};

/// What a hart has done that takes energy.
struct hart_work {
  std::uint64_t instructions = 0;
  std::uint64_t tlm_loads = 0;    ///< Lines of the L1-D from the tile-local memory,
  std::uint64_t tlm_fetches = 0;  ///< and of the L1-I.
  std::uint64_t tlm_stores = 0;
};

class alignas(64) timed_hart : event, tile::watcher, tile::runner, guesser, public interrupt_target {
 public:
  enum class state : std::uint8_t { idle, runnable, sleeping, reserved };

  timed_hart(kernel& k, machine_description const& description, tile& at, local_window const& window,
             page_rights const& rights, page_tables* tables, hart_environment& owner, std::uint32_t number);

  state is = state::idle;  // next to the event, so that what other harts of the tile read is one cache line of the host
  hart context;

  /// Continues at this cycle, or now if that is later.
  void wake(std::uint64_t cycle);
  /// hart_environment::attend() is called when the hart has come to this cycle. It should be farther ahead than a hart
  /// may run, so that what happens depends on no quantum.
  void interrupt(std::uint64_t cycle);
  /// Ends its sleep until a word is written, if that cycle has come.
  void wake_to_attend();
  enum class measured_part : std::uint8_t { begin, end };
  /// The program's measured part begins or ends at this cycle, which is farther ahead than the hart may have run.
  void mark(measured_part which, std::uint64_t cycle) noexcept;
  /// Its work up to now.
  [[nodiscard]] hart_work work() const noexcept;
  /// Its work up to the end of the block that was executed at that cycle; up to now, if it has not come there.
  [[nodiscard]] hart_work work(measured_part at) const noexcept {
    return marks_[static_cast<std::size_t>(at)].done.value_or(work());
  }
  /// From now on it executes nothing, but what it has begun is completed; until release().
  void hold() noexcept { held_ = true; }
  void release();
  /// It does not run ahead beyond this cycle, the last one of the run, and accesses nothing later, also in a block that
  /// it has begun; `never`: the run has none.
  void end_after(std::uint64_t cycle) noexcept {
    ends_at_ = std::max(cycle, cycle + 1);
    memory_.end_at(ends_at_);
  }
  /// Has it begun something that is not complete?
  [[nodiscard]] bool is_under_way() const noexcept {
    return pending_ || remote_pending_ || awaits_answer_ || context.is_tentative || context.tickets.are_under_way();
  }
  /// The program ends: it goes back to before its first store that has not happened.
  void take_back_stores();
  /// It has the registers and the state of that one, which is held, and goes on now if that one could.
  void take_over(timed_hart const& from);
  /// The same of a machine without time, where it is in that state. All instructions before are left out of retired().
  void take_over(hart const& from, state in, bool attends);
  /// What its caches and its predictor would have.
  void warm(warm_hart& from);
  /// Instructions, without those that another machine has executed.
  [[nodiscard]] std::uint64_t retired() const noexcept { return context.retired - retired_before_; }
  /// Gives the hart machine mode, in the state after a reset. `number` is its number in the tile.
  void become_privileged(std::uint32_t number);
  void set_line(interrupt_cause which, bool level) override;
  [[nodiscard]] std::uint64_t awake_cycles() const noexcept override;
  [[nodiscard]] hart_memory const& memory() const noexcept { return memory_; }
  [[nodiscard]] hart_memory& memory() noexcept { return memory_; }
  /// Zeros, if it has no pipeline.
  [[nodiscard]] pipeline::statistics issued() const noexcept {
    return pipeline_ ? pipeline_->counted() : pipeline::statistics{};
  }
  [[nodiscard]] tile& place() noexcept { return tile_; }
  [[nodiscard]] tile const& place() const noexcept { return tile_; }
  /// Before it runs: its cycles are counted there.
  void set_profile(call_profile& of_cycles) noexcept {
    context.profile = &of_cycles;
    context.is_observed = true;
  }
  /// The same: its instructions are told there.
  void set_commits(commit_log& of_instructions) noexcept {
    context.commits = &of_instructions;
    context.is_observed = true;
  }
  /// The profile has all cycles up to this one.
  void finish_profile(std::uint64_t cycle);
  /// From now on, every completed wait is logged.
  void set_log(wait_log* of_waits) noexcept { log_ = of_waits; }
  /// Its code must tell of instructions (code_cache::tell_commits).
  void set_observer(step_observer& by) noexcept {
    observer_ = &by;
    context.observer = &by;
    context.is_observed = true;
  }
  /// When it continues, if it is scheduled; otherwise some time in the past.
  [[nodiscard]] picoseconds due_ps() const noexcept { return due; }

 private:
  void take_over_registers(hart const& from);
  void go();
  /// Runs as far as allowed. Afterwards it waits: for its time, for a line, or for a wake-up.
  void run_ahead();
  /// Performs the operation that the hart stopped for; false: it waits.
  bool serve();
  /// The same, without what must be done before.
  bool serve_stop();
  /// Beyond the horizon it goes on by hits, and by stores to lines that are here, which are posted, as long as no line
  /// is lost that would have been earlier than they (Time
  /// Warp: D. Jefferson, "Virtual Time", TOPLAS 7(3), 1985; here with one moment to go back to). True: the access for
  /// which it stopped was such a hit.
  [[nodiscard]] bool guess();
  void guess_no_more() noexcept;
  /// Back to the moment before the first guess, and from there to the first access of that cycle or later.
  void go_back(std::uint64_t to_cycle);
  void loses_line() override;
  void overtaken(std::uint64_t cycle) noexcept override { memory_.look_no_farther_than(cycle); }
  [[nodiscard]] std::uint64_t guess_end() const noexcept;
  /// How far the hart may run now; 0: not at all, another event comes first.
  [[nodiscard]] std::uint64_t limit();
  /// The addresses of the operation are translated, or refused; false: the hart waits for that.
  bool translate();
  bool serve_atomic();
  bool serve_remote();
  bool serve_device();
  bool serve_extended();
  /// The target of an extended access, or its fault.
  struct extended_place {
    extended_fault fault = extended_fault::none;
    std::uint32_t tile = 0;
    std::uint64_t name = 0;  ///< The global address.
  };
  [[nodiscard]] extended_place find_extended(access_request const& of) const;
  /// The object of the request has been looked up; false: the hart continues when that is done.
  [[nodiscard]] bool look_up_object();
  /// Fills in the operation from the hart's request.
  void fill_remote(transaction& operation, remote_operation what, extended_place const& there) const;

  // Operations that were begun.
  struct begun_word : event {
    begun_word(timed_hart& of, std::uint64_t its_number, bool posts);
    timed_hart& owner;
    std::uint64_t number;  ///< The number of its ticket or its slot.
    bool is_posted;
    std::uint64_t object = 0;
    std::uint64_t address = 0;
    transaction operation;
  };
  begun_word& begun_word_of(bool posts);
  bool serve_begin();
  bool serve_ticket();
  bool serve_fence();
  void answered(begun_word& word);
  /// The hart continues at the next answer; returns false.
  bool await_answer() noexcept;
  bool refuse_begun(begun_word const& word);
  bool refuse_extended(extended_fault why);
  /// Name of the instruction that stopped the hart, for a trace.
  [[nodiscard]] static char const* extended_name(hart const& of) noexcept;
  // Machine mode.
  void enter_handler(std::uint64_t pc);
  bool take_exception();
  [[nodiscard]] std::optional<exception_cause> exception() const noexcept;
  [[nodiscard]] std::uint64_t exception_value() const;
  bool serve_control();
  bool serve_wait_for_interrupt();

  bool serve_event();
  bool serve_posted();
  /// Have all stores posted to other tiles completed? False: the hart waits for them.
  bool drain_posted();
  /// Ends the program: the access is not allowed.
  bool refuse_access();
  /// What a hart with a profile has waited for since the engine returned.
  [[nodiscard]] spent spent_on() const noexcept;
  void begin_wait() noexcept;
  void end_wait();
  bool finish_remote();
  void come_back(std::uint64_t cycle);
  [[nodiscard]] bool may_pass(std::uint64_t cycle) const noexcept {
    return kernel_.idle() || kernel_.next_due() > clock_.cycles(cycle);
  }
  [[nodiscard]] std::uint64_t kernel_cycle() const noexcept { return clock_.cycle_from(kernel_.now()); }
  [[nodiscard]] bool reservation_holds();
  void written(std::uint64_t address, std::size_t bytes, std::uint64_t cycle) override;

  static constexpr std::uint32_t harts_max = 128;  ///< In a tile.
  /// Number of quanta that a hart runs alone before it returns to the kernel.
  static constexpr std::uint64_t turns_before_event = 1024;

  kernel& kernel_;
  clock_domain clock_;
  tile& tile_;
  address_map const& map_;
  hart_environment& owner_;
  std::uint64_t quantum_;
  std::uint64_t system_call_cycles_;
  std::uint64_t trap_cycles_;
  hart_memory memory_;
  bool pending_ = false;         ///< The operation that the hart stopped for is not complete.
  bool remote_pending_ = false;  ///< It is at another tile.
  bool looked_up_ = false;       ///< The object of its extended address has been.
  transaction remote_;
  bool awaits_answer_ = false;  ///< Waits for an operation that was begun.
  std::deque<begun_word> ticket_words_;
  std::deque<begun_word> posted_words_;
  begun_word const* posted_failure_ = nullptr;  ///< The first that its home refused; it ends the program.
  std::uint64_t turns_ = 0;
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t attends_at_ = never;  ///< The cycle of an interruption.
  std::uint64_t ends_at_ = never;
  std::uint64_t retired_before_ = 0;  ///< On another machine.
  struct mark_at {
    std::uint64_t cycle = never;
    std::optional<hart_work> done;
  };
  void pass_marks() noexcept;
  std::array<mark_at, 2> marks_;
  std::uint64_t next_mark_ = never;  ///< The earlier cycle of these.
  std::optional<privileged_state> privileged_;
  std::optional<pipeline> pipeline_;
  bool awaits_interrupt_ = false;
  std::uint64_t awaits_from_ = 0;          ///< The cycle in which it began to.
  std::uint64_t asleep_cycles_ = 0;        ///< In which it did, before.
  std::uint64_t bus_waited_ = 0;           ///< That its operations waited for the tile's bus since the engine returned.
  std::uint64_t translates_from_ = never;  ///< The cycle in which a translation began that is not complete.
  std::uint64_t bus_waited_before_ = 0;    ///< What bus_waited_ was then.
  std::uint64_t translated_ = 0;  ///< Cycles of complete ones since the engine returned, without waits for the bus.
  bool has_waited_ = false;       ///< Its operation was not complete at once.
  /// Where it was before its first guess, while context.is_tentative.
  struct {
    hart_moment before;
    hart_memory::statistics counted;
    std::uint64_t until = 0;  ///< The end of the run that goes on by guesses.
  } guessed_;
  bool held_ = false;
  bool would_run_ = false;  ///< But for hold().
  step_observer* observer_ = nullptr;
  wait_log* log_ = nullptr;
  char const* waits_for_ = nullptr;  ///< With a log only; null: it does not wait.
  picoseconds wait_begin_ = 0;
};

}  // namespace tess::machine
