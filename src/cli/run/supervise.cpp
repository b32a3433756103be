// supervise: poll(2) on the launcher's standard error and on its pidfd.
#include "cli/run/supervise.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <string>
#include <utility>

#include "cli/process/overdue.hpp"

namespace tess::cli {
namespace {

using clock = std::chrono::steady_clock;

struct child {
  pid_t process;
  int errors;     ///< read end of its standard error
  int ended = 0;  ///< a pidfd
};

child start(std::string program, words copies) {
  std::vector<char*> pointers{program.data()};
  for (auto& word : copies) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw usage_error{fmt::format("run: pipe: {}", std::strerror(errno))};
  posix_spawn_file_actions_t streams;
  ::posix_spawn_file_actions_init(&streams);
  ::posix_spawn_file_actions_adddup2(&streams, ends[1], STDERR_FILENO);
  child started{0, ends[0]};
  int const problem = ::posix_spawnp(&started.process, program.c_str(), &streams, nullptr, pointers.data(), environ);
  ::posix_spawn_file_actions_destroy(&streams);
  ::close(ends[1]);
  if (problem != 0) throw usage_error{fmt::format("cannot start {}: {}", program, std::strerror(problem))};
  started.ended = static_cast<int>(::syscall(SYS_pidfd_open, started.process, 0));
  ::fcntl(started.errors, F_SETFL, O_NONBLOCK);
  return started;
}

/// The tags of `mpirun --tag-output` and `srun --label`.
bool is_tag(std::string_view text) {
  return text.ends_with(">:") || (text.ends_with(": ") && text.find_first_not_of("0123456789: ") == text.npos);
}

/// Whole lines to standard error, except those for this command.
class line_filter {
 public:
  void add(std::string_view text) {
    rest_ += text;
    for (std::size_t end = 0; (end = rest_.find('\n')) != std::string::npos;) {
      pass_on(rest_.substr(0, end + 1));
      rest_.erase(0, end + 1);
    }
  }
  void finish() {
    if (!rest_.empty()) pass_on(rest_);
    rest_.clear();
  }
  /// Later output of the launcher is about itself.
  void give_up_launcher() noexcept { launcher_given_up_ = true; }
  [[nodiscard]] std::optional<int> const& code() const noexcept { return code_; }
  /// How long place 0 may be silent; nothing: not known yet.
  [[nodiscard]] std::optional<std::chrono::milliseconds> const& again_within() const noexcept { return again_within_; }

 private:
  void pass_on(std::string const& line) {
    if (auto const said = said_exit_code(line)) {
      if (!code_) code_ = said;
      return;
    }
    if (auto const alive = said_alive(line)) {
      again_within_ = alive->again_within;
      auto const before = std::string_view(line).substr(0, alive->begin);
      if (!is_tag(before)) write(before);
      return;
    }
    // Open MPI 4.1 prints this for every place that ended with another code than 0.
    if (line.contains("PMIX ERROR: BAD-PARAM in file")) return;
    // Open MPI 4.1 crashes when it is asked to end in that state, and prints a long report.
    if (launcher_given_up_ && !line.contains("tess: ")) return;
    write(line);
  }
  static void write(std::string_view text) { static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size())); }

  std::string rest_;
  std::optional<int> code_;
  std::optional<std::chrono::milliseconds> again_within_;
  bool launcher_given_up_ = false;
};

/// True: data arrived.
bool read_all(int file, line_filter& into) {
  std::array<char, 4096> chunk{};
  bool came = false;
  for (ssize_t got = 0; (got = ::read(file, chunk.data(), chunk.size())) > 0; came = true)
    into.add({chunk.data(), static_cast<std::size_t>(got)});
  return came;
}

/// Ends a launcher that should have ended, or that has fallen silent.
class reminder {
 public:
  explicit reminder(pid_t process) : launcher_(process) {}

  /// To be called at least every second.
  void look(line_filter& lines, bool heard) {
    auto const now = clock::now();
    // A command that was stopped itself cannot conclude that others were silent.
    bool const stood_still = now - std::exchange(last_look_, now) > 2 * overdue::look_again;
    if (lines.code()) {
      if (!std::exchange(places_ended_, true)) launcher_.has(overdue::launchers_patience);
    } else if (lines.again_within() && (heard || stood_still)) {
      launcher_.has(lines.again_within());
    }
    launcher_.look();
    if (launcher_.asked()) lines.give_up_launcher();
  }
  [[nodiscard]] int milliseconds() const { return launcher_.milliseconds(); }
  [[nodiscard]] bool asked() const noexcept { return launcher_.asked(); }

 private:
  overdue launcher_;
  clock::time_point last_look_ = clock::now();
  bool places_ended_ = false;
};

int reap(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  // A signal means that the job failed, and is not an exit code.
  return WIFEXITED(status) && WEXITSTATUS(status) < 126 ? WEXITSTATUS(status) : exit_failed;
}

int say_how_it_ended(std::string const& launcher, line_filter const& lines, bool asked, int code) {
  if (lines.code()) {
    if (asked) fmt::print(stderr, "tess: {} did not end, though the places did; it was ended\n", launcher);
    return *lines.code();
  }
  if (asked)
    fmt::print(
        stderr,
        "tess: nothing was heard of place 0 through {} for {:.1f} s, and it did not end; it was ended; a host, or "
        "its own process there, may be gone\n",
        launcher, std::chrono::duration<double>(lines.again_within().value()).count());
  else
    fmt::print(stderr, "tess: {} ended the job with {} before a place said how{}\n", launcher, code,
               code == exit_fine ? "" : "; a host, or its own process there, may be gone");
  return exit_failed;
}

}  // namespace

std::optional<int> said_exit_code(std::string_view line) {
  constexpr std::string_view text = "tess: exit code ";
  auto const at = line.find(text);
  // Before it there is nothing, or the launcher's tag.
  if (at == std::string_view::npos || (at > 0 && line[at - 1] != ':' && line[at - 1] != ' ')) return std::nullopt;
  auto const number = line.substr(at + text.size());
  int code = 0;
  auto const [stop, error] = std::from_chars(number.data(), number.data() + number.size(), code);
  if (error != std::errc{}) return std::nullopt;
  return code;
}

std::optional<pulse> said_alive(std::string_view line) {
  constexpr std::string_view text = "tess: alive, again within ";
  auto const at = line.find(text);
  if (at == std::string_view::npos) return std::nullopt;
  auto const number = line.substr(at + text.size());
  int milliseconds = 0;
  auto const [stop, error] = std::from_chars(number.data(), number.data() + number.size(), milliseconds);
  if (error != std::errc{} || !std::string_view(stop, number.data() + number.size()).starts_with(" ms"))
    return std::nullopt;
  return pulse{at, std::chrono::milliseconds(milliseconds)};
}

int supervise(std::filesystem::path const& launcher, words const& arguments) {
  child const c = start(launcher.string(), arguments);
  line_filter lines;
  reminder reminds(c.process);
  std::array<pollfd, 2> files{pollfd{c.ended, POLLIN, 0}, pollfd{c.errors, POLLIN, 0}};
  while (files[0].revents == 0) {
    if (::poll(files.data(), files.size(), reminds.milliseconds()) < 0 && errno != EINTR) break;
    reminds.look(lines, read_all(c.errors, lines));
    // Closed by all writers: only the end is awaited.
    if ((files[1].revents & POLLHUP) != 0) files[1].fd = -1;
  }
  read_all(c.errors, lines);
  lines.finish();
  int const code = reap(c.process);
  ::close(c.errors);
  ::close(c.ended);
  return say_how_it_ended(launcher.string(), lines, reminds.asked(), code);
}

}  // namespace tess::cli
