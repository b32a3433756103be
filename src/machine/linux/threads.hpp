// threads: the threads of one program on its harts: clone, futex, sleep, exit.
//
//   The main thread has the first hart; clone takes the next free one. As long as there are no more threads than harts,
//   each keeps its own. Further ones are parked, on a hart that exists for its registers only. Those that could run are
//   ready: they get, in the order in which they became it, the hart of a thread that waits or ends, or of one whose
//   slice of time is over. A thread that ends frees its hart. The longest waiter at a futex is woken first, so runs are
//   reproducible.
//
// Units     nanoseconds of simulated time.
// Errors    results are values or negative Linux error numbers; `blocked` means that the caller sleeps: its result
//           arrives by machine_host::wake.
// Threads   none of the host's.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "machine/hart/hart.hpp"
#include "machine/linux/user_memory.hpp"

namespace tess::machine {

using call_arguments = std::array<std::uint64_t, 6>;

// Results that are not return values: far below the error numbers of Linux.
inline constexpr std::int64_t blocked = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t thread_ended = blocked + 1;
inline constexpr std::int64_t program_ended = blocked + 2;
inline constexpr std::int64_t no_such_call = blocked + 3;
inline constexpr std::int64_t came_back = blocked + 5;  // rt_sigreturn: all registers have their values
inline constexpr std::int64_t not_yet = blocked + 4;    // of a call on a file: it must wait for another thread's

// What the emulation of Linux needs of its machine.
class machine_host {
 public:
  virtual ~machine_host() = default;
  // Simulated time since the start.
  [[nodiscard]] virtual std::uint64_t now_ns() const = 0;
  // The idle hart with the lowest number; null: there is none.
  virtual hart* free_hart() = 0;
  // The hart's registers and pc are set: it starts to run.
  virtual void start(hart& h) = 0;
  // The hart's thread ended.
  virtual void release(hart& h) = 0;
  // The system call that blocked this hart is complete; a0 holds its result.
  virtual void wake(hart& h) = 0;
  // The hart runs, and is to call program::attend() after so many cycles, or as soon as that is possible.
  virtual void interrupt(hart& h, std::uint64_t cycles) = 0;
  // Instructions were written other than by the hart's own stores, or the hart requested it.
  virtual void code_changed() = 0;
  [[nodiscard]] virtual std::uint32_t harts_count() const = 0;
};

class threads {
 public:
  // `slice_cycles`: how long a thread runs while others are ready.
  threads(user_memory& memory, machine_host& host, std::uint64_t slice_cycles)
      : memory_(memory), host_(host), slice_cycles_(slice_cycles) {}

  void start_main(hart& h) { by_hart_[h.number] = {.hart_of = &h, .id = main_id}; }

  // The same threads as there, on the harts that `hart_of` gives for the numbers of theirs.
  void take_over(threads const& from, std::function<hart*(std::uint32_t)> const& hart_of);

  std::int64_t clone(hart& parent, call_arguments const& a);
  std::int64_t futex(hart& h, call_arguments const& a);
  // Until this time at the earliest. If a signal ends it, the time that was left goes to `left_at`, unless that is 0.
  std::int64_t sleep_until(hart& h, std::uint64_t deadline_ns, std::uint64_t left_at = 0);
  // Until end_wait(), or with EAGAIN until this time.
  std::int64_t wait_for_signals(hart& h, std::uint64_t set, std::uint64_t deadline_ns);
  // The signals that this thread waits for in that call.
  [[nodiscard]] std::uint64_t awaited_signals(hart const& h) const { return by_hart_.at(h.number).signals; }
  void end_wait(hart& h, std::int64_t result) { resume(by_hart_.at(h.number), result); }
  std::int64_t exit(hart& h);
  std::int64_t set_tid_address(hart& h, call_arguments const& a);
  std::int64_t set_robust_list(hart& h, call_arguments const& a);
  std::int64_t get_robust_list(hart& h, call_arguments const& a);
  [[nodiscard]] std::uint64_t id_of(hart const& h) const { return by_hart_.at(h.number).id; }
  [[nodiscard]] bool is_thread(std::uint64_t id) const;
  [[nodiscard]] bool is_waiting(hart const& h) const { return by_hart_.at(h.number).waits; }
  // All threads, in order.
  [[nodiscard]] std::vector<std::uint64_t> ids() const;

  // Its hart, which may be parked: then its registers may be changed at any time.
  [[nodiscard]] hart& hart_of(std::uint64_t id) const;
  [[nodiscard]] static bool is_parked(hart const& h) noexcept { return h.number >= first_parked; }
  // The thread of this hart waits: another one may take it over, which goes on at once. False: none is ready.
  bool take_over(hart& h);
  // The thread of this hart may have run long enough: the next one that is ready has its turn.
  void rotate(hart& h);
  [[nodiscard]] bool has_ready() const;
  // If the thread of this hart waits in a call, the call ends: with EINTR, or, if it may, to be begun again.
  bool interrupt(hart& h, bool again);

  // A call that could not be done yet, because of the state of a file.
  struct file_wait {
    std::uint64_t number = 0;
    call_arguments arguments{};
    std::uint64_t deadline_ns = 0;  // 0: none
    bool restarts = true;           // after a handler with SA_RESTART
  };
  // The caller waits; the call is tried again by retry_files().
  std::int64_t wait_for_files(hart& h, file_wait call);
  // The state of a file has changed: calls that wait are tried in the order of arrival, until none can be done.
  void retry_files(std::function<std::int64_t(hart&, file_wait&)> const& attempt);
  [[nodiscard]] bool any_waits_for_files() const;

  // When the next sleeper wakes by itself; the largest number if none does.
  [[nodiscard]] std::uint64_t next_deadline_ns() const;
  // Wakes threads whose deadline has passed.
  void pass_time(std::uint64_t now_ns);
  // One line for each waiting thread, for the report of a stall.
  [[nodiscard]] std::vector<std::string> waiting() const;

  static constexpr std::uint64_t main_id = 1000;
  static constexpr std::int64_t main_process = main_id;
  static constexpr std::uint64_t usual_slice_cycles = 100'000;
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

 private:
  struct thread {
    hart* hart_of = nullptr;
    std::uint64_t id = 0;
    std::uint64_t clear_at_exit = 0;  // an address, 0: none
    std::uint64_t robust_list = 0;    // the address of the list of robust mutexes that it holds, 0: none
    bool waits = false;
    bool ready = false;       // could run, but has no hart
    std::uint64_t futex = 0;  // the address that it waits at, 0: it sleeps
    std::optional<file_wait> for_files{};
    std::uint32_t bits = 0;
    std::uint64_t since = 0;  // order of arrival
    std::uint64_t deadline_ns = never;
    std::int64_t late = 0;      // the result of a wait until then
    std::uint64_t left_at = 0;  // of a sleep, 0: nowhere
    std::uint64_t signals = 0;  // those that it waits for
  };

  std::int64_t wait(hart& h, call_arguments const& a, bool absolute, std::uint32_t bits);
  std::int64_t wake(std::uint64_t address, std::uint64_t most, std::uint32_t bits);
  std::int64_t requeue(call_arguments const& a, bool compare);
  void leave_robust_mutexes(thread const& ended);
  void leave_robust_mutex(std::uint64_t address, std::uint64_t id);
  thread* first_ready();
  // A parked thread goes to this hart, and the one that was there, if any, is parked.
  void exchange(hart& h, thread& parked);
  hart& park();
  // A hart of which the thread waits, and can wait without it; null: there is none.
  hart* hart_of_waiting();
  void make_ready(thread& t);
  thread* first_waiter(std::uint64_t address, std::uint32_t bits);
  void resume(thread& t, std::int64_t result);

  static constexpr std::uint32_t first_parked = 1U << 20U;
  static constexpr std::size_t threads_max = 4096;

  user_memory& memory_;
  machine_host& host_;
  std::uint64_t slice_cycles_;
  std::map<std::uint32_t, thread> by_hart_;
  std::map<std::uint32_t, std::unique_ptr<hart>> parked_;
  std::uint32_t last_parked_ = first_parked;
  std::uint64_t last_id_ = main_id;
  std::uint64_t arrivals_ = 0;
};

}  // namespace tess::machine
