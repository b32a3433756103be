// crash_report: the handler: only calls that are safe in a signal handler, and no allocation.
#include "runtime/failures/crash_report.hpp"

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "runtime/failures/exception_trace.hpp"
#include "runtime/job/job.hpp"
#include "tess/task.hpp"

namespace tess::detail {

namespace {

/// Text in a fixed buffer; what does not fit is left out.
class crash_text {
 public:
  crash_text& operator<<(std::string_view s) noexcept {
    std::size_t const n = std::min(s.size(), bytes_.size() - used_);
    std::memcpy(bytes_.data() + used_, s.data(), n);
    used_ += n;
    return *this;
  }
  crash_text& operator<<(std::uint64_t n) noexcept { return number(n, 10); }
  crash_text& hexadecimal(std::uint64_t n) noexcept { return (*this << "0x").number(n, 16); }
  void print() const noexcept {
    for (std::size_t done = 0; done < used_;) {
      ssize_t const n = write(STDERR_FILENO, bytes_.data() + done, used_ - done);
      if (n <= 0) return;
      done += static_cast<std::size_t>(n);
    }
  }

 private:
  crash_text& number(std::uint64_t n, int base) noexcept {
    std::array<char, 24> digits;
    auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), n, base).ptr;
    return *this << std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data()));
  }

  std::array<char, 4096> bytes_;
  std::size_t used_ = 0;
};

void say_location(crash_text& t, std::source_location where) noexcept {
  std::string_view file = where.file_name();
  if (auto const slash = file.rfind('/'); slash != std::string_view::npos) file.remove_prefix(slash + 1);
  t << file << ":" << where.line() << " in " << std::string_view(where.function_name()).substr(0, 100);
}

/// True if the address is just beyond the top of the interrupted stack.
bool beyond_stack([[maybe_unused]] std::uint64_t address, [[maybe_unused]] void const* context) noexcept {
#if defined(__x86_64__)
  constexpr std::uint64_t near = std::uint64_t{64} << 10;
  auto const top = static_cast<std::uint64_t>(static_cast<ucontext_t const*>(context)->uc_mcontext.gregs[REG_RSP]);
  return address + near > top && address < top + near;
#else
  return false;
#endif
}

void say_address(crash_text& t, int signal, siginfo_t const& info, void const* context) noexcept {
  if (signal == SIGABRT) return;
  auto const address = reinterpret_cast<std::uint64_t>(info.si_addr);
  t << " at ";
  t.hexadecimal(address);
  if (signal == SIGFPE || signal == SIGILL) {
    t << ", an instruction";
    return;
  }
  // On x86-64 an address with bits that no user program has is not told to the handler.
  if (info.si_code == SI_KERNEL) {
    t << ", which is not the address: the program used one that no memory can have, such as the bits of a global_ptr";
    return;
  }
  if (signal == SIGBUS && info.si_code == BUS_ADRERR) {
    t << ", which the system cannot give: a mapped file that ends before it, or no memory";
    return;
  }
  if (address < 65536) {
    t << ", by a null pointer";
    return;
  }
  if (beyond_stack(address, context)) {
    t << ": the stack is full, as by a recursion without end";
    return;
  }
  // The address ranges of segments that this process can load from.
  for (place_id p = 0; job.load_window != nullptr && p < job.places; ++p) {
    std::uint64_t const base = job.load_window[p];
    if (base < no_window && address >= base && address - base < job.segment_bytes[p]) {
      t << ", in the segment of place " << std::uint64_t{p};
      return;
    }
  }
  t << (info.si_code == SEGV_ACCERR ? ", memory that is protected" : ", where no memory is");
}

void say_task(crash_text& t, worker const& w) noexcept {
  t << "  place " << std::uint64_t{w.place} << " worker " << std::uint64_t{w.index} << ", ";
  if (w.current == nullptr || w.current == &w.handler) {
    t << "between tasks or in a message handler\n";
    return;
  }
  promise_base const& p = *w.current;
  if (p.where.line() == 0) {
    t << "in a task before its first co_await\n";
  } else {
    t << "in a task after its co_await at ";
    say_location(t, p.where);
    t << "\n";
  }
  unsigned left = 20;
  for (promise_base const* outer = p.continuation.outer(); outer != nullptr && left-- > 0;
       outer = outer->continuation.outer()) {
    if (is_around_program(outer->where)) continue;
    t << "  awaited at ";
    say_location(t, outer->where);
    t << "\n";
  }
}

/// A second signal, in the handler, ends the process without more words.
void report(int signal, siginfo_t* info, void* context) noexcept {
  ::signal(signal, SIG_DFL);
  static std::atomic<bool> begun{false};
  if (!begun.exchange(true)) {
    crash_text first;
    first << "tess: ";
    worker const* const w = self;
    if (w != nullptr)
      first << "place " << std::uint64_t{w->place};
    else
      first << "a thread without a worker";
    first << " ends by " << name_of_signal(static_cast<unsigned>(signal));
    say_address(first, signal, *info, context);
    first << "\n";
    // Printed by itself: the task's frames may be destroyed.
    first.print();
    if (w != nullptr) {
      std::atomic_ref(*reinterpret_cast<std::uint32_t*>(w->segment + signal_offset))
          .store(static_cast<std::uint32_t>(signal), std::memory_order_release);
      crash_text task;
      say_task(task, *w);
      task.print();
    }
    if (w == nullptr && signal == SIGSEGV) {
      crash_text whose;
      whose << "  a thread that the program started must not call operations or spawn tasks: only tasks may\n";
      whose.print();
    } else if (signal == SIGSEGV || signal == SIGBUS) {
      crash_text hint;
      hint << "  `--fabric checked` checks every global pointer and finds uses after free; `./tess build debug` checks "
              "local accesses, too\n";
      hint.print();
    }
  }
  // Blocked until this handler returns; then it ends the process.
  raise(signal);
}

}  // namespace

char const* name_of_signal(unsigned signal) noexcept {
  switch (signal) {
    case SIGSEGV:
      return "SIGSEGV";
    case SIGBUS:
      return "SIGBUS";
    case SIGFPE:
      return "SIGFPE";
    case SIGILL:
      return "SIGILL";
    case SIGABRT:
      return "SIGABRT";
    default:
      return nullptr;
  }
}

crash_report::crash_report() noexcept {
  for (std::size_t i = 0; i < signals.size(); ++i) {
    struct sigaction before{};
    if (sigaction(signals[i], nullptr, &before) != 0 || (before.sa_flags & SA_SIGINFO) != 0 ||
        before.sa_handler != SIG_DFL)
      continue;
    struct sigaction handler{};
    handler.sa_sigaction = report;
    handler.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&handler.sa_mask);
    ours_[i] = sigaction(signals[i], &handler, nullptr) == 0;
  }
}

crash_report::~crash_report() {
  for (std::size_t i = 0; i < signals.size(); ++i) {
    if (!ours_[i]) continue;
    struct sigaction now{};
    // The program may have set its own meanwhile.
    if (sigaction(signals[i], nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == report)
      ::signal(signals[i], SIG_DFL);
  }
}

crash_stack::crash_stack() noexcept {
  stack_t now{};
  // A sanitizer brings its own.
  if (sigaltstack(nullptr, &now) != 0 || (now.ss_flags & SS_DISABLE) == 0) return;
  memory_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory_ == MAP_FAILED) {
    memory_ = nullptr;
    return;
  }
  stack_t const ours{memory_, 0, bytes};
  sigaltstack(&ours, nullptr);
}

crash_stack::~crash_stack() {
  if (memory_ == nullptr) return;
  stack_t const none{nullptr, SS_DISABLE, 0};
  sigaltstack(&none, nullptr);
  munmap(memory_, bytes);
}

}  // namespace tess::detail
