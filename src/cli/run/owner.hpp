// owner: a process between `tess run` and its launcher, with which all of a job ends, whatever ended first.
//
//     tess run         waits, and passes signals on
//       owner          a process group of its own, so that what ends the group of `tess run` does not end it
//         launcher     in the group of `tess run`, for its terminal; the system kills it if the owner ends
//           places
//
//   Processes whose parent ends become children of the owner, or of `tess run` if the owner ended: whoever is left
//   ends them and removes the job's folder. SIGTERM, SIGINT and SIGHUP to either, and a closed output (SIGPIPE), end
//   the job, and then `tess run` by the same signal, as they would end a program that is one process.
//
// Threads   the caller's.
// Errors    usage_error: the folder or the process cannot be made.
#pragma once

#include <signal.h>

#include <cstddef>
#include <filesystem>
#include <functional>

namespace tess::cli {

/// A folder in that for temporary files, which only this user may enter; also the launcher's files are there.
class job_folder {
 public:
  job_folder();
  job_folder(job_folder const&) = delete;
  job_folder& operator=(job_folder const&) = delete;
  ~job_folder() { remove(); }
  /// For a job without files: if `tess run` is killed before its owner runs, nobody removes a folder.
  [[nodiscard]] static job_folder none() { return job_folder{nullptr}; }

  [[nodiscard]] std::filesystem::path const& path() const noexcept { return path_; }
  void remove() const noexcept;

 private:
  explicit job_folder(std::nullptr_t) {}

  std::filesystem::path path_;
};

/// What the owner knows of the command that it works for.
struct owner {
  job_folder const& folder;
  sigset_t signals_before;  ///< blocked in `tess run`
  int command = 0;          ///< `tess run`
  int command_ended = -1;   ///< its pidfd
  int signals = -1;         ///< a signalfd: of those that end the job
};

/// Calls `job` in the owner, and returns its exit code.
[[nodiscard]] int run_owned(std::function<int(owner const&)> const& job, bool has_files = true);

/// Ends the owner, and so `tess run`, by this signal.
[[noreturn]] void end_by_signal(job_folder const& folder, int number);

}  // namespace tess::cli
