// spawn: posix_spawn(3) for each process, and a memory file for all.
#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <climits>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/launched.hpp"
#include "base/spawned_job.hpp"
#include "cli/command/command.hpp"
#include "cli/process/process.hpp"

namespace tess::cli {
namespace {

namespace job = tess::detail::spawned_job;

/// Processes of the job open it while this one lives.
class job_file {
 public:
  explicit job_file(std::uint32_t processes) : descriptor_(::memfd_create("tess-spawn", MFD_CLOEXEC)) {
    std::uint64_t const bytes = job::front_bytes(processes);
    bool const made = descriptor_ >= 0 && ::fchmod(descriptor_, 0600) == 0 &&
                      ::ftruncate(descriptor_, static_cast<off_t>(bytes)) == 0;
    void* const memory = made ? ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0) : MAP_FAILED;
    if (memory == MAP_FAILED)
      throw usage_error{fmt::format("spawn: no memory file for {} processes: {}", processes, ::strerror(errno))};
    header_ = static_cast<job::header*>(memory);
    header_->magic = job::magic;
    header_->processes = processes;
  }
  job_file(job_file const&) = delete;
  job_file& operator=(job_file const&) = delete;
  ~job_file() = default;  // lasts until this process ends

  [[nodiscard]] std::string name() const { return fmt::format("/proc/{}/fd/{}", ::getpid(), descriptor_); }

  /// Processes that wait for all to come learn that one never will.
  void note_end(std::uint32_t process) noexcept {
    job::record& its = reinterpret_cast<job::record*>(header_ + 1)[process];
    std::atomic_ref(its.ended).store(1, std::memory_order_release);
    std::atomic_ref(header_->ended).fetch_add(1, std::memory_order_release);
    ::syscall(SYS_futex, &header_->met, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  }

 private:
  int descriptor_;
  job::header* header_ = nullptr;
};

/// The environment of the processes, which differ in one entry.
class process_environment {
 public:
  explicit process_environment(std::string const& file) {
    std::string const rank = std::string(tess::detail::spawned_rank_variable) + "=";
    ::setenv(tess::detail::spawned_job_variable, file.c_str(), 1);
    for (char** entry = environ; *entry != nullptr; ++entry)
      if (!std::string_view(*entry).starts_with(rank)) entries_.push_back(*entry);
    entries_.insert(entries_.end(), {nullptr, nullptr});
  }

  [[nodiscard]] char* const* of(std::uint32_t process) {
    rank_ = fmt::format("{}={}", tess::detail::spawned_rank_variable, process);
    entries_[entries_.size() - 2] = rank_.data();
    return entries_.data();
  }

 private:
  std::string rank_;
  std::vector<char*> entries_;
};

constexpr std::array passed_on{SIGTERM, SIGINT, SIGHUP};

class processes {
 public:
  explicit processes(std::uint32_t number) : number_(number), file_(number) {
    ::sigemptyset(&awaited_);
    ::sigaddset(&awaited_, SIGCHLD);
    for (int const signal : passed_on) {
      struct sigaction now{};
      // Ignored, as SIGHUP is under nohup.
      if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) ::sigaddset(&awaited_, signal);
    }
    ::sigprocmask(SIG_BLOCK, &awaited_, &before_);
  }

  void start(words const& command) {
    std::vector<std::string> copies = command;
    std::vector<char*> arguments;
    for (std::string& word : copies) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    process_environment environment(file_.name());
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    ::posix_spawnattr_setsigmask(&attributes, &before_);
    // The first one reads what this command is given, as other launchers have it.
    posix_spawn_file_actions_t first, others;
    ::posix_spawn_file_actions_init(&first);
    ::posix_spawn_file_actions_init(&others);
    ::posix_spawn_file_actions_addopen(&others, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    int why = 0;
    for (std::uint32_t p = 0; p < number_ && why == 0; ++p) {
      pid_t id = 0;
      why = ::posix_spawnp(&id, arguments[0], p == 0 ? &first : &others, &attributes, arguments.data(),
                           environment.of(p));
      if (why == 0) running_.emplace(id, p);
    }
    ::posix_spawn_file_actions_destroy(&others);
    ::posix_spawn_file_actions_destroy(&first);
    ::posix_spawnattr_destroy(&attributes);
    if (why == 0) return;
    std::size_t const started = running_.size();
    pass_on(SIGKILL);
    while (!running_.empty()) reap(0);
    throw usage_error{fmt::format("cannot start {}{}: {}", command.front(),
                                  started == 0 ? "" : fmt::format(" more than {} times", started), ::strerror(why))};
  }

  /// The exit code of the first process that failed, or 0; 128 and the signal that ended it.
  int wait() {
    while (!running_.empty()) {
      int const signal = ::sigwaitinfo(&awaited_, nullptr);
      if (signal > 0 && signal != SIGCHLD) pass_on(signal);
      reap(WNOHANG);
    }
    return code_;
  }

 private:
  void pass_on(int signal) const {
    for (auto const& [id, process] : running_) ::kill(id, signal);
  }

  void reap(int options) {
    int status = 0;
    for (pid_t id = 0; (id = ::waitpid(-1, &status, options)) > 0;) {
      auto const found = running_.find(id);
      if (found == running_.end()) continue;
      file_.note_end(found->second);
      int const code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      if (code_ == 0) code_ = code;
      running_.erase(found);
      if (running_.empty()) return;
    }
  }

  std::uint32_t number_;
  job_file file_;
  sigset_t awaited_{};
  sigset_t before_{};
  std::unordered_map<pid_t, std::uint32_t> running_;
  int code_ = 0;
};

/// Words up to the program are ours.
words::const_iterator program_of(words const& given) {
  auto word = given.begin();
  while (word != given.end() && word->starts_with('-')) {
    if (*word == "--") return word + 1;
    word += *word == "-n" || *word == "--places" ? std::min<std::ptrdiff_t>(2, given.end() - word) : 1;
  }
  return word;
}

}  // namespace

int spawn(words const& given) {
  auto const program = program_of(given);
  words ours(given.begin(), program);
  if (!ours.empty() && ours.back() == "--") ours.pop_back();
  command_line line{"tess spawn -n N [--] PROGRAM [ARGUMENTS...]",
                    "Start a program as N processes of this host, which are the places of one job. This is what\n"
                    "`tess run --fabric ucx` does on one host; it adds to that whole lines of output, the job's exit\n"
                    "code, and an end of all when one place ends badly.",
                    "Example: tess spawn -n 4 ./my-program"};
  unsigned number = 0;
  line.add_option("-n,--places", number, "processes")->type_name("N")->check(CLI::Range(1U, job::processes_max));
  if (auto const code = line.finish_early(ours)) return *code;
  if (number == 0 || program == given.end()) throw usage_error{"spawn: give -n N and a program; see tess spawn --help"};
  // Without it a shell may have it ignored, and ends could not be awaited.
  ::signal(SIGCHLD, SIG_DFL);
  processes all(number);
  all.start(words(program, given.end()));
  return all.wait();
}

}  // namespace tess::cli
