// truncation: a handler of SIGBUS that finds the file of the page in /proc/self/maps, and then lets the signal be.
//
// Threads   the handler calls only what a handler may.
#include "truncation.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace engine {

namespace {

struct sigaction handled_before{};

std::uint64_t hexadecimal(std::string_view& text) {
  std::uint64_t value = 0;
  while (!text.empty()) {
    char const c = text.front();
    bool const digit = c >= '0' && c <= '9';
    if (!digit && (c < 'a' || c > 'f')) break;
    value = value * 16 + static_cast<std::uint64_t>(digit ? c - '0' : c - 'a' + 10);
    text.remove_prefix(1);
  }
  return value;
}

// Whether the line of the file is that of the address.
bool covers(std::string_view line, std::uint64_t address) {
  std::uint64_t const begin = hexadecimal(line);
  if (line.empty()) return false;
  line.remove_prefix(1);
  return begin <= address && address < hexadecimal(line);
}

void say(std::string_view text) {
  static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));
}

void explain(std::uint64_t address) {
  int const maps = ::open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (maps < 0) return;
  std::array<char, 4096> line;
  std::size_t length = 0;
  char c = 0;
  while (::read(maps, &c, 1) == 1) {
    if (c != '\n') {
      if (length < line.size()) line[length++] = c;
      continue;
    }
    std::string_view const whole(line.data(), length);
    length = 0;
    auto const path = whole.find('/');
    if (path == std::string_view::npos || !whole.ends_with(".tgr") || !covers(whole, address)) continue;
    say("tessera: ");
    say(whole.substr(path));
    say(" was truncated while it was mapped into memory, expected a file that is replaced as a whole\n");
    break;
  }
  ::close(maps);
}

void on_bus_error(int, siginfo_t* about, void*) {
  int const kept = errno;
  explain(reinterpret_cast<std::uint64_t>(about->si_addr));
  // The access is repeated, and the signal comes to who had it before us.
  sigaction(SIGBUS, &handled_before, nullptr);
  errno = kept;
}

}  // namespace

void explain_truncation() {
  struct sigaction present{};
  sigaction(SIGBUS, nullptr, &present);
  if ((present.sa_flags & SA_SIGINFO) != 0 && present.sa_sigaction == on_bus_error) return;
  handled_before = present;
  struct sigaction ours{};
  ours.sa_sigaction = on_bus_error;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&ours.sa_mask);
  sigaction(SIGBUS, &ours, nullptr);
}

}  // namespace engine
