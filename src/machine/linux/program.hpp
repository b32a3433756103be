// program: a static Linux program on some harts: its memory, its initial stack, and its system calls.
//
//   The machine provides memory and harts (machine_host), starts the program on one hart, and calls system_call()
//   whenever a hart stops at ecall. A call that is not emulated is reported once on standard error and returns ENOSYS.
//
// Errors    elf_error from the constructor.
// Threads   none.
// Source    Linux system calls, asm-generic numbers; RISC-V ELF psABI; System V ABI for the first stack.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "machine/linux/address_space.hpp"
#include "machine/linux/clock_calls.hpp"
#include "machine/linux/elf.hpp"
#include "machine/linux/file_calls.hpp"
#include "machine/linux/own_process.hpp"
#include "machine/linux/posix_timers.hpp"
#include "machine/linux/signals.hpp"
#include "machine/linux/threads.hpp"

namespace tess::machine {

struct program_options {
  std::vector<std::string> arguments;    // the first is the program's name
  std::vector<std::string> environment;  // NAME=VALUE
  std::string path;                      // absolute
  std::string shown_path;                // what /proc/self/exe leads to; empty: the same
  std::uint64_t seed = 1;
  std::uint64_t layout = 0;                                      // a number: where stack, heap and mappings begin
  std::uint64_t stack_bytes = address_space::usual_stack_bytes;  // of the first thread
  std::uint64_t memory_bytes = 0;  // that there are, if the program may have more addresses; 0: as many as addresses
  std::uint64_t slice_cycles = threads::usual_slice_cycles;  // of a thread while others wait for a hart
  file_access files;
};

class program {
 public:
  // Loads the image; the program may have memory at addresses up to size_bytes.
  program(user_memory& memory, std::uint64_t size_bytes, machine_host& host, elf_image const& image,
          program_options options);

  // The same program goes on here, with its threads on the harts that `hart_of` gives. Memory has been copied.
  void take_over(program& from, std::function<hart*(std::uint32_t)> const& hart_of);

  // Makes h the main thread: registers, stack, pc.
  void start(hart& h);

  enum class after_call : std::uint8_t { goes_on, sleeps, thread_ended, program_ended };
  // h stopped at ecall. goes_on: it has its result and has advanced; asleep: it has advanced, and wake() follows.
  after_call system_call(hart& h);

  // Does the call of a hart that stopped there neither change nor read anything of the host, but for output?
  [[nodiscard]] bool is_within(hart const& h) const noexcept;
  // The run is over, for whatever reason: files get what was stored to pages that are theirs.
  void leave_files();

  // The hart stopped at an access, an illegal instruction or a breakpoint: true if a handler goes on there.
  bool handle_trap(hart& h);
  // A line, if the access that h stopped at is behind the end of its thread's stack.
  [[nodiscard]] std::string stack_hint(hart const& h) const;
  // Simulated time has come so far, or machine_host::interrupt asked for it. False: the program has ended by a signal.
  [[nodiscard]] bool pass_time(std::uint64_t now_ns);
  [[nodiscard]] bool attend(hart& h);
  // When pass_time() is needed next; threads::never: not at all.
  [[nodiscard]] std::uint64_t next_deadline_ns() const { return std::min(threads_.next_deadline_ns(), next_tick_ns()); }
  // The same for what timers do, whatever its threads wait for.
  [[nodiscard]] std::uint64_t next_tick_ns() const;

  // The exit code, once the program has ended, as a shell shows it: 128 + signal if it was killed.
  [[nodiscard]] int exit_code() const noexcept { return exit_code_; }
  [[nodiscard]] std::optional<int> killed_by() const noexcept { return signal_; }
  [[nodiscard]] threads& tasks() noexcept { return threads_; }
  [[nodiscard]] file_access const& files() const noexcept { return files_.access(); }
  [[nodiscard]] file_calls& open_files() noexcept { return files_; }

 private:
  struct table;
  std::int64_t dispatch(hart& h, std::uint64_t number, call_arguments const& a);
  void name_unknown(std::uint64_t number);
  void retry_files();
  std::int64_t end_by_signal();
  std::int64_t signal_to(hart const& h, std::uint64_t id, bool to_thread, std::uint64_t signal);
  std::int64_t signal_to(hart const& h, std::uint64_t id, bool to_thread, std::uint64_t signal,
                         signals::information const& why);
  std::int64_t refuse_alias();

  // System calls that none of the parts does alone.
  std::int64_t exit_thread(hart& h, call_arguments const& a);
  std::int64_t exit(call_arguments const& a);
  std::int64_t clone(hart& h, call_arguments const& a);
  std::int64_t yield(hart& h, call_arguments const& a);
  std::int64_t thread_id(hart& h, call_arguments const& a);
  std::int64_t come_back(hart& h, call_arguments const& a);
  std::int64_t kill(hart& h, call_arguments const& a);
  std::int64_t tkill(hart& h, call_arguments const& a);
  std::int64_t tgkill(hart& h, call_arguments const& a);
  std::int64_t queue_signal(hart& h, call_arguments const& a);
  std::int64_t queue_signal_to_thread(hart& h, call_arguments const& a);
  std::int64_t set_user(call_arguments const& a);
  std::int64_t users(call_arguments const& a);
  std::int64_t affinity(call_arguments const& a);
  std::int64_t find_scheduled(std::uint64_t id) const;
  std::int64_t set_policy(call_arguments const& a);
  std::int64_t set_priority(call_arguments const& a);
  std::int64_t policy(call_arguments const& a);
  std::int64_t priority(call_arguments const& a);
  std::int64_t priority_max(call_arguments const& a);
  std::int64_t priority_min(call_arguments const& a);
  std::int64_t round_robin_interval(call_arguments const& a);
  std::int64_t processor(hart& h, call_arguments const& a);
  std::int64_t uname(call_arguments const& a);
  std::int64_t sysinfo(call_arguments const& a);
  std::int64_t limits(call_arguments const& a);
  std::int64_t own_limits(call_arguments const& a);
  std::int64_t flush_code(call_arguments const& a);
  std::int64_t membarrier(call_arguments const& a);
  std::int64_t brk(call_arguments const& a) { return space_.brk(a[0]); }
  std::int64_t map(call_arguments const& a);
  std::int64_t unmap(call_arguments const& a);
  std::int64_t remap(call_arguments const& a);
  std::int64_t protect(call_arguments const& a);
  std::int64_t advise(call_arguments const& a);
  std::int64_t sync(call_arguments const& a);

  std::uint64_t push(std::uint64_t& top, std::span<std::byte const> bytes);

  user_memory& memory_;
  std::uint64_t memory_bytes_;
  std::uint64_t stack_bytes_;
  layout moved_;
  machine_host& host_;
  elf_image const& image_;
  std::vector<std::string> arguments_;
  std::vector<std::string> environment_;
  address_space space_;
  threads threads_;
  clock_calls clock_;
  signals signals_;
  posix_timers timers_;
  own_process own_;
  file_calls files_;
  std::set<std::uint64_t> unknown_;
  bool has_refused_alias_ = false;
  int exit_code_ = 0;
  std::optional<int> signal_;
};

}  // namespace tess::machine
