// host: OpenSHMEM without a simulated machine: starts PEs as processes, and ends all of them if one is lost.
#if !defined(__riscv)
#include "tess/detail/shmem/host.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace tess::detail::shmem {

constinit state own{};

namespace {

constexpr int pes_max = 1024;

/// The memory that all PEs share besides their heaps.
struct shared_state {
  pthread_barrier_t all;
  std::atomic<bool> finalized[pes_max];
};
shared_state* shared = nullptr;

int wanted_pes() {
  char const* const given = std::getenv("TESS_PLACES");
  if (given == nullptr) return 1;
  std::string_view const text = given;
  int pes = 0;
  auto const [end, problem] = std::from_chars(text.begin(), text.end(), pes);
  if (problem != std::errc() || end != text.end() || pes < 1 || pes > pes_max)
    fail("shmem_init", "TESS_PLACES is no number of PEs", "1 to 1024 (tess run -n PES)");
  return pes;
}

void* share(std::size_t bytes) {
  void* const made = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (made == MAP_FAILED) fail("shmem_init", std::strerror(errno), "memory for every PE's SHMEM_SYMMETRIC_SIZE");
  return made;
}

void make_shared_state() {
  shared = new (share(sizeof(shared_state))) shared_state;
  pthread_barrierattr_t across;
  pthread_barrierattr_init(&across);
  pthread_barrierattr_setpshared(&across, PTHREAD_PROCESS_SHARED);
  int const problem = pthread_barrier_init(&shared->all, &across, static_cast<unsigned>(own.pes));
  pthread_barrierattr_destroy(&across);
  if (problem != 0) fail("shmem_init", std::strerror(problem), "fewer PEs");
}

void end_others(std::vector<pid_t> const& pes) {
  for (pid_t const one : pes)
    if (one != 0) kill(one, SIGKILL);
}

/// Waits until all PEs have ended. The exit code is the highest of theirs, at least 1 if one was lost.
[[noreturn]] void supervise(std::vector<pid_t> pes) {
  int code = 0;
  bool lost = false;
  for (std::size_t left = pes.size(); left != 0;) {
    int status = 0;
    pid_t const ended = waitpid(-1, &status, 0);
    if (ended < 0 && errno == EINTR) continue;
    auto const found = std::ranges::find(pes, ended);
    if (ended <= 0 || found == pes.end()) continue;
    *found = 0;
    --left;
    auto const pe = found - pes.begin();
    if (WIFEXITED(status)) code = std::max(code, WEXITSTATUS(status));
    if (lost || (WIFEXITED(status) && shared->finalized[pe].load())) continue;
    lost = true;
    code = std::max(code, 1);
    std::string const how = WIFSIGNALED(status) ? "was ended by signal " + std::to_string(WTERMSIG(status))
                                                : "ended with " + std::to_string(WEXITSTATUS(status));
    std::fprintf(stderr, "shmem: PE %d %s before shmem_finalize; the others are ended\n", static_cast<int>(pe),
                 how.c_str());
    end_others(pes);
  }
  std::_Exit(code);
}

void start_pes() {
  std::fflush(nullptr);  // or each PE would write it
  pid_t const parent = getpid();
  std::vector<pid_t> pes;
  for (int pe = 0; pe < own.pes; ++pe) {
    pid_t const started = fork();
    if (started == 0) {
      own.pe = pe;
      own.heap += static_cast<std::size_t>(pe) * own.heap_bytes;
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) std::_Exit(1);
      return;
    }
    if (started < 0) {
      int const problem = errno;
      end_others(pes);
      fail("shmem_init", std::strerror(problem), "fewer PEs");
    }
    pes.push_back(started);
  }
  supervise(std::move(pes));
}

}  // namespace

void refuse(void const* address, std::size_t bytes, int pe) {
  std::string what = "there is no PE " + std::to_string(pe);
  std::string expected = "0 to " + std::to_string(own.pes - 1);
  if (pe >= 0 && pe < own.pes) {
    auto const at = reinterpret_cast<std::uintptr_t>(address);
    auto const heap = reinterpret_cast<std::uintptr_t>(own.heap);
    bool const inside = at - heap < own.heap_bytes;
    char digits[20] = "0x";
    auto const [end, problem] = std::to_chars(digits + 2, digits + sizeof digits, at, 16);
    what = "address " + std::string(digits, end) +
           (inside ? " is not a multiple of " + std::to_string(bytes) : " is not symmetric");
    expected = inside ? "an aligned word" : "a word of what shmem_malloc gave";
  }
  fail(own.pe < 0 ? "before shmem_init" : "a word", what.c_str(), expected.c_str());
}

void begin() {
  char const* const fabric = std::getenv("TESS_FABRIC");
  if (fabric != nullptr && std::string_view(fabric) != "smp")
    fail("shmem_init", "PEs are processes of one host here", "--fabric smp, or a simulated machine");
  if (own.pe >= 0) fail("shmem_init", "a second time", "one call");
  own.pes = wanted_pes();
  own.heap_bytes = symmetric_bytes();
  if (own.heap_bytes == 0)
    fail("shmem_init", "SHMEM_SYMMETRIC_SIZE is no size", "a number of bytes, with K, M or G behind it");
  own.heap = static_cast<std::byte*>(share(static_cast<std::size_t>(own.pes) * own.heap_bytes));
  make_shared_state();
  start_pes();
  open_heap(own);
  barrier();
}

void barrier() {
  if (shared == nullptr) fail("shmem_barrier_all", "before shmem_init", "shmem_init first");
  pthread_barrier_wait(&shared->all);
}

void end() {
  barrier();
  shared->finalized[own.pe].store(true);
}

}  // namespace tess::detail::shmem
#endif
