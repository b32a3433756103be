// gdb_connection: poll, read and write, a byte at a time from a buffer.
#include "machine/debug/gdb_connection.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <numeric>
#include <system_error>

#include "machine/linux/run_limit.hpp"

namespace tess::machine {
namespace {

constexpr char interrupt = 3;
constexpr int wrong_max = 3;
constexpr int answer_ms = 10'000;  // gdb acknowledges at once

std::uint8_t sum_of(std::string_view text) {
  return std::accumulate(text.begin(), text.end(), std::uint8_t{0},
                         [](std::uint8_t sum, char one) { return static_cast<std::uint8_t>(sum + one); });
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

gdb_connection::~gdb_connection() {
  ::close(stream_);
}

std::optional<char> gdb_connection::byte(int other) {
  while (read_ == arrived_.size()) {
    std::array<pollfd, 2> on{pollfd{stream_, POLLIN, 0}, pollfd{other, POLLIN, 0}};
    int const ready = ::poll(on.data(), on.size(), signal_look_ms);
    if (ready <= 0 && caught_signal() != 0) return std::nullopt;
    if (ready <= 0) continue;
    if (on[1].revents != 0) return std::nullopt;
    std::array<char, 4096> part{};
    ssize_t const got = ::read(stream_, part.data(), part.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) {
      closed_ = true;
      return std::nullopt;
    }
    arrived_.assign(part.data(), static_cast<std::size_t>(got));
    read_ = 0;
  }
  return arrived_[read_++];
}

bool gdb_connection::has_arrived() {
  if (read_ < arrived_.size()) return true;
  pollfd on{stream_, POLLIN, 0};
  return ::poll(&on, 1, 0) > 0;
}

std::optional<std::string> gdb_connection::receive(int other) {
  for (;;) {
    auto const first = byte(other);
    if (!first) return std::nullopt;
    if (*first == interrupt) return std::string(1, interrupt);
    if (*first != '$') continue;  // acknowledgements of what was sent, and noise between packets
    std::string raw;
    std::string text;
    bool escaped = false;
    bool sound = true;
    for (auto next = byte(other); true; next = byte(other)) {
      if (!next) return std::nullopt;
      if (*next == '#') break;
      raw += *next;
      if (raw.size() > packet_max) {
        closed_ = true;
        return std::nullopt;
      }
      if (*next == '$') sound = false;  // a packet was cut off
      if (*next == '}' && !escaped) {
        escaped = true;
        continue;
      }
      text += escaped ? static_cast<char>(*next ^ 0x20) : *next;
      escaped = false;
    }
    auto const high = byte(other);
    auto const low = byte(other);
    if (!high || !low) return std::nullopt;
    if (!acknowledges_) return text;
    sound = sound && digit(*high) * 16 + digit(*low) == sum_of(raw);
    write(sound ? "+" : "-");
    if (sound) {
      wrong_ = 0;
      return text;
    }
    if (++wrong_ > wrong_max) {
      closed_ = true;
      return std::nullopt;
    }
  }
}

void gdb_connection::write(std::string_view bytes) {
  while (!bytes.empty() && !closed_) {
    ssize_t const put = ::send(stream_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0 && errno == EAGAIN) {
      pollfd on{stream_, POLLOUT, 0};
      if (::poll(&on, 1, answer_ms) > 0) continue;
    }
    if (put <= 0)
      closed_ = true;
    else
      bytes.remove_prefix(static_cast<std::size_t>(put));
  }
}

void gdb_connection::send(std::string_view text) {
  std::string escaped;
  for (char const one : text) {
    if (one == '$' || one == '#' || one == '}' || one == '*') {
      escaped += '}';
      escaped += static_cast<char>(one ^ 0x20);
    } else {
      escaped += one;
    }
  }
  std::string const packet = fmt::format("${}#{:02x}", escaped, sum_of(escaped));
  for (int attempt = 0; attempt <= wrong_max && !closed_; ++attempt) {
    write(packet);
    if (!acknowledges_) return;
    for (;;) {
      pollfd on{stream_, POLLIN, 0};
      if (read_ == arrived_.size() && ::poll(&on, 1, answer_ms) == 0) break;  // send it again
      auto const answer = byte(-1);
      if (!answer || *answer == '+') return;
      if (*answer == '-') break;
      if (*answer == '$') {  // the next packet: the acknowledgement was lost
        --read_;
        return;
      }
    }
  }
  closed_ = true;
}

int listen_here(std::uint16_t& port) {
  int const listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_port = htons(port);
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int const on = 1;
  socklen_t size = sizeof here;
  bool const listens = listener >= 0 && ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
                       ::bind(listener, reinterpret_cast<sockaddr*>(&here), sizeof here) == 0 &&
                       ::listen(listener, 1) == 0 &&
                       ::getsockname(listener, reinterpret_cast<sockaddr*>(&here), &size) == 0;
  if (!listens) {
    int const why = errno;
    if (listener >= 0) ::close(listener);
    throw std::system_error{why, std::generic_category(), fmt::format("--gdb: port {} of this computer", port)};
  }
  port = ntohs(here.sin_port);
  return listener;
}

void accept_one(int listener, int other, std::optional<gdb_connection>& into) {
  std::array<pollfd, 2> on{pollfd{listener, POLLIN, 0}, pollfd{other, POLLIN, 0}};
  int ready = 0;
  do ready = ::poll(on.data(), on.size(), signal_look_ms);
  while (ready <= 0 && caught_signal() == 0);
  if (ready > 0 && on[1].revents == 0) {
    int const connected = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    int const at_once = 1;
    if (connected >= 0) {
      (void)::setsockopt(connected, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
      into.emplace(connected);
    }
  }
  ::close(listener);
}

std::string hex_of(std::span<std::byte const> bytes) {
  static constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (std::byte const one : bytes) {
    text += digits[static_cast<unsigned>(one) >> 4U];
    text += digits[static_cast<unsigned>(one) & 15U];
  }
  return text;
}

bool bytes_of_hex(std::string_view text, std::string& into) {
  if (text.size() % 2 != 0) return false;
  into.clear();
  for (std::size_t i = 0; i < text.size(); i += 2) {
    int const high = digit(text[i]);
    int const low = digit(text[i + 1]);
    if (high < 0 || low < 0) return false;
    into += static_cast<char>(high * 16 + low);
  }
  return true;
}

std::optional<std::uint64_t> take_hex(std::string_view& text) {
  std::uint64_t value = 0;
  auto const [behind, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(behind - text.data()));
  return value;
}

bool take(std::string_view& text, std::string_view wanted) {
  if (!text.starts_with(wanted)) return false;
  text.remove_prefix(wanted.size());
  return true;
}

}  // namespace tess::machine
