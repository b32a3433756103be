// launcher_process: fork(2) with a signal for the owner's end, and poll(2).
#include "cli/run/launcher_process.hpp"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <fstream>

#include "cli/process/descendants.hpp"
#include "cli/process/process.hpp"

namespace tess::cli {
namespace {

/// Time for places, or for a launcher, to end after SIGTERM.
constexpr std::chrono::milliseconds signal_patience{2000};
constexpr std::chrono::seconds rest_patience{5};
constexpr double default_failure_timeout = 10;

std::chrono::milliseconds failure_timeout() {
  std::string const text = environment_variable("TESS_FAILURE_TIMEOUT");
  double seconds = default_failure_timeout;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::clamp(seconds, 0.5, 1e6) * 1e3));
}

/// A launcher makes its folder beside others, and removes what it takes for leftovers: each has its own place.
void give_folder(std::filesystem::path const& folder) {
  std::filesystem::path const own = folder / "launcher";
  for (std::string const prefix : {"OMPI_MCA_orte", "PRTE_MCA_prte"}) {
    if (!environment_variable((prefix + "_tmpdir_base").c_str()).empty()) continue;
    std::filesystem::create_directory(own);
    ::setenv((prefix + "_local_tmpdir_base").c_str(), own.c_str(), 0);
  }
}

/// In the child: becomes the program, or tells why not.
[[noreturn]] void become_launcher(owner const& by, int group, int errors, int failure, char* const* pointers) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (group > 0) ::setpgid(0, group);
  if (errors != STDERR_FILENO) ::dup2(errors, STDERR_FILENO);
  ::signal(SIGTTOU, SIG_DFL);
  ::sigprocmask(SIG_SETMASK, &by.signals_before, nullptr);
  ::execvp(pointers[0], pointers);
  int const why = errno;
  static_cast<void>(!::write(failure, &why, sizeof why));
  ::_exit(127);
}

}  // namespace

launcher_process::launcher_process(owner const& by, words const& command, int errors, std::filesystem::path exit_file,
                                   unsigned reports)
    : owner_(by),
      name_(command.size() > 1 && command[1] == "spawn" ? "tess spawn" : command.front()),
      exit_file_(std::move(exit_file)),
      reports_(reports),
      stopped_most_(failure_timeout()) {
  give_folder(by.folder.path());
  start(by, command, errors);
  late_ = overdue(process_);
  ended_ = static_cast<int>(::syscall(SYS_pidfd_open, process_, 0));
}

launcher_process::~launcher_process() {
  end_rest();
  ::close(ended_);
}

void launcher_process::start(owner const& by, words const& command, int errors) {
  auto copies = command;
  std::vector<char*> pointers;
  for (auto& word : copies) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  std::array<int, 2> failure{};
  if (::pipe2(failure.data(), O_CLOEXEC) != 0) throw usage_error{fmt::format("run: pipe: {}", std::strerror(errno))};
  int const group = ::getpgid(by.command);
  process_ = ::fork();
  if (process_ == 0) become_launcher(by, group, errors, failure[1], pointers.data());
  int why = process_ < 0 ? errno : 0;
  ::close(failure[1]);
  if (why == 0) static_cast<void>(!::read(failure[0], &why, sizeof why));
  ::close(failure[0]);
  if (why != 0) throw usage_error{fmt::format("cannot start {}: {}", name_, std::strerror(why))};
}

void launcher_process::wait(std::vector<pollfd>& files) {
  std::size_t const own = files.size();
  files.insert(files.end(), {{ended_, POLLIN, 0}, {owner_.signals, POLLIN, 0}});
  if (signal_ == 0) files.push_back({owner_.command_ended, POLLIN, 0});
  if (::poll(files.data(), files.size(), late_.milliseconds()) < 0)
    for (pollfd& f : files) f.revents = 0;
  if (files[own + 1].revents != 0) take_signals();
  if (signal_ == 0 && files[own + 2].revents != 0) {
    fmt::print(stderr, "tess: `tess run` was killed; its job is ended\n");
    end_because_of(SIGKILL);
  }
  if (files[own].revents != 0) reap();
  files.resize(own);
  look();
}

void launcher_process::take_signals() {
  signalfd_siginfo info{};
  while (::read(owner_.signals, &info, sizeof info) == sizeof info) {
    // Whoever asks a second time does not want to wait; the places may still be writing to a closed output.
    if (signal_ != 0 && static_cast<int>(info.ssi_signo) != SIGPIPE && !has_ended()) ::kill(process_, SIGKILL);
    if (signal_ == 0) end_because_of(static_cast<int>(info.ssi_signo));
  }
}

void launcher_process::end_because_of(int number) {
  signal_ = number;
  std::vector<int> const places = exit_file_.empty() || has_ended() ? std::vector<int>{} : children_of(process_);
  for (int const place : places) {
    ::kill(place, SIGTERM);
    ::kill(place, SIGCONT);
  }
  // A launcher that has not started them yet would start them.
  late_.has(places.empty() ? std::chrono::milliseconds(0) : signal_patience);
  late_.look();
}

void launcher_process::look() {
  if (has_ended()) return;
  late_.look();
  auto const now = overdue::clock::now();
  if (now - last_look_ < overdue::look_again) return;
  last_look_ = now;
  if (signal_ == 0 && !given_up_) look_for_stops();
}

void launcher_process::look_for_stops() {
  std::vector<int> const places = exit_file_.empty() ? std::vector<int>{} : children_of(process_);
  if (reported().decided()) {
    if (!late_.has_limit()) late_.has(overdue::launchers_patience);
    for (int const place : places)
      if (is_stopped(place)) ::kill(place, SIGKILL);
    return;
  }
  bool const launcher_stands = is_stopped(process_);
  bool const places_stand = !places.empty() && std::ranges::all_of(places, is_stopped);
  if (!(launcher_stands || places_stand) || is_stopped(owner_.command)) {
    stopped_since_.reset();
    return;
  }
  if (!stopped_since_) stopped_since_ = overdue::clock::now();
  auto const stood = overdue::clock::now() - *stopped_since_;
  if (stood < stopped_most_) return;
  std::string const who = launcher_stands ? fmt::format("{} (process {})", name_, process_) : "every place";
  give_up(fmt::format("{} has been stopped for {:.1f} s", who, std::chrono::duration<double>(stood).count()));
}

void launcher_process::give_up(std::string const& why) {
  fmt::print(stderr, "tess: {}; the job was ended\n", why);
  given_up_ = true;
  ::kill(process_, SIGKILL);
}

void launcher_process::reap() {
  int status = 0;
  if (::waitpid(process_, &status, WNOHANG) == process_) status_ = status;
}

void launcher_process::end_rest() {
  if (!has_ended()) ::kill(process_, SIGKILL);
  end_children(rest_patience);
}

exit_reports launcher_process::reported() const {
  exit_reports found(reports_);
  if (exit_file_.empty()) return found;
  std::ifstream stream(exit_file_);
  for (int code = 0; stream >> code;) found.add(code);
  return found;
}

int launcher_process::conclude(std::optional<int> places_code) const {
  // A program may end in order after a signal.
  if (signal_ != 0 && places_code != exit_fine) {
    if (signal_ == SIGKILL) return exit_failed;
    if (signal_ != SIGPIPE) fmt::print(stderr, "tess: SIG{} ended the job\n", ::sigabbrev_np(signal_));
    end_by_signal(owner_.folder, signal_);
  }
  if (places_code) {
    if (asked()) fmt::print(stderr, "tess: {} did not end, though the places did; it was ended\n", name_);
    return *places_code;
  }
  if (asked() && !exit_file_.empty())
    fmt::print(stderr, "tess: {} did not end, though all places did, and none said how; it was ended\n", name_);
  if (given_up_ || asked() || !status_) return exit_failed;
  if (WIFSIGNALED(*status_)) {
    fmt::print(stderr, "tess: SIG{} ended {} (process {}), and the job with it\n", ::sigabbrev_np(WTERMSIG(*status_)),
               name_, process_);
    return exit_failed;
  }
  int const code = WEXITSTATUS(*status_);
  fmt::print(stderr, "tess: {} ended the job with {} before a place said how{}\n", name_, code,
             code == exit_fine || !exit_file_.empty() ? "" : "; a host, or its own process there, may be gone");
  return code == exit_fine || code > 125 ? exit_failed : code;
}

}  // namespace tess::cli
