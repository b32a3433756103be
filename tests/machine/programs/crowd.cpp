// crowd: more threads than a tile has harts: they compute, wait for each other, spin, sleep, and send signals.
#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <barrier>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

namespace {

int threads = 23;
std::atomic<int> arrived{0};
std::atomic<int> signalled{0};
thread_local int own = 0;

// As those do who know nothing of other threads: never gives its turn away.
void spin_until_all_are_there() {
  ++arrived;
  while (arrived.load() < threads) continue;
}

unsigned long collatz(unsigned long n) {
  unsigned long steps = 0;
  for (; n != 1; ++steps) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
  return steps;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) std::from_chars(argv[1], argv[1] + std::strlen(argv[1]), threads);
  std::mutex lock;
  std::condition_variable turn;
  std::barrier all{threads};
  int next = 0;
  unsigned long sum = 0;
  double fractions = 0;
  std::vector<int> order;
  std::vector<std::thread> crowd;
  signal(SIGUSR1, [](int) { ++signalled; });
  for (int k = 0; k < threads; ++k) {
    crowd.emplace_back([&, k] {
      own = k;
      double mine = 1.0 / (k + 1);
      unsigned long steps = 0;
      for (unsigned long n = 1; n < 300; ++n) steps += collatz(n + static_cast<unsigned long>(k) * 300);
      spin_until_all_are_there();
      mine *= 2;
      all.arrive_and_wait();
      if (k % 5 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      std::unique_lock held{lock};
      turn.wait(held, [&] { return next == own; });
      order.push_back(own);
      ++next;
      sum += steps;
      fractions += mine;
      turn.notify_all();
    });
  }
  for (auto& one : crowd) one.join();
  std::printf("sum %lu, fractions %.12f, order", sum, fractions);
  for (int const k : order) std::printf(" %d", k);
  std::printf("\n");

  // Threads that are not running get signals, too.
  std::atomic<bool> done{false};
  std::vector<std::thread> spinning;
  std::atomic<int> running{0};
  for (int k = 0; k < threads; ++k)
    spinning.emplace_back([&] {
      ++running;
      while (!done) continue;
    });
  while (running < threads) std::this_thread::yield();
  for (auto& one : spinning) pthread_kill(one.native_handle(), SIGUSR1);
  while (signalled < threads) std::this_thread::yield();
  done = true;
  for (auto& one : spinning) one.join();
  std::printf("signals %d\n", signalled.load());
  return 0;
}
