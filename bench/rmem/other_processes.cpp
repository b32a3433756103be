// other_processes: fork, and a wish to be killed when the parent ends.
#include "other_processes.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include "tess/rmem.hpp"

namespace bench {

namespace {

void end(pid_t process) {
  kill(process, SIGTERM);
  waitpid(process, nullptr, 0);
}

void without_delay(int socket) {
  int const on = 1;
  static_cast<void>(setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on));
}

/// All of the message; false: the other side ended.
bool receive(int socket, std::array<std::byte, echo::message_bytes>& message) {
  return recv(socket, message.data(), message.size(), MSG_WAITALL) == static_cast<ssize_t>(message.size());
}

[[noreturn]] void serve_echo(int listener) {
  int const socket = accept(listener, nullptr, nullptr);
  without_delay(socket);
  std::array<std::byte, echo::message_bytes> message{};
  while (receive(socket, message)) static_cast<void>(send(socket, message.data(), message.size(), MSG_NOSIGNAL));
  _exit(0);
}

}  // namespace

memory_server::memory_server(std::string const& size)
    : local_("unix:@tess-bench-" + std::to_string(getpid())),
      remote_("tcp:127.0.0.1:" + std::to_string(20000 + getpid() % 20000)),
      process_(0) {
  // libexec/tessera/bench/rmem, bin/tess
  auto const command =
      (std::filesystem::read_symlink("/proc/self/exe").parent_path() / ".." / ".." / ".." / "bin" / "tess").string();
  std::string const name = "bench-" + std::to_string(getpid());
  process_ = fork();
  if (process_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    // Its words are for those who start it by hand.
    static_cast<void>(!freopen("/dev/null", "w", stdout));
    execl(command.c_str(), "tess", "memd", "--size", size.c_str(), "--name", name.c_str(), "--listen", local_.c_str(),
          "--listen", remote_.c_str(), nullptr);
    _exit(127);
  }
  for (int attempt = 0; attempt < 500; ++attempt) {
    try {
      tess::rmem::client const there(local_);
      return;
    } catch (tess::rmem::lost const&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  end(process_);
  throw std::runtime_error("no memory server: " + command + " memd does not answer");
}

memory_server::~memory_server() {
  end(process_);
}

echo::echo() : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), process_(0) {
  int const listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  auto* const address = reinterpret_cast<sockaddr*>(&at);
  if (bind(listener, address, size) != 0 || listen(listener, 1) != 0 || getsockname(listener, address, &size) != 0)
    throw std::runtime_error("no socket for the echo");
  process_ = fork();
  if (process_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    serve_echo(listener);
  }
  close(listener);
  without_delay(socket_);
  if (connect(socket_, address, size) != 0) throw std::runtime_error("the echo does not answer");
}

echo::~echo() {
  close(socket_);
  end(process_);
}

void echo::call() {
  std::array<std::byte, message_bytes> message{};
  if (send(socket_, message.data(), message.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(message.size()) ||
      !receive(socket_, message))
    throw std::runtime_error("the echo ended");
}

}  // namespace bench
