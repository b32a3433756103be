// timed_hart: a hart with time: it runs ahead of the kernel while nothing else in the machine can observe it.
//
//   As an event of the kernel it is at the time at which its hart goes on. While no other event comes before that, it
//   goes on at once. What it stops for is done when the kernel has reached the hart's time (docs/internals/machine.md,
//   3).
//
// Threads   one.
#pragma once

#include <deque>

#include "machine/hart/code_cache.hpp"
#include "machine/hart/hart.hpp"
#include "machine/timed/hart_memory.hpp"

namespace tess::machine {

class timed_hart;

/// What a timed_hart asks of the program that runs on it.
class hart_environment {
 public:
  virtual ~hart_environment() = default;
  enum class after : std::uint8_t { goes_on, sleeps };
  virtual after system_call(timed_hart& of) = 0;
  virtual std::uint64_t counter(hart const& h) const = 0;
  virtual void trapped(timed_hart& of) = 0;
  /// The cycle before which nobody else does anything that the tile of this timed_hart could see.
  [[nodiscard]] virtual std::uint64_t horizon(timed_hart const& of) const = 0;
};

/// Is told when a hart could not go on, for a trace.
class wait_log {
 public:
  virtual ~wait_log() = default;
  /// `why` stays: a text of the program's.
  virtual void waited(timed_hart const& who, char const* why, picoseconds begin, picoseconds end) = 0;
};

class alignas(64) timed_hart : event, tile::watcher {
 public:
  enum class state : std::uint8_t { idle, runnable, sleeping, reserved };

  timed_hart(kernel& k, machine_description const& description, tile& at, local_window const& window,
             page_rights const& rights, hart_environment& owner);

  state is = state::idle;  // beside the event: what others of the tile look at is one line of the host's caches
  hart context;

  /// It goes on at this cycle, not before now.
  void wake(std::uint64_t cycle);
  [[nodiscard]] hart_memory const& memory() const noexcept { return memory_; }
  [[nodiscard]] hart_memory& memory() noexcept { return memory_; }
  [[nodiscard]] tile& place() noexcept { return tile_; }
  [[nodiscard]] tile const& place() const noexcept { return tile_; }
  /// From now on, every wait that is over.
  void set_log(wait_log* of_waits) noexcept { log_ = of_waits; }
  /// When it goes on, if it has said so to the kernel; otherwise some time in the past.
  [[nodiscard]] picoseconds due_ps() const noexcept { return due; }

 private:
  void go();
  /// Runs as long as it may. Afterwards it waits: for its time, for a line, for somebody.
  void run_ahead();
  /// Does what the hart stopped for; false: it waits for something.
  bool serve();
  bool serve_atomic();
  bool serve_remote();
  bool serve_device();
  bool serve_extended();
  /// Where an extended access goes, or what is wrong with it.
  struct extended_place {
    extended_fault fault = extended_fault::none;
    std::uint32_t tile = 0;
    std::uint64_t name = 0;  ///< Its global address.
  };
  [[nodiscard]] extended_place find_extended(access_request const& of) const;
  /// By the request of the hart.
  void fill_remote(transaction& operation, remote_operation what, extended_place const& there) const;

  // What has begun (seat_begun.cpp).
  struct begun_word : event {
    begun_word(timed_hart& of, std::uint64_t its_number, bool posts);
    timed_hart& owner;
    std::uint64_t number;  ///< Of its ticket, or of its slot.
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
  /// The hart goes on when something has been answered: false.
  bool await_answer() noexcept;
  bool refuse_begun(begun_word const& word);
  bool refuse_extended(extended_fault why);
  /// Of the instruction that stopped it, for a trace.
  [[nodiscard]] static char const* extended_name(hart const& of) noexcept;
  bool serve_event();
  bool serve_posted();
  /// What is posted to other tiles has been done; false: it is waited for.
  bool drain_posted();
  /// Ends the program: the access may not be so.
  bool refuse_access();
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

  /// Quanta that a hart runs alone before the kernel hears of it.
  static constexpr std::uint64_t turns_before_event = 1024;

  kernel& kernel_;
  clock_domain clock_;
  tile& tile_;
  address_map const& map_;
  hart_environment& owner_;
  std::uint64_t quantum_;
  std::uint64_t system_call_cycles_;
  hart_memory memory_;
  bool pending_ = false;         ///< Something that the hart stopped for is not done yet.
  bool remote_pending_ = false;  ///< It is at another tile.
  transaction remote_;
  bool awaits_answer_ = false;  ///< Of what it has begun.
  std::deque<begun_word> ticket_words_;
  std::deque<begun_word> posted_words_;
  begun_word const* posted_failure_ = nullptr;  ///< The first that its home refused; the program ends by it.
  std::uint64_t turns_ = 0;
  wait_log* log_ = nullptr;
  char const* waits_for_ = nullptr;  ///< With a log only; null: it does not wait.
  picoseconds wait_begin_ = 0;
};

}  // namespace tess::machine
