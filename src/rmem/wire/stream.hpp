// stream: an open connection between a client and a server; the only code that sends and receives its bytes.
//
//   By a local socket the kernel says who the other end is, and bytes go as they are. By TCP they are encrypted.
//
// Threads  one.
// Errors   as of sendmsg(2) and recvmsg(2): a negative result, and errno.
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rmem/wire/sockets.hpp"
#include "rmem/wire/tls.hpp"

namespace tess::rmem {

class stream {
 public:
  stream() = default;
  explicit stream(descriptor socket, std::unique_ptr<tls> secure = nullptr)
      : socket_(std::move(socket)), secure_(std::move(secure)) {}
  /// Connects, and proves both ends to each other. `as_server`: to the other of two servers, or the witness.
  /// `patience` as of connect_to().
  [[nodiscard]] static stream to(std::string const& full, credentials const& with, bool as_server = false,
                                 std::chrono::milliseconds patience = failure_timeout());

  /// To wait for, and to set options.
  [[nodiscard]] int number() const { return socket_.number(); }
  [[nodiscard]] bool is_open() const { return socket_.is_open(); }

  /// Sends the parts in order, and descriptors with the first of the bytes. `flags` of sendmsg(2).
  [[nodiscard]] ssize_t send(std::span<iovec> parts, int flags, std::span<int const> files = {}) const;
  [[nodiscard]] ssize_t send(std::span<std::byte const> bytes, int flags, std::span<int const> files = {}) const;
  /// Fills the parts in order; descriptors that arrive are appended to `files`. `flags` of recvmsg(2).
  [[nodiscard]] ssize_t receive(std::span<iovec> parts, int flags, std::vector<descriptor>* files = nullptr) const;
  [[nodiscard]] ssize_t receive(std::span<std::byte> bytes, int flags) const;
  /// The other side is connected and has sent nothing that was not received.
  [[nodiscard]] bool is_quiet() const;
  /// There are bytes to receive of which the socket shows nothing.
  [[nodiscard]] bool has_buffered() const { return secure_ && secure_->has_buffered(); }
  /// The other end has proved that it is a server that shares the secret.
  [[nodiscard]] bool is_from_server() const { return secure_ && secure_->what() == tls::proved::secret; }

 private:
  [[nodiscard]] ssize_t send_secure(std::span<iovec> parts, int flags) const;

  descriptor socket_;
  std::unique_ptr<tls> secure_;  // null: a local socket
};

/// After a failed call: it may succeed later.
[[nodiscard]] bool may_succeed_later();

}  // namespace tess::rmem
