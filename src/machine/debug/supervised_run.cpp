// supervised_run: two pipes and the descriptor of a process.
#include "machine/debug/supervised_run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <system_error>

#include "machine/linux/file_access.hpp"
#include "machine/linux/run_limit.hpp"

namespace tess::machine {
namespace {

enum class news : std::uint32_t { going_on, handing_over, end };
struct told {
  news what;
  std::int32_t value;  // the process, or the exit code
};

void tell(run_link const& link, told const& one) noexcept {
  ssize_t put = -1;
  do put = ::write(link.result, &one, sizeof one);
  while (put < 0 && errno == EINTR);
}

std::array<host_file, 2> new_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw std::system_error{errno, std::generic_category(), "a process for the run"};
  return {host_file{ends[0]}, host_file{ends[1]}};
}

host_file process_of(pid_t number) {
  return host_file{static_cast<int>(::syscall(SYS_pidfd_open, number, 0))};
}

}  // namespace

void tell_going_on(run_link const& link) noexcept {
  tell(link, {news::going_on, ::getpid()});
}
void tell_handing_over(run_link const& link) noexcept {
  tell(link, {news::handing_over, 0});
}
void tell_end(run_link const& link, int exit_code) noexcept {
  tell(link, {news::end, exit_code});
}

void leave_input_to_gdb() {
  struct stat about{};
  if (::fstat(STDIN_FILENO, &about) == 0 && S_ISREG(about.st_mode)) return;
  host_file const empty{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
  (void)::dup2(empty.get(), STDIN_FILENO);
}

int supervised_run(std::function<int(run_link const&)> const& body) {
  auto life = new_pipe();
  auto result = new_pipe();
  (void)std::fflush(nullptr);
  pid_t current = ::fork();
  if (current < 0) throw std::system_error{errno, std::generic_category(), "a process for the run"};
  if (current == 0) {
    ::close(life[1].release());
    ::close(result[0].release());
    run_link const link{life[0].get(), result[1].get()};
    int code = 1;
    try {
      code = body(link);
    } catch (std::exception const& failure) {
      fmt::print(stderr, "tess-machine: {}\n", failure.what());
    }
    (void)std::fflush(nullptr);
    tell_end(link, code);
    ::_exit(code);
  }
  ::close(result[1].release());
  host_file process = process_of(current);
  bool handed_over = false;
  int sent = 0;
  for (;;) {
    std::array<pollfd, 2> on{pollfd{result[0].get(), POLLIN, 0}, pollfd{process.get(), POLLIN, 0}};
    int const ready = ::poll(on.data(), on.size(), signal_look_ms);
    // A terminal sends to all processes of the group; what was sent to this one alone goes to the run.
    if (int const signal = caught_signal(); signal != 0 && sent == 0) {
      sent = signal;
      ::kill(current, signal);
    }
    if (ready <= 0) continue;
    if ((on[0].revents & POLLIN) != 0) {
      told one{};
      if (::read(result[0].get(), &one, sizeof one) != sizeof one) return 1;
      if (one.what == news::end) {
        (void)::waitpid(current, nullptr, 0);
        return one.value;
      }
      handed_over = one.what == news::handing_over;
      if (one.what == news::going_on) {
        current = one.value;
        process = process_of(current);
      }
      continue;
    }
    if (on[1].revents != 0 && handed_over) {
      process = host_file{};  // the next one will tell
    } else if (on[1].revents != 0) {
      fmt::print(stderr, "tess-machine: the process of the run has ended without a result\n");
      return 1;
    }
  }
}

}  // namespace tess::machine
