// pin: sets affinity by sched_setaffinity; a spinning start gate lets all threads of a team start within a microsecond.
#include "harness/pin.hpp"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <future>
#include <system_error>
#include <thread>
#include <vector>

#include "harness/clock.hpp"

namespace bench {

std::span<int const> allowed_cpus() {
  static std::vector<int> const cpus = [] {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (::sched_getaffinity(0, sizeof set, &set) != 0) {
      throw std::system_error(errno, std::generic_category(), "sched_getaffinity");
    }
    std::vector<int> found;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &set)) found.push_back(cpu);
    }
    return found;
  }();
  return cpus;
}

void pin_this_thread(int cpu_rank) {
  std::span<int const> const cpus = allowed_cpus();
  int const cpu = cpus[static_cast<std::size_t>(cpu_rank) % cpus.size()];
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  // Pid 0 is the calling thread.
  if (::sched_setaffinity(0, sizeof set, &set) != 0) {
    throw std::system_error(errno, std::generic_category(), "sched_setaffinity");
  }
}

double on_cpu(int cpu_rank, std::function<double()> const& f) {
  (void)allowed_cpus();  // Before the new thread restricts its own set.
  return std::async(std::launch::async,
                    [&] {
                      pin_this_thread(cpu_rank);
                      return f();
                    })
      .get();
}

double team_seconds(int threads, std::function<void(int)> const& f) {
  (void)allowed_cpus();
  std::atomic<int> missing = threads;
  std::vector<double> begin(static_cast<std::size_t>(threads));
  std::vector<double> end(static_cast<std::size_t>(threads));
  {
    std::vector<std::jthread> team;
    for (int rank = 0; rank < threads; ++rank) {
      team.emplace_back([&, rank] {
        pin_this_thread(rank);
        missing.fetch_sub(1);
        // Yields, for teams with more threads than cpus.
        while (missing.load() != 0) std::this_thread::yield();
        begin[static_cast<std::size_t>(rank)] = timestamp();
        f(rank);
        end[static_cast<std::size_t>(rank)] = timestamp();
      });
    }
  }
  return std::ranges::max(end) - std::ranges::min(begin);
}

}  // namespace bench
