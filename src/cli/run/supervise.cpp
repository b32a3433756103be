// supervise: reads the launcher's standard error, and gives it time.
#include "cli/run/supervise.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "cli/process/overdue.hpp"
#include "cli/run/launcher_process.hpp"

namespace tess::cli {
namespace {

using clock = std::chrono::steady_clock;

/// The tags of `mpirun --tag-output` and `srun --label`.
bool is_tag(std::string_view text) {
  return text.ends_with(">:") || (text.ends_with(": ") && text.find_first_not_of("0123456789: ") == text.npos);
}

/// Whole lines to standard error, except those for this command.
class line_filter {
 public:
  explicit line_filter(unsigned reports) : reported_(reports) {}
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
  [[nodiscard]] exit_reports const& reported() const noexcept { return reported_; }
  /// How long place 0 may be silent; nothing: not known yet.
  [[nodiscard]] std::optional<std::chrono::milliseconds> const& again_within() const noexcept { return again_within_; }

 private:
  void pass_on(std::string const& line) {
    if (auto const said = said_exit_code(line)) {
      reported_.add(*said);
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
  exit_reports reported_;
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

/// Gives a launcher time to end when its places have ended, or when it has fallen silent.
class reminder {
 public:
  /// To be called at least every second.
  void look(launcher_process& launcher, line_filter& lines, bool heard) {
    auto const now = clock::now();
    // A command that was stopped itself cannot conclude that others were silent.
    bool const stood_still = now - std::exchange(last_look_, now) > 2 * overdue::look_again;
    if (lines.reported().decided()) {
      if (!std::exchange(places_ended_, true)) launcher.must_end_within(overdue::launchers_patience);
    } else if (lines.again_within() && (heard || stood_still)) {
      launcher.must_end_within(lines.again_within());
    }
    if (launcher.asked()) lines.give_up_launcher();
  }

 private:
  clock::time_point last_look_ = clock::now();
  bool places_ended_ = false;
};

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

int supervise(owner const& by, words const& command, unsigned reports) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0)
    throw usage_error{fmt::format("run: pipe: {}", std::strerror(errno))};
  auto const [errors, errors_end] = ends;
  // Only our end does not block.
  ::fcntl(errors_end, F_SETFL, 0);
  launcher_process launcher(by, command, errors_end, {}, reports);
  ::close(errors_end);
  line_filter lines(reports);
  reminder reminds;
  bool closed = false;
  while (!launcher.has_ended()) {
    // Closed by all writers: only the end is awaited.
    std::vector<pollfd> files{{closed ? -1 : errors, POLLIN, 0}};
    launcher.wait(files);
    reminds.look(launcher, lines, read_all(errors, lines));
    closed = (files[0].revents & POLLHUP) != 0 || closed;
  }
  launcher.end_rest();
  read_all(errors, lines);
  lines.finish();
  ::close(errors);
  if (launcher.asked() && !lines.reported().any() && lines.again_within() && !launcher.signalled())
    fmt::print(
        stderr,
        "tess: nothing was heard of place 0 through {} for {:.1f} s, and it did not end; it was ended; a host, or "
        "its own process there, may be gone\n",
        command.front(), std::chrono::duration<double>(lines.again_within().value()).count());
  return launcher.conclude(lines.reported().any());
}

}  // namespace tess::cli
