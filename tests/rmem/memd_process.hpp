// memd_process: a `tess memd` in a process of its own, which the test may kill; TESS names the command.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tess::rmem {

class memd_process {
 public:
  /// With `settings`, each as NAME=VALUE, beside those of the environment.
  explicit memd_process(std::vector<std::string> words, std::vector<std::string> settings = {})
      : words_(std::move(words)), settings_(std::move(settings)) {
    start();
  }
  memd_process(memd_process const&) = delete;
  memd_process& operator=(memd_process const&) = delete;
  ~memd_process() { kill(); }

  void start() {
    char const* const command = std::getenv("TESS");
    if (command == nullptr) throw std::runtime_error("TESS names no command");
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    std::vector<std::string> all{command, "memd"};
    all.insert(all.end(), words_.begin(), words_.end());
    std::vector<char*> arguments;
    for (auto& w : all) arguments.push_back(w.data());
    arguments.push_back(nullptr);
    std::vector<char*> environment;  // the first of two with one name counts
    for (auto& s : settings_) environment.push_back(s.data());
    for (char** s = environ; *s != nullptr; ++s) environment.push_back(*s);
    environment.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    int const failure = posix_spawn(&process_, command, &actions, nullptr, arguments.data(), environment.data());
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (failure != 0) throw std::runtime_error("cannot start " + all[0]);
    output_ = ends[0];
    fcntl(output_, F_SETFL, O_NONBLOCK);
    printed_.clear();
    if (!wait_for("tess memd: ")) throw std::runtime_error("the server did not start");
  }
  void signal(int number) const { ::kill(process_, number); }
  [[nodiscard]] pid_t number() const { return process_; }
  /// It is gone, or will not go on; its status has not been taken yet.
  [[nodiscard]] bool has_ended() const {
    siginfo_t found{};
    return waitid(P_PID, static_cast<id_t>(process_), &found, WEXITED | WNOHANG | WNOWAIT) == 0 && found.si_pid != 0;
  }
  /// By SIGKILL, without any warning.
  void kill() {
    if (process_ <= 0) return;
    signal(SIGKILL);
    end();
  }
  /// Waits for its end; the status is that of waitpid(2).
  int end() {
    int status = 0;
    waitpid(std::exchange(process_, 0), &status, 0);
    close(std::exchange(output_, -1));
    return status;
  }
  void restart() {
    kill();
    start();
  }
  /// It has printed this since its start, or since the last wait_for().
  bool has_printed(std::string const& text) {
    std::array<char, 4096> bytes{};
    for (ssize_t n = 0; (n = read(output_, bytes.data(), bytes.size())) > 0;)
      printed_.append(bytes.data(), static_cast<std::size_t>(n));
    return printed_.find(text) != std::string::npos;
  }
  /// Waits until it prints this, and forgets everything up to there. False: it has not within 20 s, or has ended.
  bool wait_for(std::string const& text) {
    auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!has_printed(text)) {
      if (std::chrono::steady_clock::now() > deadline || (has_ended() && !has_printed(text))) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    printed_.erase(0, printed_.find(text) + text.size());
    return true;
  }

 private:
  std::vector<std::string> words_;
  std::vector<std::string> settings_;
  pid_t process_ = 0;
  int output_ = -1;
  std::string printed_;
};

}  // namespace tess::rmem
