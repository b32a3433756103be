// source_lines: one question and one line of JSON for each address.
#include "machine/profile/source_lines.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <nlohmann/json.hpp>

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

std::vector<source_frame> frames_of(nlohmann::json const& answer) {
  std::vector<source_frame> frames;
  auto const symbols = answer.find("Symbol");
  if (symbols == answer.end() || !symbols->is_array()) return frames;
  for (nlohmann::json const& one : *symbols) {
    source_frame frame{.function = readable_name(one.value("FunctionName", std::string())),
                       .file = one.value("FileName", std::string()),
                       .line = one.value("Line", std::uint32_t{0})};
    if (frame.function.empty() && frame.line == 0) continue;
    frames.push_back(std::move(frame));
  }
  return frames;
}

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
        run({tool, "--obj=" + program, "--output-style=JSON", "--no-demangle"}, questions.number(), answers.number());
    if (answered) break;
    ::lseek(questions.number(), 0, SEEK_SET);
  }
  if (!answered) return all;
  std::string const lines = answers.content();
  std::size_t at = 0;
  for (auto& frames : all) {
    std::size_t const end = lines.find('\n', at);
    if (end == std::string::npos) break;
    auto const answer = nlohmann::json::parse(lines.begin() + static_cast<std::ptrdiff_t>(at),
                                              lines.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
    if (answer.is_object()) frames = frames_of(answer);
    at = end + 1;
  }
  return all;
}

}  // namespace tess::machine
