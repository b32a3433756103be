// sockets: bind, listen and connect, with errors that name the address.
#include "rmem/wire/sockets.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <system_error>

#include "rmem/wire/region_name.hpp"
#include "rmem/wire/socket_folder.hpp"

namespace tess::rmem {

namespace {

namespace fs = std::filesystem;

constexpr int backlog = 512;
/// Holds one chunk of a large transfer, so that neither side waits for the other within it.
constexpr int buffer_bytes = 1 << 20;

[[noreturn]] void fail(std::string const& where, std::string const& what, int reason) {
  throw no_connection(where + ": " + what + ": " + std::generic_category().message(reason), reason);
}

std::string path_in(std::string const& full) {
  return full.substr(full.find(':') + 1);
}

/// In no folder, and gone with its socket.
bool is_abstract(std::string const& path) {
  return path.starts_with('@');
}

sockaddr_un address_of(std::string const& full, std::string const& path) {
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof to.sun_path)
    throw bad_address(full + ": a socket's path has 1 to " + std::to_string(sizeof to.sun_path - 1) + " bytes");
  std::memcpy(to.sun_path, path.data(), path.size());
  if (is_abstract(path)) to.sun_path[0] = '\0';
  return to;
}

using found_addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

struct host_and_port {
  std::string host;
  std::string port;
};

host_and_port parse_tcp(std::string const& full) {
  std::string const rest = full.substr(full.find(':') + 1);
  auto const colon = rest.rfind(':');
  if (!full.starts_with("tcp:") || colon == std::string::npos)
    throw bad_address(full + ": no address; give unix:PATH, tcp:HOST:PORT or a server's name");
  host_and_port found{rest.substr(0, colon), rest.substr(colon + 1)};
  if (found.host.starts_with('[') && found.host.ends_with(']'))
    found.host = found.host.substr(1, found.host.size() - 2);
  std::uint16_t number = 0;
  char const* const end = found.port.data() + found.port.size();
  auto const [stop, error] = std::from_chars(found.port.data(), end, number);
  if (error != std::errc{} || stop != end || number == 0)
    throw bad_address(full + ": \"" + found.port + "\" is no port; give a number from 1 to 65535");
  return found;
}

found_addresses resolve(std::string const& full, int flags) {
  auto const [host, port] = parse_tcp(full);
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = flags;
  addrinfo* found = nullptr;
  int const failure = getaddrinfo(host.empty() ? nullptr : host.c_str(), port.c_str(), &wanted, &found);
  if (failure != 0) throw std::runtime_error(full + ": " + gai_strerror(failure));
  return {found, &freeaddrinfo};
}

descriptor socket_of(int family) {
  return descriptor(socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

void set(descriptor const& s, int level, int option, int value) {
  static_cast<void>(setsockopt(s.number(), level, option, &value, sizeof value));
}

/// 0, or errno.
int try_to_bind(descriptor const& s, sockaddr_un const& to) {
  // Any user may connect, and rights are checked for every request. The mode is not set later, because then another
  // file may be in the socket's place.
  mode_t const before = umask(S_IXUSR | S_IXGRP | S_IXOTH);
  int const reason = bind(s.number(), reinterpret_cast<sockaddr const*>(&to), sizeof to) == 0 ? 0 : errno;
  umask(before);
  return reason;
}

void bind_to(descriptor const& s, std::string const& full, sockaddr_un const& to) {
  int reason = try_to_bind(s, to);
  if (reason == EADDRINUSE) {
    // The socket of a dead server refuses connections.
    auto const probe = socket_of(AF_UNIX);
    if (connect(probe.number(), reinterpret_cast<sockaddr const*>(&to), sizeof to) == 0 || errno != ECONNREFUSED)
      throw std::runtime_error(full + ": another server listens there; give it another --name, or stop it");
    unlink(to.sun_path);
    reason = try_to_bind(s, to);
  }
  if (reason != 0) fail(full, "cannot listen there", reason);
}

descriptor listen_on_path(std::string const& full) {
  auto const path = path_in(full);
  auto s = socket_of(AF_UNIX);
  if (!s.is_open()) fail(full, "no socket", errno);
  descriptor turn;  // until this server listens: before that, its socket looks like that of a dead one
  if (is_abstract(path)) {
    bind_to(s, full, address_of(full, path));
  } else {
    socket_folder const folder(path, true);
    folder.check_for_server();
    turn = folder.take_turn();
    bind_to(s, full, address_of(full, folder.path_of(fs::path(path).filename())));
  }
  if (listen(s.number(), backlog) != 0) fail(full, "cannot listen there", errno);
  return s;
}

/// May the process that listens at this address be a server?
bool is_trusted(descriptor const& s, std::string const& path, uid_t& listener) {
  ucred peer{};
  socklen_t length = sizeof peer;
  if (getsockopt(s.number(), SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return false;
  listener = peer.uid;
  if (is_abstract(path)) return listener == geteuid() || listener == 0;
  return socket_folder(path, false).is_trusted(listener);
}

descriptor connect_to_path(std::string const& full, std::chrono::milliseconds patience) {
  auto const path = path_in(full);
  auto const to = address_of(full, path);
  auto s = socket_of(AF_UNIX);
  set(s, SOL_SOCKET, SO_SNDBUF, buffer_bytes);
  limit_waiting(s.number(), patience);
  if (!s.is_open() || connect(s.number(), reinterpret_cast<sockaddr const*>(&to), sizeof to) != 0)
    fail(full, "no memory server there", errno);
  uid_t listener = 0;
  if (!is_trusted(s, path, listener))
    fail(full, "user " + std::to_string(listener) + " listens there, who is not trusted with this address", EPERM);
  return s;
}

}  // namespace

std::string full_address(std::string const& where, bool to_listen) {
  std::string full = where;
  if (where.find(':') == std::string::npos) {
    if (where.find('/') != std::string::npos) {
      full = "unix:" + where;
    } else {
      auto const problem = problem_of_name(where);
      if (!problem.empty()) throw bad_address("\"" + where + "\" is no name of a server");
      fs::path const own = socket_folder::own() / (where + ".sock");
      fs::path const systems = "/run/tess/" + where + ".sock";
      std::error_code none;
      bool const is_own = to_listen || fs::exists(own, none) || !fs::exists(systems, none);
      full = "unix:" + (is_own ? own : systems).string();
    }
  }
  if (is_local(full))
    static_cast<void>(address_of(full, path_in(full)));
  else
    static_cast<void>(parse_tcp(full));
  return full;
}

std::chrono::milliseconds failure_timeout() {
  double seconds = 10;
  if (char const* const value = std::getenv("TESS_FAILURE_TIMEOUT"); value != nullptr) {
    double given = 0;
    auto const end = std::from_chars(value, value + std::strlen(value), given);
    if (end.ec == std::errc() && given > 0) seconds = std::min(given, 1e6);
  }
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

void limit_waiting(int socket, std::chrono::milliseconds time) {
  timeval const limit{time.count() / 1000, time.count() % 1000 * 1000};
  for (int const way : {SO_RCVTIMEO, SO_SNDTIMEO})
    static_cast<void>(setsockopt(socket, SOL_SOCKET, way, &limit, sizeof limit));
}

descriptor listen_at(std::string const& full) {
  if (is_local(full)) return listen_on_path(full);
  auto const found = resolve(full, AI_PASSIVE);
  int reason = EADDRNOTAVAIL;
  for (addrinfo const* a = found.get(); a != nullptr; a = a->ai_next) {
    auto s = socket_of(a->ai_family);
    set(s, SOL_SOCKET, SO_REUSEADDR, 1);
    if (s.is_open() && bind(s.number(), a->ai_addr, a->ai_addrlen) == 0 && listen(s.number(), backlog) == 0) return s;
    reason = errno;
  }
  fail(full, "cannot listen there", reason);
}

descriptor connect_to(std::string const& full, std::chrono::milliseconds patience) {
  if (is_local(full)) return connect_to_path(full, patience);
  auto const found = resolve(full, 0);
  int reason = EADDRNOTAVAIL;
  for (addrinfo const* a = found.get(); a != nullptr; a = a->ai_next) {
    auto s = socket_of(a->ai_family);
    set(s, IPPROTO_TCP, TCP_NODELAY, 1);
    limit_waiting(s.number(), patience);
    if (s.is_open() && connect(s.number(), a->ai_addr, a->ai_addrlen) == 0) return s;
    reason = errno;
  }
  fail(full, "no memory server there", reason);
}

}  // namespace tess::rmem
