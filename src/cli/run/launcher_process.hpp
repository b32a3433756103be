// launcher_process: the launcher in the owner's hands: started, watched, and ended when the job must end.
//
//   The job must end when one of these is so:
//     - a signal arrived, or `tess run` is gone. Places of this host get SIGTERM, so that they may end in order; a
//       launcher of several hosts gets it, to pass it on;
//     - the launcher, or every place of this host, has been stopped for the failure time-out, and `tess run` itself is
//       not stopped, as by Ctrl-Z;
//     - the places have reported how the job ended (exit_file), and the launcher does not end. Then a place that is
//       stopped is killed at once: it holds the launcher up, and the others have given it up;
//     - the caller says so (must_end_within).
//   A launcher that does not obey is killed. Its end is the end of its processes on this host.
//
// Threads   one.
// Errors    usage_error: it cannot be started.
#pragma once

#include <poll.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <vector>

#include "cli/command/command.hpp"
#include "cli/process/overdue.hpp"
#include "cli/run/exit_reports.hpp"
#include "cli/run/owner.hpp"

namespace tess::cli {

class launcher_process {
 public:
  /// `errors`: its standard error. `exit_file`: where places of this host report the exit code; empty: several hosts.
  /// `reports`: how many of them make the job's.
  launcher_process(owner const& by, words const& command, int errors, std::filesystem::path exit_file,
                   unsigned reports);
  ~launcher_process();
  launcher_process(launcher_process const&) = delete;
  launcher_process& operator=(launcher_process const&) = delete;

  /// Waits for events of these files and for those of the job, or for at most a second, and then looks at all of it.
  void wait(std::vector<pollfd>& files);
  [[nodiscard]] bool has_ended() const noexcept { return status_.has_value(); }

  /// Nothing: no limit. No effect after a signal, which sets its own.
  void must_end_within(std::optional<std::chrono::milliseconds> time) noexcept {
    if (signal_ == 0) late_.has(time);
  }
  /// It was asked to end because its time was over.
  [[nodiscard]] bool asked() const noexcept { return late_.asked(); }

  /// A signal ends the job, or `tess run` is gone.
  [[nodiscard]] bool signalled() const noexcept { return signal_ != 0; }

  /// Kills what it left on this host.
  void end_rest();
  /// The job's exit code, with a word where nobody else said why. Ends this process if a signal ended the job.
  [[nodiscard]] int conclude(std::optional<int> places_code) const;
  /// In the file.
  [[nodiscard]] exit_reports reported() const;

 private:
  void start(owner const& by, words const& command, int errors);
  void take_signals();
  void end_because_of(int number);
  void look();
  void look_for_stops();
  void give_up(std::string const& why);
  void reap();

  owner const& owner_;
  std::string name_;
  std::filesystem::path exit_file_;
  unsigned reports_;
  std::chrono::milliseconds stopped_most_;
  pid_t process_ = 0;
  int ended_ = -1;  ///< its pidfd
  overdue late_{0};
  std::optional<int> status_;
  int signal_ = 0;  ///< that ends the job
  bool given_up_ = false;
  overdue::clock::time_point last_look_{};
  std::optional<overdue::clock::time_point> stopped_since_;
};

}  // namespace tess::cli
