// child_program: a program that runs as a child; its standard error is read with a limit, then it is killed.
#pragma once

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tess::test {

class child {
 public:
  child(char const* program, std::vector<std::string> environment, char const* how, char const* which = nullptr) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("pipe");
    pid_ = fork();
    if (pid_ == 0) {
      dup2(ends[1], 2);
      close(ends[0]);
      for (std::string& e : environment) putenv(e.data());
      execl(program, program, how, which, nullptr);
      _exit(127);
    }
    close(ends[1]);
    stderr_ = ends[0];
  }
  ~child() {
    if (pid_ != 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    close(stderr_);
  }
  child(child const&) = delete;
  child& operator=(child const&) = delete;

  void signal(int number) const { kill(pid_, number); }
  /// Reads until `text` was seen; false after 20 s.
  bool says(std::string const& text) {
    for (int tries = 0; tries < 200 && heard_.find(text) == std::string::npos; ++tries) {
      pollfd p{stderr_, POLLIN, 0};
      if (poll(&p, 1, 100) <= 0) continue;
      char bytes[4096];
      ssize_t const n = read(stderr_, bytes, sizeof bytes);
      if (n <= 0) break;
      heard_.append(bytes, static_cast<std::size_t>(n));
    }
    return heard_.find(text) != std::string::npos;
  }
  /// Reads to the end, and returns the status as wait() gives it; after 20 s the program is killed.
  int end() {
    static_cast<void>(says("(never printed)"));
    kill(pid_, SIGKILL);
    int status = 0;
    waitpid(std::exchange(pid_, 0), &status, 0);
    return status;
  }
  [[nodiscard]] std::string const& heard() const { return heard_; }

 private:
  pid_t pid_ = 0;
  int stderr_ = -1;
  std::string heard_;
};

/// `file:line` of the line with this comment, in the program's source.
inline std::string line_of(char const* source, std::string const& comment) {
  std::ifstream file(source);
  std::string const path(source);
  std::string line;
  for (int number = 1; std::getline(file, line); ++number)
    if (line.find(comment) != std::string::npos) return path.substr(path.rfind('/') + 1) + ":" + std::to_string(number);
  return "no such line";
}

}  // namespace tess::test
