// debugger: stops a run where gdb wants it, shows its state, and goes back in it.
//
//   Each instruction of any hart is a step, and steps have numbers: a run repeats exactly, so a number is a moment.
//   Going back is going on from an earlier copy of the process (past) up to an earlier step. What the program wrote on
//   the way the first time is not written again.
//
//   A hart is a thread of gdb. When one stops, all do, wherever they are: harts run ahead of each other by what nobody
//   can see (docs/internals/machine.md, 3). Memory is shown as a hart's tile, or another tile that has the address,
//   has it; the posted stores of the hart itself have happened.
//
// Errors    debug_end, which leaves the run, when gdb ends it or is gone.
// Cost      a call for each instruction.
// Threads   one.
// Source    Debugging with GDB, appendix E; the order of events: docs/internals/machine.md.
#pragma once

#include <deque>
#include <exception>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "machine/debug/accesses.hpp"
#include "machine/debug/gdb_connection.hpp"
#include "machine/debug/past.hpp"
#include "machine/timed/timed_machine.hpp"

namespace tess::machine {

/// The run ends, as gdb has killed it or is gone.
struct debug_end {
  std::string why;
};

class debugger {
 public:
  /// Before the run. `program`: the file that runs. All outlive it.
  debugger(timed_machine& of, std::string program, gdb_connection& gdb, run_link const& link);
  debugger(debugger const&) = delete;
  debugger& operator=(debugger const&) = delete;

  /// After the run: shows its end, from where gdb can still go back.
  void ended(int exit_code);

 private:
  struct debugged_hart {
    timed_hart* hart;
    program_host* host;
    tile_program* program;  ///< Null: the system's.
    std::uint64_t pc = 0;
    std::uint64_t cycle = 0;
    std::uint64_t step = 0;  ///< At which it executes, or waits to execute, its present instruction; 0: none yet.
    std::uint64_t previous_step = 0;
    std::optional<memory_access> reads{};  ///< Its present instruction, if somebody waits for that.
    [[nodiscard]] bool has_thread() const { return hart->is != timed_hart::state::idle; }
  };
  using thread = std::size_t;  ///< A hart's index here; gdb's numbers are larger by one.
  /// What a hart tells.
  class observer final : public step_observer {
   public:
    observer(debugger& by, thread t) : by_(by), thread_(t) {}
    bool begin(hart& h, inst const* i) noexcept override { return by_.begin(thread_, h, i); }
    void trapped() override { by_.trapped(thread_); }
    void check() override {
      if (by_.failure_) std::rethrow_exception(std::exchange(by_.failure_, nullptr));
    }

   private:
    debugger& by_;
    thread thread_;
  };

  /// A range whose accesses stop the run.
  struct watch {
    char kind = 0;              ///< gdb's: 2 writes that change it, 3 reads, 4 both.
    std::uint64_t given = 0;    ///< As gdb says it.
    std::uint64_t address = 0;  ///< Global.
    std::uint32_t bytes = 0;
    std::string value{};  ///< The last known bytes.
    [[nodiscard]] bool overlaps(memory_access const& one) const noexcept {
      return one.address < address + bytes && address < one.address + one.bytes;
    }
  };
  /// Who wrote to the range of a question, so far.
  struct writer {
    std::uint64_t step = 0;  ///< 0: nobody.
    std::string text;
  };

  bool begin(thread t, hart& h, inst const* i) noexcept;
  void stop_or_go_on(thread t);
  void stop_inside(thread t, std::string const& reason);
  void trapped(thread t);
  [[nodiscard]] std::string bytes_at(watch const& of) const;
  void begin_step(thread t);
  void look_around();
  void obey(past::message const& woken);
  /// Why the run stops at this step; empty: it does not.
  [[nodiscard]] std::string reason_to_stop(thread t);
  [[nodiscard]] std::string watched(thread t);
  void mute();
  void search(thread t);
  void note_writer(thread t);
  [[noreturn]] void answer_question();

  // Talking to gdb: returns when the run goes on.
  void serve(thread t, std::string const& reason);
  [[nodiscard]] bool answer(std::string_view packet);  ///< True: the run goes on.
  void answer_query(std::string_view packet);
  [[nodiscard]] bool resume(std::string_view actions);
  void set_point(std::string_view packet, bool insert);
  void read_memory(std::string_view where);
  void write_memory(std::string_view packet, bool binary);
  void answer_part(std::string_view range, std::string const& whole);
  [[nodiscard]] std::string stop_text(std::string const& reason) const;
  [[nodiscard]] std::string threads_xml() const;
  void command(std::string_view text);
  [[nodiscard]] std::string who_wrote(std::string_view words);
  [[nodiscard]] std::string where(thread t) const;

  // Going back.
  [[nodiscard]] bool reverse(bool one_step);
  std::optional<std::string> ask(std::size_t copy, std::string_view what, std::uint64_t until);
  /// Offsets of the program's files, which all copies of the process share.
  void keep_offsets();
  void restore_offsets();
  [[noreturn]] void go_to(std::uint64_t step, std::string const& reason);
  [[nodiscard]] std::string message(std::string_view what, std::uint64_t step, std::string const& reason) const;

  timed_machine& of_;
  std::string program_;
  gdb_connection& gdb_;
  run_link link_;
  past past_{link_};
  std::vector<debugged_hart> harts_;
  std::deque<observer> observers_;
  std::exception_ptr failure_;

  std::uint64_t step_ = 0;
  std::uint64_t next_look_ = 1;
  std::uint64_t next_copy_ = 1;
  std::uint64_t copy_every_ = 200'000;
  std::optional<std::uint64_t> goes_to_;  ///< Where the next way back leads, as `monitor goto` says.
  std::vector<std::int64_t> offsets_;
  std::uint64_t spoken_until_ = 0;  ///< Up to this step the program has already written what it writes.
  bool muted_ = false;
  bool detached_ = false;
  bool at_end_ = false;
  int exit_code_ = 0;

  // What stops it.
  std::set<std::uint64_t> breakpoints_;
  /// Breakpoints that gdb took away while the run stood still: they hold for harts beside one that steps.
  std::set<std::uint64_t> taken_away_;
  std::vector<watch> watches_;
  std::optional<thread> steps_;   ///< A hart that stops at its next instruction,
  std::uint64_t steps_from_ = 0;  ///< unless its pc is in this range.
  std::uint64_t steps_to_ = 0;
  bool stops_at_once_ = true;

  // In a copy that was woken.
  enum class task : std::uint8_t { debug, go_to, search, who_wrote };
  task task_ = task::debug;
  std::uint64_t until_ = 0;
  std::string reason_;
  std::uint64_t found_step_ = 0;
  std::string found_reason_;
  watch asked_;
  writer last_store_;
  writer last_change_;

  // For gdb.
  bool greets_ = true;  ///< gdb has not asked yet why the run stands still.
  thread shown_ = 0;    ///< Its registers and memory are asked for.
  thread stopped_ = 0;  ///< Where the run stopped.
  std::string last_stop_;
};

}  // namespace tess::machine
