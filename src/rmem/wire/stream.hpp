// stream: an open connection between a client and a server; the only code that sends and receives its bytes.
//
// Threads  one for sending and one for receiving.
// Errors   as of sendmsg(2) and recvmsg(2): a negative result, and errno.
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "rmem/wire/sockets.hpp"

namespace tess::rmem {

class stream {
 public:
  stream() = default;
  explicit stream(descriptor socket) : socket_(std::move(socket)) {}

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

 private:
  descriptor socket_;
};

/// After a failed call: it may succeed later.
[[nodiscard]] bool may_succeed_later();

}  // namespace tess::rmem
