// other_processes: the other sides of measurements of remote memory: memory servers, and a process that echoes
// messages.
//
//   They end with this process, however it ends. Start them before any thread.
#pragma once

#include <sys/types.h>

#include <array>
#include <string>
#include <vector>

namespace bench {

/// A `tess memd` with a local name and a TCP port.
class memory_server {
 public:
  explicit memory_server(std::string const& size, std::string const& host = "127.0.0.1");
  memory_server(memory_server const&) = delete;
  memory_server& operator=(memory_server const&) = delete;
  ~memory_server();
  [[nodiscard]] std::string const& local() const { return local_; }
  [[nodiscard]] std::string const& remote() const { return remote_; }
  /// The processor time that it has used so far.
  [[nodiscard]] double processor_seconds() const;

 private:
  std::string local_;
  std::string remote_;
  pid_t process_;
};

/// A primary and its backup; each address names both.
class server_pair {
 public:
  explicit server_pair(std::string const& size);
  server_pair(server_pair const&) = delete;
  server_pair& operator=(server_pair const&) = delete;
  ~server_pair();
  [[nodiscard]] std::string local() const { return local_[0] + "," + local_[1]; }
  [[nodiscard]] std::string remote() const { return remote_[0] + "," + remote_[1]; }

 private:
  [[nodiscard]] bool in_sync();

  std::array<std::string, 2> local_;
  std::array<std::string, 2> remote_;
  std::array<int, 2> said_{-1, -1};
  std::array<pid_t, 2> processes_{};
};

/// Sends every message of 64 bytes back: an empty call, over TCP on this host.
class echo {
 public:
  static constexpr std::size_t message_bytes = 64;
  echo();
  echo(echo const&) = delete;
  echo& operator=(echo const&) = delete;
  ~echo();
  void call();

 private:
  int socket_;
  pid_t process_;
};

}  // namespace bench
