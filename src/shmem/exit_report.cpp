// exit_report: takes the variable when the library is loaded, so that a PE that never calls shmem_init reports, too.
#include "shmem/exit_report.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <string_view>

namespace tess::shmem {

namespace {

char report_name[4096];
std::atomic<bool> reported{false};

[[gnu::constructor]] void take_report_name() {
  char const* const given = getenv("TESS_EXIT_FILE");
  if (given == nullptr || *given == '\0') return;
  std::snprintf(report_name, sizeof report_name, "%s", given);
  // A job of the runtime in this process must not report the end of the whole.
  unsetenv("TESS_EXIT_FILE");
  on_exit([](int code, void*) { report_exit(code); }, nullptr);
}

}  // namespace

void report_exit(int code) noexcept {
  if (report_name[0] == '\0' || reported.exchange(true)) return;
  char line[40];
  if (std::string_view(report_name) == "-") {
    int const bytes = std::snprintf(line, sizeof line, "tess: exit code %d\n", code);
    static_cast<void>(!write(STDERR_FILENO, line, static_cast<std::size_t>(bytes)));
    return;
  }
  int const bytes = std::snprintf(line, sizeof line, "%d\n", code);
  int const file = open(report_name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) return;
  static_cast<void>(!write(file, line, static_cast<std::size_t>(bytes)));
  close(file);
}

}  // namespace tess::shmem
