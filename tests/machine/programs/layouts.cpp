// layouts: prints where something on the stack, on the heap and in a mapping is, and a sum that depends on none.
#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <vector>

int main() {
  int const on_stack = 0;
  void* const mapping = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  std::vector<std::uint64_t> words(3000);
  for (std::uint64_t i = 0; i < words.size(); ++i) words[i] = i * i;
  std::uint64_t sum = 0;
  for (std::uint64_t const word : words) sum += word;
  std::printf("%p %p %p %llu\n", static_cast<void const*>(&on_stack), static_cast<void const*>(words.data()), mapping,
              static_cast<unsigned long long>(sum));
}
