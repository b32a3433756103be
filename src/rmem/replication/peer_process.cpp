// peer_process: a descriptor of the process, so that no other process can be taken for it.
#include "rmem/replication/peer_process.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tess::memd::replication {

process_name process_name::own() {
  static std::uint64_t const space = [] {
    struct stat found{};
    return stat("/proc/self/ns/pid", &found) == 0 ? static_cast<std::uint64_t>(found.st_ino) : 0;
  }();
  return {static_cast<std::uint64_t>(getpid()), space};
}

peer_process::peer_process(rmem::stream const& of) {
  ucred peer{};
  socklen_t length = sizeof peer;
  int family = 0;
  socklen_t family_length = sizeof family;
  static_cast<void>(getsockopt(of.number(), SOL_SOCKET, SO_DOMAIN, &family, &family_length));
  // In another namespace of processes it has no number here.
  if (family != AF_UNIX || getsockopt(of.number(), SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0 || peer.pid <= 0)
    return;
  process_ = rmem::descriptor(static_cast<int>(syscall(SYS_pidfd_open, peer.pid, 0)));
  name_ = {static_cast<std::uint64_t>(peer.pid), process_name::own().space};
  // If it had ended before, its number could be another one's by now; then the connection has ended, too.
  char byte = 0;
  if (recv(of.number(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0) process_ = {};
}

bool peer_process::has_ended() const {
  if (!process_.is_open() || name_.space == 0 || said_ != name_) return false;
  pollfd ended{process_.number(), POLLIN, 0};
  return poll(&ended, 1, 0) == 1 && (ended.revents & POLLIN) != 0;
}

}  // namespace tess::memd::replication
