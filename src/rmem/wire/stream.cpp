// stream: sendmsg and recvmsg on a local socket, where descriptors travel, too; else TLS.
#include "rmem/wire/stream.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace tess::rmem {

namespace {
/// The two descriptors of a lease.
constexpr std::size_t files_max = 2;
using control_buffer = std::array<char, CMSG_SPACE(files_max * sizeof(int))>;
}  // namespace

stream stream::to(std::string const& full, credentials const& with, bool as_server,
                  std::chrono::milliseconds patience) {
  auto socket = connect_to(full, patience);
  if (is_local(full)) return stream(std::move(socket));
  auto secure = tls::connect(socket.number(), full, with, as_server);
  return stream(std::move(socket), std::move(secure));
}

bool may_succeed_later() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

/// Small parts are sent together; after EAGAIN the same bytes come first again.
ssize_t stream::send_secure(std::span<iovec> parts, int flags) const {
  std::array<std::byte, 16384> together;
  std::size_t count = 0;
  for (auto const& part : parts) {
    std::span<std::byte const> const bytes(static_cast<std::byte const*>(part.iov_base), part.iov_len);
    if (count == 0 && bytes.size() >= together.size()) return secure_->send(bytes, flags);
    auto const now = bytes.first(std::min(bytes.size(), together.size() - count));
    std::ranges::copy(now, together.begin() + static_cast<std::ptrdiff_t>(count));
    count += now.size();
  }
  return secure_->send(std::span(together).first(count), flags);
}

ssize_t stream::send(std::span<iovec> parts, int flags, std::span<int const> files) const {
  if (secure_) return send_secure(parts, flags);
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
  if (secure_) {
    ssize_t sum = 0;
    for (auto const& part : parts) {
      if (part.iov_len == 0) continue;
      // Beyond the first part, only what is there already.
      if (sum != 0 && !secure_->has_buffered()) break;
      ssize_t const n = secure_->receive({static_cast<std::byte*>(part.iov_base), part.iov_len},
                                         sum == 0 ? flags : flags | MSG_DONTWAIT);
      if (n <= 0) return sum != 0 ? sum : n;
      sum += n;
      if (static_cast<std::size_t>(n) < part.iov_len) break;
    }
    return sum;
  }
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
  if (secure_) return secure_->receive(bytes, flags);
  return recv(number(), bytes.data(), bytes.size(), flags);
}

bool stream::is_quiet() const {
  if (has_buffered()) {
    // It shows whether anything is left.
    std::byte unexpected{};
    return secure_->receive({&unexpected, 1}, MSG_DONTWAIT) < 0 && may_succeed_later();
  }
  std::byte unexpected{};
  return recv(number(), &unexpected, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && may_succeed_later();
}

}  // namespace tess::rmem
