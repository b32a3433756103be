// protocol: the server's side of one connection, as a machine that takes bytes and gives bytes. No transport.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tess::memd {

class talker {
 public:
  struct outgoing {
    std::span<std::byte const> bytes;
    std::span<int const> files{};  // go with the first of the bytes
    bool data_follow = false;      // at once: this is the header of a read's data, or the end of the one before
  };

  virtual ~talker() = default;
  /// Where the next bytes go; empty while answers must be taken first.
  [[nodiscard]] virtual std::span<std::byte> want() = 0;
  /// So many arrived there; at most want().size(), and nothing else was called in between. `now`: ms. False: the other
  /// side speaks no such protocol.
  [[nodiscard]] virtual bool got(std::size_t bytes, std::uint64_t now) = 0;
  /// What to send next; no bytes: nothing for now.
  [[nodiscard]] virtual outgoing next() = 0;
  virtual void sent(std::size_t bytes) = 0;
};

}  // namespace tess::memd
