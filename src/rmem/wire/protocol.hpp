// protocol: one side of a connection as a state machine over bytes; sockets belong to its caller.
//
//   The caller puts received bytes where receive_buffer() says and calls received(); it sends what next_output() shows
//   and calls sent().
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tess::memd {

class protocol {
 public:
  struct output {
    std::span<std::byte const> bytes;
    std::span<int const> files{};  // descriptors to send with the first of the bytes
    bool data_follows = false;     // more output follows at once: this is the header of a read's data, or ends a read
  };

  virtual ~protocol() = default;
  /// Where the next bytes go; empty while output must be sent first.
  [[nodiscard]] virtual std::span<std::byte> receive_buffer() = 0;
  /// `bytes` were put into the receive buffer, which nothing has changed since. `now`: ms. False: the other side
  /// violated the protocol.
  [[nodiscard]] virtual bool received(std::size_t bytes, std::uint64_t now) = 0;
  /// What to send next; no bytes: nothing for now.
  [[nodiscard]] virtual output next_output() = 0;
  virtual void sent(std::size_t bytes) = 0;
};

}  // namespace tess::memd
