// between_cores: flags, a barrier and a copy; ring_stream.cpp has the ring.
//
// Waiting loops have no pause instruction, which would add its 140 cycles to the measurement.
#include "limits/between_cores.hpp"

#include <atomic>
#include <barrier>
#include <cstring>

#include "harness/clock.hpp"
#include "harness/huge_pages.hpp"
#include "harness/pin.hpp"

namespace bench {
namespace {

/// A flag alone in a pair of lines, since adjacent-line prefetch fetches pairs.
struct alignas(2 * line_bytes) flag {
  std::atomic<std::uint64_t> value = 0;

  // Acquire and release: a barrier must order the memory accesses around it.
  void wait_for(std::uint64_t expected) const noexcept {
    while (value.load(std::memory_order_acquire) != expected) {
    }
  }
  void set(std::uint64_t to) noexcept { value.store(to, std::memory_order_release); }
};

double ns_per_round(double seconds, std::uint64_t rounds) {
  return seconds * ns_per_second / static_cast<double>(rounds);
}

}  // namespace

double ping_pong(std::uint64_t rounds) {
  flag question;
  flag answer;
  double const seconds = team_seconds(2, [&](int rank) {
    for (std::uint64_t round = 1; round <= rounds; ++round) {
      if (rank == 0) {
        question.set(round);
        answer.wait_for(round);
      } else {
        question.wait_for(round);
        answer.set(round);
      }
    }
  });
  return ns_per_round(seconds, rounds);
}

double flag_exchange(std::uint64_t rounds) {
  flag flags[2];
  double const seconds = team_seconds(2, [&](int rank) {
    flag& mine = flags[rank];
    flag& theirs = flags[1 - rank];
    for (std::uint64_t round = 1; round <= rounds; ++round) {
      mine.set(round);
      // The other thread may have set its flag for the next episode, but not for the one after it.
      while (theirs.value.load(std::memory_order_acquire) < round) {
      }
    }
  });
  return ns_per_round(seconds, rounds);
}

double std_barrier(int threads, std::uint64_t rounds) {
  std::barrier barrier(threads);
  double const seconds = team_seconds(threads, [&](int) {
    for (std::uint64_t round = 0; round < rounds; ++round) barrier.arrive_and_wait();
  });
  return ns_per_round(seconds, rounds);
}

double memcpy_rate(std::size_t block_bytes) {
  // Enough to make the cost of the clock and of the first, cold copy negligible.
  constexpr std::size_t copied_bytes = std::size_t{1} << 30U;
  constexpr double bytes_per_gb = 1e9;
  return on_cpu(0, [&] {
    huge_array<std::byte> const source(block_bytes);
    huge_array<std::byte> const target(block_bytes);
    std::size_t const copies = copied_bytes / block_bytes + 1;
    double const seconds = seconds_of([&] {
      for (std::size_t i = 0; i < copies; ++i) {
        std::memcpy(target.data(), source.data(), block_bytes);
        asm volatile("" : : "r"(target.data()) : "memory");  // Marks the copy as used.
      }
    });
    return static_cast<double>(copies) * static_cast<double>(block_bytes) / seconds / bytes_per_gb;
  });
}

}  // namespace bench
