// supervise: poll(2) on the launcher's standard error and on its pidfd.
#include "cli/supervise.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <string>

namespace tess::cli {
namespace {

using clock = std::chrono::steady_clock;

/// From the first word of a place about the end until the launcher is asked to end, and until it is made to.
constexpr auto patience = std::chrono::seconds(5);
constexpr auto last_patience = std::chrono::seconds(2);

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

/// Whole lines to standard error, but for those that are for us.
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
  [[nodiscard]] std::optional<int> const& code() const noexcept { return code_; }

 private:
  void pass_on(std::string const& line) {
    if (auto const said = said_exit_code(line)) {
      if (!code_) code_ = said;
      return;
    }
    // Open MPI 4.1 says this of every place that ended with another code than 0.
    if (line.contains("PMIX ERROR: BAD-PARAM in file")) return;
    static_cast<void>(!::write(STDERR_FILENO, line.data(), line.size()));
  }

  std::string rest_;
  std::optional<int> code_;
};

void read_all(int file, line_filter& into) {
  std::array<char, 4096> chunk{};
  for (ssize_t got = 0; (got = ::read(file, chunk.data(), chunk.size())) > 0;)
    into.add({chunk.data(), static_cast<std::size_t>(got)});
}

/// Ends a launcher that should have ended; when to look again.
class reminder {
 public:
  explicit reminder(pid_t process) : process_(process) {}

  int milliseconds(bool places_ended) {
    if (!places_ended) return -1;
    auto const now = clock::now();
    if (!due_) due_ = now + patience;
    if (now >= *due_) {
      ::kill(process_, asked_ ? SIGKILL : SIGTERM);
      asked_ = true;
      due_ = now + last_patience;
    }
    return static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(*due_ - now).count()) + 1;
  }
  [[nodiscard]] bool asked() const noexcept { return asked_; }

 private:
  pid_t process_;
  std::optional<clock::time_point> due_;
  bool asked_ = false;
};

int reap(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  // A signal is a failure of the job, and no other code.
  return WIFEXITED(status) && WEXITSTATUS(status) < 126 ? WEXITSTATUS(status) : exit_failed;
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

int supervise(std::filesystem::path const& launcher, words const& arguments) {
  child const c = start(launcher.string(), arguments);
  line_filter lines;
  reminder reminds(c.process);
  std::array<pollfd, 2> files{pollfd{c.ended, POLLIN, 0}, pollfd{c.errors, POLLIN, 0}};
  while (files[0].revents == 0) {
    if (::poll(files.data(), files.size(), reminds.milliseconds(lines.code().has_value())) < 0 && errno != EINTR) break;
    read_all(c.errors, lines);
    // Closed by all writers: only the end is waited for.
    if ((files[1].revents & POLLHUP) != 0) files[1].fd = -1;
  }
  read_all(c.errors, lines);
  lines.finish();
  int const code = reap(c.process);
  ::close(c.errors);
  ::close(c.ended);
  if (reminds.asked())
    fmt::print(stderr, "tess: {} did not end, though the places did; it was ended\n", launcher.string());
  if (lines.code()) return *lines.code();
  fmt::print(stderr, "tess: {} ended the job with {} before a place said how{}\n", launcher.string(), code,
             code == exit_fine ? "" : "; a host, or its own process there, may be gone");
  return exit_failed;
}

}  // namespace tess::cli
