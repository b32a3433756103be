// socket_folder: the folder of a local socket, held open, and which users may put a server's socket there.
//
//   Whoever may write to the folder may put a socket of its own there, under the name of a server that has ended. So a
//   server listens only in folders in which no other user can do that, and a client that finds a server in another
//   kind of folder asks the kernel whose it is.
//
// Errors   std::runtime_error that names the folder and its owner.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "rmem/wire/descriptor.hpp"

namespace tess::rmem {

class socket_folder {
 public:
  /// Where this user's servers listen by name.
  [[nodiscard]] static std::filesystem::path own();

  /// The folder of a socket; a folder that does not exist has no owner. `creates`: own() is created if it is missing.
  /// Throws if own() belongs to another user, or others may write to it.
  socket_folder(std::filesystem::path const& socket, bool creates);

  /// Throws if another user could replace a socket in it.
  void check_for_server() const;
  /// The folder's owner, this user and root may have servers in it, others only if it is open to them.
  [[nodiscard]] bool is_trusted(uid_t server) const;
  /// No other server begins to listen here until the result is closed. Any user who may read the folder can be in the
  /// way, so nobody waits longer than a second.
  [[nodiscard]] descriptor take_turn() const;
  /// The path of an entry, which nobody can lead elsewhere while this object lives.
  [[nodiscard]] std::string path_of(std::string const& name) const;

 private:
  [[noreturn]] void refuse(std::string const& why) const;

  std::filesystem::path path_;
  descriptor folder_;
  uid_t owner_ = 0;
  mode_t mode_ = 0;
};

}  // namespace tess::rmem
