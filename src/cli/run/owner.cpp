// owner: fork(2), and the half that stays `tess run`.
#include "cli/run/owner.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <system_error>

#include "cli/command/command.hpp"
#include "cli/process/descendants.hpp"

namespace tess::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array ending_signals{SIGTERM, SIGINT, SIGHUP};
constexpr std::chrono::seconds end_patience{5};

/// Those that are not ignored already, as SIGHUP is under nohup.
sigset_t signals_that_end() {
  sigset_t set;
  ::sigemptyset(&set);
  for (int const number : ending_signals) {
    struct sigaction now{};
    if (::sigaction(number, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) ::sigaddset(&set, number);
  }
  return set;
}

bool ends_commands(int number) {
  return number == SIGTERM || number == SIGINT || number == SIGHUP || number == SIGPIPE;
}

/// How the owner ended, with signals passed on to it until then.
int wait_for_owner(pid_t process, sigset_t const& awaited) {
  for (;;) {
    int const number = ::sigwaitinfo(&awaited, nullptr);
    if (number > 0 && number != SIGCHLD) ::kill(process, number);
    int status = 0;
    pid_t const changed = ::waitpid(process, &status, WNOHANG | WUNTRACED);
    if (changed < 0 && errno != EINTR) return 0;
    if (changed != process) continue;
    // The others of the job could not be watched meanwhile.
    if (WIFSTOPPED(status))
      ::kill(process, SIGCONT);
    else
      return status;
  }
}

int conclude(pid_t process, int status, job_folder const& folder) {
  end_children(end_patience);
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  int const number = WTERMSIG(status);
  if (ends_commands(number)) end_by_signal(folder, number);
  fmt::print(stderr,
             "tess: the process {} of `tess run`, which owned the job, was ended by SIG{}, and the job with it\n",
             process, ::sigabbrev_np(number));
  return exit_failed;
}

int be_owner(std::function<int(owner const&)> const& job, job_folder const& folder, int command,
             sigset_t const& signals_before, sigset_t signals) {
  ::setpgid(0, 0);
  adopt_orphans();
  // It may write to a terminal that the group of `tess run` has.
  ::signal(SIGTTOU, SIG_IGN);
  ::sigaddset(&signals, SIGPIPE);
  ::sigprocmask(SIG_BLOCK, &signals, nullptr);
  owner self{folder, signals_before, command};
  self.command_ended = static_cast<int>(::syscall(SYS_pidfd_open, command, 0));
  self.signals = ::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  if (self.command_ended < 0 || self.signals < 0)
    throw usage_error{fmt::format("run: no files for a job: {}; a larger `ulimit -n`", std::strerror(errno))};
  return job(self);
}

/// The errno of writing a few bytes into a new file there; 0: there is room. Places tell there how they ended.
int no_room_in(fs::path const& folder) {
  std::string const name = (folder / "room").string();
  std::array<char, 4096> const bytes{};
  auto const on_too_large = ::signal(SIGXFSZ, SIG_IGN);
  errno = 0;
  int reason = 0;
  int const file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0 || ::write(file, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
    reason = errno != 0 ? errno : ENOSPC;
  if (file >= 0) ::close(file);
  ::unlink(name.c_str());
  ::signal(SIGXFSZ, on_too_large);
  return reason;
}

}  // namespace

job_folder::job_folder() {
  std::string name = (fs::temp_directory_path() / "tess-job-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    throw usage_error{fmt::format("run: cannot make the folder {}: {}", name, std::strerror(errno))};
  path_ = name;
  if (int const reason = no_room_in(path_); reason != 0) {
    remove();
    throw usage_error{fmt::format("run: cannot write into {}: {}; TMPDIR may name a folder elsewhere",
                                  path_.parent_path().string(), std::strerror(reason))};
  }
  std::string queues = "/dev/shm/tess-job-XXXXXX";
  if (::mkdtemp(queues.data()) != nullptr) queues_ = queues;
}

void job_folder::remove() const noexcept {
  std::error_code already_gone;
  if (!path_.empty()) fs::remove_all(path_, already_gone);
  if (!queues_.empty()) fs::remove_all(queues_, already_gone);
}

int run_owned(std::function<int(owner const&)> const& job, bool has_files) {
  job_folder const folder = has_files ? job_folder{} : job_folder::none();
  int const command = ::getpid();
  sigset_t const signals = signals_that_end();
  sigset_t awaited = signals;
  ::sigaddset(&awaited, SIGCHLD);
  sigset_t before;
  // Ignored, it would hide how the owner ended.
  ::signal(SIGCHLD, SIG_DFL);
  ::sigprocmask(SIG_BLOCK, &awaited, &before);
  // The launcher's places come here if the owner is killed.
  adopt_orphans();
  std::fflush(nullptr);
  pid_t const process = ::fork();
  if (process < 0) throw usage_error{fmt::format("run: cannot start a process: {}", std::strerror(errno))};
  if (process == 0) {
    int code = exit_failed;
    try {
      code = be_owner(job, folder, command, before, signals);
    } catch (usage_error const& error) {
      fmt::print(stderr, "tess: {}\n", error.what());
      code = exit_misuse;
    } catch (std::exception const& error) {
      fmt::print(stderr, "tess: {}\n", error.what());
    }
    folder.remove();
    ::_exit(code);
  }
  return conclude(process, wait_for_owner(process, awaited), folder);
}

void end_by_signal(job_folder const& folder, int number) {
  folder.remove();
  std::fflush(nullptr);
  ::signal(number, SIG_DFL);
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, number);
  ::sigprocmask(SIG_UNBLOCK, &set, nullptr);
  ::raise(number);
  ::_exit(128 + number);
}

}  // namespace tess::cli
