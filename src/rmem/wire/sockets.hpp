// sockets: where memory servers listen, and how clients get there: `unix:PATH`, `tcp:HOST:PORT`, or a server's name.
//
//   A name means a socket of the system's folder for running programs: /run/tess/NAME.sock of a server that root runs,
//   else NAME.sock in $XDG_RUNTIME_DIR/tess, or in /tmp/tess-USER where there is no such folder.
//
//   `unix:@TEXT` is in no folder.
//
// Errors   std::runtime_error that names the address and the reason.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>

namespace tess::rmem {

/// A file descriptor that is closed at the end of its life.
class descriptor {
 public:
  descriptor() = default;
  explicit descriptor(int number) : number_(number) {}
  descriptor(descriptor&& other) noexcept : number_(other.release()) {}
  descriptor& operator=(descriptor&& other) noexcept;
  ~descriptor();
  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool is_open() const { return number_ >= 0; }
  [[nodiscard]] int release() noexcept {
    int const number = number_;
    number_ = -1;
    return number;
  }

 private:
  int number_ = -1;
};

/// `unix:` and the path for a name; anything with a colon is an address already. `to_listen`: what this user may make.
[[nodiscard]] std::string full_address(std::string const& where, bool to_listen);
[[nodiscard]] inline bool is_local(std::string const& full) {
  return full.starts_with("unix:");
}

/// connect_to() failed; `reason` as errno.
struct no_connection : std::runtime_error {
  no_connection(std::string const& text, int why) : std::runtime_error(text), reason(why) {}
  int reason;
};

/// So long nothing may come before a server counts as lost, as with places: TESS_FAILURE_TIMEOUT, 10 s.
[[nodiscard]] std::chrono::milliseconds failure_timeout();
/// Whoever waits at this socket waits no longer than that.
void limit_waiting(int socket, std::chrono::milliseconds time);

/// Takes a dead server's socket away, never a living one's. Both give sockets that are not inherited.
[[nodiscard]] descriptor listen_at(std::string const& full);
[[nodiscard]] descriptor connect_to(std::string const& full);

}  // namespace tess::rmem
