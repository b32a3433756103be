// waiting: threads that wait by LR and wrs.nto, by pause, by sleep and by time-outs; the first argument selects.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <mutex>
#include <thread>

namespace {

std::atomic<std::uint64_t> word = 0;

// Zawrs: reserve the word, look at it, and wait until it is written.
void wait_for(std::uint64_t wanted) {
  for (;;) {
    std::uint64_t seen = 0;
    asm volatile("lr.d %0, (%1)" : "=r"(seen) : "r"(&word) : "memory");
    if (seen == wanted) return;
    asm volatile(".insn i 0x73, 0, x0, x0, 0x00d" ::: "memory");
  }
}

void reserved() {
  std::thread other{[] {
    for (std::uint64_t turn = 0; turn < 1000; ++turn) {
      wait_for(2 * turn + 1);
      word = 2 * turn + 2;
    }
  }};
  for (std::uint64_t turn = 0; turn < 1000; ++turn) {
    word = 2 * turn + 1;
    wait_for(2 * turn + 2);
  }
  other.join();
  std::printf("%llu\n", static_cast<unsigned long long>(word.load()));
}

void paused() {
  std::thread other{[] {
    while (word != 7) asm volatile(".insn i 0x0f, 0, x0, x0, 0x010");
    word = 8;
  }};
  word = 7;
  while (word != 8) asm volatile(".insn i 0x0f, 0, x0, x0, 0x010");
  other.join();
  std::printf("paused\n");
}

void slept() {
  auto const begin = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(std::chrono::hours{2});
  auto const passed = std::chrono::steady_clock::now() - begin;
  std::printf("%ld h\n", static_cast<long>(std::chrono::duration_cast<std::chrono::hours>(passed).count()));
}

void stuck() {
  std::mutex twice;
  twice.lock();
  std::thread other{[&] { twice.lock(); }};
  other.join();
}

}  // namespace

int main(int, char** words) {
  if (std::strcmp(words[1], "reserved") == 0) reserved();
  if (std::strcmp(words[1], "paused") == 0) paused();
  if (std::strcmp(words[1], "slept") == 0) slept();
  if (std::strcmp(words[1], "stuck") == 0) stuck();
  if (std::strcmp(words[1], "alone") == 0) wait_for(1);
  if (std::strcmp(words[1], "many") == 0) {
    std::thread held[8];
    for (auto& t : held) t = std::thread{[] { std::this_thread::sleep_for(std::chrono::hours{1}); }};
    for (auto& t : held) t.join();
    std::printf("%zu slept\n", std::size(held));
  }
}
