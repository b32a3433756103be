// other_processes: fork, and PR_SET_PDEATHSIG, so that they end with the parent.
#include "other_processes.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <ctime>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

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

/// Transfers the whole message; false if the other side has ended.
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

/// libexec/tessera/bench/rmem, bin/tess
std::string command() {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / ".." / ".." / ".." / "bin" / "tess").string();
}

std::string local_address(int number) {
  return "unix:@tess-bench-" + std::to_string(getpid()) + "-" + std::to_string(number);
}

/// All servers and clients by TCP of a user's benchmarks have one key.
std::string key_file() {
  std::string const path = "/dev/shm/tess-bench-" + std::to_string(geteuid()) + ".key";
  int const file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  std::string_view constexpr text = "the key of this user's benchmarks\n";
  if (file >= 0) static_cast<void>(!write(file, text.data(), text.size()));
  if (file >= 0) close(file);
  setenv("TESS_RMEM_KEY", path.c_str(), 1);
  return path;
}

std::string remote_address(std::string const& host, int number) {
  return "tcp:" + host + ":" + std::to_string(20000 + (4 * getpid() + number) % 20000);
}

/// Its standard output goes to `output`, or nowhere.
pid_t start_memd(std::vector<std::string> words, int output) {
  words.insert(words.begin(), {"tess", "memd"});
  std::vector<char*> arguments;
  for (auto& w : words) arguments.push_back(w.data());
  arguments.push_back(nullptr);
  std::string const program = command();
  pid_t const process = fork();
  if (process != 0) return process;
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (output < 0)
    static_cast<void>(!freopen("/dev/null", "w", stdout));
  else
    dup2(output, STDOUT_FILENO);
  execv(program.c_str(), arguments.data());
  _exit(127);
}

}  // namespace

memory_server::memory_server(std::string const& size, std::string const& host)
    : local_(local_address(0)),
      remote_(remote_address(host, 0)),
      process_(start_memd({"--size", size, "--name", local_, "--listen", remote_, "--key", key_file()}, -1)) {
  for (int attempt = 0; attempt < 500; ++attempt) {
    try {
      tess::rmem::client const there(local_);
      return;
    } catch (tess::rmem::lost const&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  end(process_);
  throw std::runtime_error("no memory server: " + command() + " memd does not answer");
}

memory_server::~memory_server() {
  end(process_);
}

double memory_server::processor_seconds() const {
  clockid_t clock{};
  timespec used{};
  if (clock_getcpuclockid(process_, &clock) != 0 || clock_gettime(clock, &used) != 0)
    throw std::runtime_error("the memory server's processor time is not known");
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

server_pair::server_pair(std::string const& size) {
  for (int i : {0, 1}) {
    local_.at(static_cast<std::size_t>(i)) = local_address(1 + i);
    remote_.at(static_cast<std::size_t>(i)) = remote_address("127.0.0.1", 1 + i);
  }
  for (std::size_t i : {0U, 1U}) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe for the words of a memory server");
    processes_[i] = start_memd({"--size", size, "--name", local_[i], "--listen", remote_[i], "--key", key_file(),
                                "--replicas", "2", "--peer", local_[1 - i]},
                               ends[1]);
    close(ends[1]);
    said_[i] = ends[0];
  }
  if (in_sync()) return;
  for (pid_t const p : processes_) end(p);
  throw std::runtime_error("two memory servers are not in sync after 20 s");
}

/// One of them says so.
bool server_pair::in_sync() {
  std::array<std::string, 2> words;
  auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (std::chrono::steady_clock::now() < deadline) {
    for (std::size_t i : {0U, 1U}) {
      pollfd there{said_[i], POLLIN, 0};
      std::array<char, 4096> bytes{};
      if (poll(&there, 1, 10) != 1) continue;
      ssize_t const n = read(said_[i], bytes.data(), bytes.size());
      if (n > 0) words[i].append(bytes.data(), static_cast<std::size_t>(n));
      if (words[i].contains("the backup is in sync")) return true;
    }
  }
  return false;
}

server_pair::~server_pair() {
  for (pid_t const p : processes_) end(p);
  for (int const file : said_) close(file);
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
