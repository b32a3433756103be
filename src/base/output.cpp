// output: two connections of a Unix socket in place of descriptors 1 and 2.
#include "base/output.hpp"

#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <cstring>

#include "base/launched.hpp"
#include "base/output_header.hpp"

namespace tess::detail {

namespace {

/// A connection, or -1.
int connect_to(char const* socket_name, output_header const& header) noexcept {
  sockaddr_un address{};
  if (std::strlen(socket_name) >= sizeof address.sun_path) return -1;
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, socket_name, std::strlen(socket_name));
  int const file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (file < 0) return -1;
  if (connect(file, reinterpret_cast<sockaddr const*>(&address), sizeof address) == 0 &&
      write(file, &header, sizeof header) == sizeof header)
    return file;
  close(file);
  return -1;
}

}  // namespace

void redirect_output() noexcept {
  char const* const socket_name = std::getenv("TESS_OUTPUT");
  char const* const rank = launched_rank();
  if (socket_name == nullptr || *socket_name == '\0' || rank == nullptr) return;
  output_header header{};
  std::from_chars(rank, rank + std::strlen(rank), header.place);
  fflush(stdout);
  for (int stream = 1; stream <= 2; ++stream) {
    header.stream = static_cast<std::uint32_t>(stream);
    int const file = connect_to(socket_name, header);
    if (file < 0) continue;
    dup2(file, stream);
    close(file);
  }
  setlinebuf(stdout);
  // Processes that this one starts inherit the streams.
  unsetenv("TESS_OUTPUT");
}

}  // namespace tess::detail
