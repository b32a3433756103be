// stream: sendmsg and recvmsg on a socket; descriptors travel on local sockets only.
#include "rmem/wire/stream.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace tess::rmem {

namespace {
/// The two descriptors of a lease.
constexpr std::size_t files_max = 2;
using control_buffer = std::array<char, CMSG_SPACE(files_max * sizeof(int))>;
}  // namespace

bool may_succeed_later() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

ssize_t stream::send(std::span<iovec> parts, int flags, std::span<int const> files) const {
  alignas(cmsghdr) control_buffer control{};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  if (!files.empty()) {
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(files.size_bytes());
    cmsghdr* const head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(files.size_bytes());
    std::memcpy(CMSG_DATA(head), files.data(), files.size_bytes());
  }
  return sendmsg(number(), &message, MSG_NOSIGNAL | flags);
}

ssize_t stream::send(std::span<std::byte const> bytes, int flags, std::span<int const> files) const {
  iovec part{const_cast<std::byte*>(bytes.data()), bytes.size()};
  return send({&part, 1}, flags, files);
}

ssize_t stream::receive(std::span<iovec> parts, int flags, std::vector<descriptor>* files) const {
  alignas(cmsghdr) control_buffer control{};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  if (files != nullptr) {
    message.msg_control = control.data();
    message.msg_controllen = control.size();
  }
  ssize_t const n = recvmsg(number(), &message, MSG_CMSG_CLOEXEC | flags);
  if (n <= 0 || files == nullptr) return n;
  for (cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr; c = CMSG_NXTHDR(&message, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    for (std::size_t i = 0; i < (c->cmsg_len - CMSG_LEN(0)) / sizeof(int); ++i) {
      int file = -1;
      std::memcpy(&file, CMSG_DATA(c) + i * sizeof file, sizeof file);
      files->emplace_back(file);
    }
  }
  return n;
}

ssize_t stream::receive(std::span<std::byte> bytes, int flags) const {
  return recv(number(), bytes.data(), bytes.size(), flags);
}

bool stream::is_quiet() const {
  std::byte unexpected{};
  return recv(number(), &unexpected, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && may_succeed_later();
}

}  // namespace tess::rmem
