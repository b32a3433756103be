// other_processes: what measurements of remote memory talk to: a memory server, and a program that echoes messages.
//
//   Both end with this process, however it ends. Start them before any thread.
#pragma once

#include <sys/types.h>

#include <string>

namespace bench {

/// `tess memd`, beside this program, at a name and at a TCP port of its own.
class memory_server {
 public:
  explicit memory_server(std::string const& size);
  memory_server(memory_server const&) = delete;
  memory_server& operator=(memory_server const&) = delete;
  ~memory_server();
  [[nodiscard]] std::string const& local() const { return local_; }
  [[nodiscard]] std::string const& remote() const { return remote_; }

 private:
  std::string local_;
  std::string remote_;
  pid_t process_;
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
