// exit_report: takes the variable when the library is loaded, so that a PE that never calls shmem_init reports, too.
#include "shmem/exit_report.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <string_view>

#include "base/heartbeat.hpp"
#include "base/launched.hpp"
#include "base/output.hpp"

namespace tess::shmem {

namespace {

char report_name[4096];
std::atomic<bool> reported{false};
pid_t process = 0;
detail::launcher_heartbeat* heartbeat = nullptr;

bool takes_lines() noexcept {
  return std::string_view(report_name) == "-";
}

void say(char const* line) noexcept {
  static_cast<void>(!write(STDERR_FILENO, line, std::string_view(line).size()));
}

void end_of_program(int code, void*) {
  // A process that this one has forked.
  if (process != getpid()) return;
  if (heartbeat != nullptr) {
    delete heartbeat;
    // The others may go on for a day.
    say("tess: alive, again within 86400000 ms\n");
  }
  report_exit(code);
}

[[gnu::constructor]] void take_report_name() {
  char const* const given = getenv("TESS_EXIT_FILE");
  if (given == nullptr || *given == '\0') return;
  std::snprintf(report_name, sizeof report_name, "%s", given);
  // A job of the runtime in this process must not report the end of the whole.
  unsetenv("TESS_EXIT_FILE");
  process = getpid();
  detail::redirect_output();
  on_exit(end_of_program, nullptr);
}

}  // namespace

void report_exit(int code) noexcept {
  if (report_name[0] == '\0' || reported.exchange(true)) return;
  char line[40];
  if (takes_lines()) {
    std::snprintf(line, sizeof line, "tess: exit code %d\n", code);
    return say(line);
  }
  int const bytes = std::snprintf(line, sizeof line, "%d\n", code);
  int const file = open(report_name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) return;
  static_cast<void>(!write(file, line, static_cast<std::size_t>(bytes)));
  close(file);
}

void show_life(std::chrono::milliseconds failure_timeout) {
  bool const first = detail::launched_rank() != nullptr && !detail::launched_after_others();
  if (first && takes_lines() && heartbeat == nullptr) heartbeat = new detail::launcher_heartbeat(failure_timeout);
}

}  // namespace tess::shmem
