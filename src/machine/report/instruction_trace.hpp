// instruction_trace: which instructions of a run are wanted, as the command line says, and the logs of its harts.
//
// Errors    std::invalid_argument: what is wrong with the words, without the option's name.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "machine/commit/commit_log.hpp"
#include "machine/flat/flat_machine.hpp"
#include "machine/report/commit_file.hpp"
#include "machine/timed/timed_machine.hpp"

namespace tess::machine {

/// FILE[,from=CYCLE][,to=CYCLE][,tiles=LIST], as read.
struct wanted_instructions {
  std::string file;
  commit_window window;
  struct range {
    std::uint32_t first;
    std::uint32_t last;
  };
  std::vector<range> tiles;  ///< Empty: all.
  [[nodiscard]] bool has(std::uint32_t tile) const noexcept;
};
[[nodiscard]] wanted_instructions read_wanted_instructions(std::string const& words);

class instruction_trace {
 public:
  /// Before the run; both must live as long as it.
  instruction_trace(wanted_instructions const& wanted, timed_machine& of, std::string const& program);
  instruction_trace(wanted_instructions const& wanted, flat_machine& of, std::uint32_t harts,
                    std::string const& machine, std::string const& program);
  instruction_trace(instruction_trace const&) = delete;
  instruction_trace& operator=(instruction_trace const&) = delete;
  /// After the run.
  void close();

 private:
  void follow(timed_hart& hart, std::uint32_t core);

  commit_window window_;
  commit_file file_;
  std::vector<commit_log> flat_logs_;
  std::deque<commit_log> logs_;
  std::vector<hart const*> harts_;  ///< Those that logs_ follow.
};

}  // namespace tess::machine
