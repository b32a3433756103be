// unit_guard: signal handlers, which use nothing but write and _exit.
#include "machine/own_unit/unit_guard.hpp"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <string_view>

namespace tess::machine {
namespace {

constinit unit_guard* volatile current = nullptr;
constinit std::uint64_t volatile entries = 0;  ///< Guards that there have been.
constinit std::uint64_t seen_entry = 0;        ///< Running at the timer's last tick; 0: none.

constexpr std::array crashes{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
struct sigaction usual[crashes.size()];  ///< What each did before.

/// A line without memory of its own: a handler must not allocate.
class signal_line {
 public:
  void add(std::string_view text) noexcept {
    std::size_t const fits = std::min(text.size(), text_.size() - used_);
    std::memcpy(text_.data() + used_, text.data(), fits);
    used_ += fits;
  }
  void add(std::uint64_t number, int base = 10) noexcept {
    std::array<char, 24> digits{};
    auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), number, base).ptr;
    add(std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data())));
  }
  [[noreturn]] void end() noexcept {
    add("\n");
    [[maybe_unused]] auto const written = ::write(STDERR_FILENO, text_.data(), used_);
    ::_exit(1);
  }

 private:
  std::array<char, 1024> text_{};
  std::size_t used_ = 0;
};

/// "machine: unit filter (mine.so) of tile (1, 0) WHAT at cycle 12".
void begin_line(signal_line& line, unit_guard const& of, std::string_view what) noexcept {
  line.add("machine: unit ");
  line.add(of.place.name);
  line.add(" (");
  line.add(of.place.file);
  line.add(")");
  if (of.place.has_tile) {
    line.add(" of tile (");
    line.add(of.place.x);
    line.add(", ");
    line.add(of.place.y);
    line.add(")");
  }
  line.add(what);
  if (!of.place.has_tile) return line.add(", while it was loaded");
  line.add(" at cycle ");
  line.add(of.now / of.place.period_ps);
}

std::string_view name_of(int which) noexcept {
  switch (which) {
    case SIGSEGV:
      return "SIGSEGV";
    case SIGBUS:
      return "SIGBUS";
    case SIGFPE:
      return "SIGFPE";
    case SIGILL:
      return "SIGILL";
    default:
      return "SIGABRT";
  }
}

std::uintptr_t code_address(void* context) noexcept {
  [[maybe_unused]] auto const* const of = static_cast<ucontext_t const*>(context);
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(of->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return of->uc_mcontext.pc;
#else
  return 0;
#endif
}

void crashed(int which, siginfo_t* info, void* context) {
  unit_guard const* const running = current;
  if (running == nullptr) {  // not a unit's: as if there were no handler
    auto const place = std::ranges::find(crashes, which) - crashes.begin();
    ::sigaction(which, &usual[place], nullptr);
    ::raise(which);
    return;
  }
  signal_line line;
  begin_line(line, *running, " crashed");
  line.add(": ");
  line.add(name_of(which));
  if (which == SIGSEGV || which == SIGBUS) {
    line.add(", access to 0x");
    line.add(reinterpret_cast<std::uintptr_t>(info->si_addr), 16);
  }
  std::uintptr_t const at = code_address(context);
  if (which != SIGABRT && at >= running->place.loaded_at) {
    line.add("; for its line: addr2line -Cfe ");
    line.add(running->place.file);
    line.add(" 0x");
    line.add(at - running->place.loaded_at, 16);
  }
  line.end();
}

void ticked(int) {
  unit_guard const* const running = current;
  std::uint64_t const entry = running == nullptr ? 0 : entries;
  if (entry == 0 || entry != seen_entry) {
    seen_entry = entry;
    return;
  }
  signal_line line;
  begin_line(line, *running, " does not return: it was called");
  line.add(", and has run for more than ");
  line.add(unit_guard::seconds_max);
  line.add(" s");
  line.end();
}

void install() noexcept {
  static std::array<std::byte, 64 * 1024> own_stack;  // for a handler after a stack overflow
  stack_t stack{};
  stack.ss_sp = own_stack.data();
  stack.ss_size = own_stack.size();
  ::sigaltstack(&stack, nullptr);
  struct sigaction action{};
  action.sa_sigaction = crashed;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (std::size_t i = 0; i < crashes.size(); ++i) ::sigaction(crashes[i], &action, &usual[i]);
  action = {};
  action.sa_handler = ticked;
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  ::sigaction(SIGVTALRM, &action, nullptr);
  itimerval const every{.it_interval = {unit_guard::seconds_max, 0}, .it_value = {unit_guard::seconds_max, 0}};
  ::setitimer(ITIMER_VIRTUAL, &every, nullptr);
}

}  // namespace

unit_guard::unit_guard(unit_place const& of, picoseconds at) noexcept : place(of), now(at), outer(current) {
  if (entries == 0) install();
  entries = entries + 1;
  current = this;
}

unit_guard::~unit_guard() {
  current = outer;
}

}  // namespace tess::machine
