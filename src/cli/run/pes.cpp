// pes: starts the PEs and waits for them.
#include "cli/run/pes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/process/process.hpp"
#include "cli/run/owner.hpp"
#include "tess/detail/shmem/job_file.hpp"

namespace tess::cli {
namespace {

namespace file = tess::detail::shmem_job;
using file::progress;

int wanted_pes() {
  char const* const given = ::getenv("TESS_PLACES");
  if (given == nullptr) return 1;
  std::string_view const text = given;
  int pes = 0;
  auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), pes);
  if (problem != std::errc() || end != text.data() + text.size() || pes < 1 || pes > file::pes_max)
    throw usage_error{fmt::format("run: {} PEs; give 1 to {}", text, file::pes_max)};
  return pes;
}

/// The memory of the job, of which this process sees the control block.
class job_memory {
 public:
  explicit job_memory(int pes) : descriptor_(::memfd_create("tess-shmem", 0)) {
    if (descriptor_ < 0 || ::ftruncate(descriptor_, static_cast<off_t>(file::file_bytes(pes))) != 0) refuse();
    void* const seen =
        ::mmap(nullptr, sizeof(file::control), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor_, 0);
    if (seen == MAP_FAILED) refuse();
    control_ = static_cast<file::control*>(seen);
  }
  ~job_memory() {
    ::munmap(control_, sizeof(file::control));
    ::close(descriptor_);
  }
  job_memory(job_memory const&) = delete;
  job_memory& operator=(job_memory const&) = delete;

  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  [[nodiscard]] file::control const& control() const noexcept { return *control_; }

 private:
  [[noreturn]] static void refuse() {
    throw usage_error{fmt::format("run: no memory file for the PEs: {}", std::strerror(errno))};
  }

  int descriptor_;
  file::control* control_ = nullptr;
};

/// As for places of several hosts (--failure-timeout).
std::chrono::duration<double> longest_wait() {
  std::string const given = environment_variable("TESS_FAILURE_TIMEOUT");
  double seconds = 10;
  std::from_chars(given.data(), given.data() + given.size(), seconds);
  return std::chrono::duration<double>(seconds);
}

/// The processes, until all have ended.
class pe_processes {
 public:
  pe_processes(owner const& by, job_memory const& memory, int pes) : owner_(by), memory_(memory), pes_(pes) {
    sigset_t children;
    ::sigemptyset(&children);
    ::sigaddset(&children, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &children, nullptr);
    ended_ = ::signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
    if (ended_ < 0) throw usage_error{"run: no file for the PEs' ends; a larger `ulimit -n`"};
  }
  ~pe_processes() { ::close(ended_); }
  pe_processes(pe_processes const&) = delete;
  pe_processes& operator=(pe_processes const&) = delete;

  void start(std::filesystem::path const& program, words const& arguments) {
    std::vector<char*> argv{const_cast<char*>(program.c_str())};
    for (auto const& word : arguments) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    ::setenv(file::job_variable, fmt::format("{}:{}", memory_.descriptor(), pes_).c_str(), 1);
    for (int pe = 0; pe < pes_; ++pe) {
      ::setenv(file::pe_variable, std::to_string(pe).c_str(), 1);
      pid_t const process = ::vfork();
      if (process == 0) become_pe(pe, argv);
      if (process < 0) {
        int const problem = errno;
        end_all(SIGKILL);
        throw usage_error{fmt::format("run: cannot start PE {}: {}; fewer PEs", pe, std::strerror(problem))};
      }
      processes_.push_back(process);
      ++left_;
    }
  }

  int wait() {
    while (left_ != 0) {
      pollfd files[] = {{owner_.signals, POLLIN, 0}, {owner_.command_ended, POLLIN, 0}, {ended_, POLLIN, 0}};
      ::poll(files, std::size(files), timeout());
      if (files[0].revents != 0) take_signal();
      if (files[1].revents != 0) end_all(SIGKILL);
      signalfd_siginfo seen{};
      while (::read(ended_, &seen, sizeof seen) == sizeof seen) {
      }
      collect();
      if (ending_ && std::chrono::steady_clock::now() >= kill_at_) end_all(SIGKILL);
      if (absent_ >= 0 && !ending_) look_who_waits();
    }
    if (signal_ != 0) end_by_signal(owner_.folder, signal_);
    return code_ != 0 ? code_ : code_of_races();
  }

 private:
  /// When all PEs ended well.
  [[nodiscard]] int code_of_races() const {
    std::uint32_t const races = memory_.control().races.load();
    if (races == 0) return exit_fine;
    fmt::print(stderr, "tess: {} race{}\n", races, races == 1 ? "" : "s");
    return exit_misuse;
  }

  /// After vfork: only system calls.
  [[noreturn]] void become_pe(int pe, std::vector<char*> const& argv) const {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::sigprocmask(SIG_SETMASK, &owner_.signals_before, nullptr);
    if (pe != 0) {
      int const nothing = ::open("/dev/null", O_RDONLY);
      if (nothing > 0) ::dup2(nothing, STDIN_FILENO);
    }
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }

  /// In milliseconds, for poll(2).
  [[nodiscard]] int timeout() const {
    constexpr int look_again = 100;
    if (!ending_) return absent_ >= 0 ? look_again : -1;
    auto const left = kill_at_ - std::chrono::steady_clock::now();
    return std::max(1, static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(left).count()));
  }

  void end_all(int number) {
    for (pid_t const process : processes_)
      if (process != 0) ::kill(process, number);
  }
  /// By SIGTERM, so that they may end in order; who does not is killed.
  void end_others() {
    if (ending_) return;
    ending_ = true;
    kill_at_ = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    end_all(SIGTERM);
    end_all(SIGCONT);
  }

  void take_signal() {
    signalfd_siginfo seen{};
    if (::read(owner_.signals, &seen, sizeof seen) != sizeof seen) return;
    signal_ = static_cast<int>(seen.ssi_signo);
    end_others();
  }

  void collect() {
    int status = 0;
    for (pid_t ended = 0; (ended = ::waitpid(-1, &status, WNOHANG)) > 0;) {
      auto const found = std::ranges::find(processes_, ended);
      if (found == processes_.end()) continue;
      *found = 0;
      --left_;
      note(static_cast<int>(found - processes_.begin()), status);
    }
  }

  /// What a PE's end means for the job.
  void note(int pe, int status) {
    if (ending_) return;
    std::uint32_t const global = memory_.control().exit_code.load();
    if (global != 0) {
      code_ = static_cast<int>(global) - 1;
      end_others();
      return;
    }
    auto const reached = memory_.control().state[pe].reached.load();
    int const code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    code_ = std::max(code_, code);
    bool const finished = WIFEXITED(status) && (code == 0 || reached == progress::finalized || left_ == 0);
    if (finished) {
      if (reached != progress::finalized && absent_ < 0) absent_ = pe;
      return;
    }
    say(pe, status, code);
    if (left_ != 0) end_others();
  }

  /// A PE ended with 0 without shmem_finalize, and nobody else needs it, or all others will wait for ever.
  void look_who_waits() {
    std::vector<std::uint64_t> waits;
    bool all_wait = true;
    for (std::size_t pe = 0; pe < processes_.size(); ++pe) {
      waits.push_back(processes_[pe] == 0 ? 0 : memory_.control().state[pe].waits.load());
      all_wait = all_wait && (processes_[pe] == 0 || static_cast<std::uint32_t>(waits.back()) != 0);
    }
    auto const now = std::chrono::steady_clock::now();
    if (!all_wait || waits != waits_) {
      waits_ = std::move(waits);
      waiting_since_ = now;
    } else if (now - waiting_since_ >= longest_wait()) {
      fmt::print(stderr, "tess: PE {} of {} ended without shmem_finalize; all others wait, and are ended\n", absent_,
                 pes_);
      code_ = exit_failed;
      end_others();
    }
  }

  void say(int pe, int status, int code) const {
    std::string how = fmt::format("ended with {}", code);
    if (WIFSIGNALED(status)) how = fmt::format("was ended by SIG{}", ::sigabbrev_np(WTERMSIG(status)));
    if (code == 127 && WIFEXITED(status)) how += ": could it be started?";
    fmt::print(stderr, "tess: PE {} of {} {}{}\n", pe, pes_, how, left_ != 0 ? "; the others are ended" : "");
  }

  owner const& owner_;
  job_memory const& memory_;
  int pes_;
  int ended_ = -1;
  std::vector<pid_t> processes_;
  int left_ = 0;
  int code_ = 0;
  int signal_ = 0;
  bool ending_ = false;
  std::chrono::steady_clock::time_point kill_at_{};
  int absent_ = -1;  ///< the first PE that ended with 0 without shmem_finalize
  std::vector<std::uint64_t> waits_;
  std::chrono::steady_clock::time_point waiting_since_{};
};

}  // namespace

int run_pes(std::filesystem::path const& program, words const& arguments) {
  int const pes = wanted_pes();
  auto const job = [&](owner const& by) {
    job_memory const memory(pes);
    pe_processes processes(by, memory, pes);
    processes.start(program, arguments);
    return processes.wait();
  };
  return run_owned(job, false);
}

}  // namespace tess::cli
