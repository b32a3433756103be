// source_lines: one question and some lines of text for each address.
#include "machine/profile/source_lines.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <unordered_map>

#include "machine/profile/function_table.hpp"

extern char** environ;

namespace tess::machine {
namespace {

/// A file that exists as long as it is open.
class open_file {
 public:
  explicit open_file(int number) noexcept : number_(number) {}
  open_file(open_file const&) = delete;
  open_file& operator=(open_file const&) = delete;
  ~open_file() {
    if (number_ >= 0) ::close(number_);
  }
  [[nodiscard]] int number() const noexcept { return number_; }
  bool write(std::string_view text) const {
    while (!text.empty()) {
      ssize_t const done = ::write(number_, text.data(), text.size());
      if (done <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(done));
    }
    return ::lseek(number_, 0, SEEK_SET) == 0;
  }
  [[nodiscard]] std::string content() const {
    std::string text;
    std::array<char, 1U << 16U> part{};
    ::lseek(number_, 0, SEEK_SET);
    for (ssize_t got = 0; (got = ::read(number_, part.data(), part.size())) > 0;)
      text.append(part.data(), static_cast<std::size_t>(got));
    return text;
  }

 private:
  int number_;
};

bool run(std::array<std::string, 4> words, int input, int output) {
  std::array<char*, 5> arguments{words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t tool = 0;
  bool const started = ::posix_spawnp(&tool, arguments[0], &actions, nullptr, arguments.data(), environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  return started && ::waitpid(tool, &status, 0) == tool && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// The answers, one after the other: two lines for each function, innermost first, and an empty one behind the last.
class answer_reader {
 public:
  explicit answer_reader(std::string_view text) : text_(text) {}

  std::vector<source_frame> next() {
    std::vector<source_frame> frames;
    for (std::string_view name = line(); !name.empty(); name = line()) {
      std::string_view place = line();  // file:line:column
      place = place.substr(0, place.rfind(':'));
      std::size_t const colon = std::min(place.rfind(':'), place.size());
      source_frame frame{.function = readable(name), .file = std::string(known(place.substr(0, colon)))};
      if (colon < place.size()) std::from_chars(place.data() + colon + 1, place.data() + place.size(), frame.line);
      if (frame.function.empty() && frame.line == 0) continue;
      frames.push_back(std::move(frame));
    }
    return frames;
  }

 private:
  std::string_view line() {
    std::size_t const end = std::min(text_.find('\n', at_), text_.size());
    std::string_view const one = text_.substr(at_, end - at_);
    at_ = std::min(end + 1, text_.size());
    return one;
  }
  static std::string_view known(std::string_view word) { return word == "??" ? std::string_view() : word; }
  // Few functions have most of the addresses.
  std::string const& readable(std::string_view symbol) {
    auto const [found, added] = names_.try_emplace(symbol);
    if (added) found->second = readable_name(known(symbol));
    return found->second;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::unordered_map<std::string_view, std::string> names_;
};

}  // namespace

std::vector<std::vector<source_frame>> source_lines(std::string const& program,
                                                    std::span<std::uint64_t const> addresses) {
  std::vector<std::vector<source_frame>> all(addresses.size());
  open_file const questions(::memfd_create("addresses", MFD_CLOEXEC));
  open_file const answers(::memfd_create("lines", MFD_CLOEXEC));
  std::string text;
  for (std::uint64_t const address : addresses) text += fmt::format("{:#x}\n", address);
  if (questions.number() < 0 || answers.number() < 0 || !questions.write(text)) return all;
  bool answered = false;
  for (char const* const tool : {"llvm-symbolizer-19", "llvm-symbolizer"}) {
    answered =
        run({tool, "--obj=" + program, "--output-style=LLVM", "--no-demangle"}, questions.number(), answers.number());
    if (answered) break;
    ::lseek(questions.number(), 0, SEEK_SET);
  }
  if (!answered) return all;
  std::string const lines = answers.content();
  answer_reader reader(lines);
  for (auto& frames : all) frames = reader.next();
  return all;
}

}  // namespace tess::machine
