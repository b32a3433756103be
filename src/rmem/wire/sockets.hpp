// sockets: where memory servers listen and how clients connect: `unix:PATH`, `tcp:HOST:PORT`, or a server's name.
//
//   A name stands for a socket in a folder: /run/tess/NAME.sock for a server of root, else NAME.sock in
//   $XDG_RUNTIME_DIR/tess, or in /tmp/tess-USER if there is no such folder. The folder must be this user's alone.
//   `unix:@TEXT` is in no folder: a client accepts only a server of its own user or of root there.
//
// Errors   std::runtime_error that names the address and the reason.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>

#include "rmem/wire/descriptor.hpp"

namespace tess::rmem {

/// What was given is no address.
struct bad_address : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The address of a name; anything with a colon must be an address already. `to_listen`: one that this user may create.
/// Throws bad_address.
[[nodiscard]] std::string full_address(std::string const& where, bool to_listen);
[[nodiscard]] inline bool is_local(std::string const& full) {
  return full.starts_with("unix:");
}

/// connect_to() failed; `reason` as errno.
struct no_connection : std::runtime_error {
  no_connection(std::string const& text, int why) : std::runtime_error(text), reason(why) {}
  int reason;
};

/// How long a server may be silent before it counts as lost; as for places: TESS_FAILURE_TIMEOUT, 10 s.
[[nodiscard]] std::chrono::milliseconds failure_timeout();
/// Blocking calls on this socket take no longer than this.
void limit_waiting(int socket, std::chrono::milliseconds time);

/// Replaces the socket of a dead server, never of a live one. The socket is closed on exec.
[[nodiscard]] descriptor listen_at(std::string const& full);
/// Refuses a local server of a user who has no business at this address (socket_folder.hpp). Closed on exec.
/// `patience`: how long this call, and each later one on the socket, may wait.
[[nodiscard]] descriptor connect_to(std::string const& full, std::chrono::milliseconds patience = failure_timeout());

}  // namespace tess::rmem
