// past: processes that wait at a pair of sockets.
#include "machine/debug/past.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <system_error>

#include "machine/debug/supervised_run.hpp"

namespace tess::machine {
namespace {

// The first byte of a message to a copy.
constexpr char goes_on = 'g';
constexpr char is_asked = 'q';
constexpr char is_to_end = 'e';
// The first byte of an answer.
constexpr char begun = 'b';  // with the number of the process that answers
constexpr char failed = 'f';
constexpr char answered = 'a';

constexpr std::size_t message_max = 65536;

void send_text(int to, char kind, std::string_view text) {
  std::string const whole = kind + std::string(text);
  (void)::send(to, whole.data(), whole.size(), MSG_NOSIGNAL);
}

/// Empty: the other side has ended.
std::string receive_text(int from) {
  std::string text(message_max, '\0');
  ssize_t got = -1;
  do got = ::recv(from, text.data(), text.size(), 0);
  while (got < 0 && errno == EINTR);
  text.resize(got <= 0 ? 0 : static_cast<std::size_t>(got));
  return text;
}

}  // namespace

std::optional<past::message> past::keep(std::uint64_t step) {
  if (copies_.size() == copies_max) {
    // The first is of the begin, and stays.
    for (std::size_t k = copies_max / 2; k > 0; k -= 2) end(k - 1);
  }
  std::array<int, 2> pair{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair.data()) != 0)
    throw std::system_error{errno, std::generic_category(), "a copy of the run for going back"};
  copies_.push_back({step, pair[0]});
  (void)std::fflush(nullptr);
  pid_t const made = ::fork();
  if (made < 0) {
    int const why = errno;
    ::close(pair[0]);
    ::close(pair[1]);
    copies_.pop_back();
    // Going back is slower then, not wrong.
    if (!copies_.empty()) return std::nullopt;
    throw std::system_error{why, std::generic_category(), "a copy of the run for going back"};
  }
  if (made == 0) return wait(pair[1]);
  ::close(pair[1]);
  return std::nullopt;
}

past::message past::wait(int commands) {
  std::array<struct sigaction, 2> before{};
  (void)::sigaction(SIGINT, nullptr, &before[0]);
  (void)::sigaction(SIGTERM, nullptr, &before[1]);
  (void)std::signal(SIGINT, SIG_IGN);
  (void)std::signal(SIGTERM, SIG_IGN);
  for (;;) {
    std::array<pollfd, 2> on{pollfd{commands, POLLIN, 0}, pollfd{link_.life, POLLIN, 0}};
    if (::poll(on.data(), on.size(), -1) < 0) continue;
    if (on[1].revents != 0) ::_exit(0);
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    std::string const text = receive_text(commands);
    if (text.empty() || text.front() == is_to_end) ::_exit(0);
    bool const question = text.front() == is_asked;
    pid_t const made = ::fork();
    if (made == 0) {
      (void)::sigaction(SIGINT, &before[0], nullptr);
      (void)::sigaction(SIGTERM, &before[1], nullptr);
      if (question)
        answers_ = commands;
      else
        ::close(commands);
      if (!question) tell_going_on(link_);
      return {text.substr(1), question};
    }
    if (!question) {
      if (made < 0) tell_end(link_, 1);
      continue;
    }
    if (made < 0) {
      send_text(commands, failed, "");
      continue;
    }
    send_text(commands, begun, std::to_string(made));
    int status = 0;
    while (::waitpid(made, &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) send_text(commands, failed, "");
  }
}

std::optional<std::size_t> past::latest(std::uint64_t step) const {
  auto const behind = std::ranges::upper_bound(copies_, step, {}, &copy::step);
  if (behind == copies_.begin()) return std::nullopt;
  return static_cast<std::size_t>(behind - copies_.begin()) - 1;
}

void past::end(std::size_t copy) {
  send_text(copies_[copy].control, is_to_end, "");
  ::close(copies_[copy].control);
  copies_.erase(copies_.begin() + static_cast<std::ptrdiff_t>(copy));
}

void past::forget() {
  while (!copies_.empty()) end(copies_.size() - 1);
}

void past::go_back(std::size_t copy, std::string_view text) {
  while (copies_.size() > copy + 1) end(copies_.size() - 1);
  tell_handing_over(link_);
  send_text(copies_[copy].control, goes_on, text);
  ::_exit(0);
}

std::optional<std::string> past::ask(std::size_t copy, std::string_view text, int stop) {
  int const control = copies_[copy].control;
  send_text(control, is_asked, text);
  pid_t answering = 0;
  bool stopped = false;
  for (;;) {
    std::array<pollfd, 3> on{pollfd{control, POLLIN, 0}, pollfd{stopped ? -1 : stop, POLLIN, 0},
                             pollfd{link_.life, POLLIN, 0}};
    if (::poll(on.data(), on.size(), -1) < 0) continue;
    if (on[2].revents != 0) ::_exit(0);
    if (on[1].revents != 0 && answering != 0) {
      stopped = true;
      ::kill(answering, SIGKILL);
    }
    if (on[0].revents == 0) continue;
    std::string const got = receive_text(control);
    if (got.empty() || got.front() == failed) return std::nullopt;
    if (got.front() == begun) std::from_chars(got.data() + 1, got.data() + got.size(), answering);
    if (got.front() == answered) return stopped ? std::nullopt : std::optional(got.substr(1));
  }
}

void past::answer(std::string_view text) {
  send_text(answers_, answered, text);
  ::_exit(0);
}

}  // namespace tess::machine
