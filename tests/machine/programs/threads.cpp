// threads: std::thread with mutexes, condition variables, atomics, futures and thread_local variables.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <future>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

namespace {

thread_local int mine = 5;

long locked_sum() {
  std::mutex lock;
  long sum = 0;
  std::vector<std::thread> all;
  for (int t = 0; t < 3; ++t)
    all.emplace_back([&, t] {
      mine += t;
      for (int k = 0; k < 20'000; ++k) {
        std::lock_guard const held{lock};
        sum += mine;
      }
    });
  for (auto& t : all) t.join();
  return sum;
}

long produced_and_consumed() {
  std::mutex lock;
  std::condition_variable changed;
  std::queue<int> items;
  long sum = 0;
  std::thread consumer{[&] {
    for (int got = 0; got < 2000;) {
      std::unique_lock held{lock};
      changed.wait(held, [&] { return !items.empty(); });
      for (; !items.empty(); items.pop(), ++got) sum += items.front();
    }
  }};
  for (int k = 0; k < 2000; ++k) {
    std::lock_guard const held{lock};
    items.push(k);
    changed.notify_one();
  }
  consumer.join();
  return sum;
}

long contended_adds() {
  std::atomic<long> sum = 0;
  std::atomic<int> narrow = 0;
  std::vector<std::thread> all;
  for (int t = 0; t < 3; ++t)
    all.emplace_back([&] {
      for (int k = 0; k < 30'000; ++k) {
        sum.fetch_add(k);
        int seen = narrow.load();
        while (!narrow.compare_exchange_weak(seen, (seen + 1) % 1000)) {
        }
      }
    });
  for (auto& t : all) t.join();
  return sum + narrow;
}

}  // namespace

int main() {
  std::printf("%ld %ld %ld %d\n", locked_sum(), produced_and_consumed(), contended_adds(), mine);
  auto later = std::async(std::launch::async, [] { return 6 * 7; });
  std::printf("%d\n", later.get());
  std::mutex lock;
  std::condition_variable never;
  std::unique_lock held{lock};
  std::printf("timed out: %d\n", never.wait_for(held, std::chrono::milliseconds{2}) == std::cv_status::timeout);
  for (int round = 0; round < 50; ++round) std::thread{[] { mine = 1; }}.join();
}
