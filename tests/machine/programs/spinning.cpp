// spinning: two harts of a tile that wait for each other's stores by loads alone, in a loop that stays in their caches.
#include <pthread.h>

#include <cstdio>

namespace {

struct words {
  long volatile told = 0;
  long volatile done = 0;
};
words both;
constexpr long rounds = 20;

void* answer(void*) {
  for (long round = 1; round <= rounds; ++round) {
    while (both.told < round) {
    }
    for (int volatile i = 0; i < 100; i = i + 1) {
    }
    both.done = round;
  }
  return nullptr;
}

}  // namespace

int main() {
  pthread_t other;
  pthread_create(&other, nullptr, answer, nullptr);
  for (long round = 1; round <= rounds; ++round) {
    both.told = round;
    while (both.done != round) {
    }
  }
  pthread_join(other, nullptr);
  std::puts("done");
}
