// latency: cycles of a load that depends on the one before, for memory of several sizes; printed as cycles × 100.
//
// Small data lie behind the program, in the tile-local memory; large ones are mapped, so that they lie in the
// partition.
#include <sys/mman.h>

#include <cstdint>
#include <cstdio>

namespace {

constexpr int loads = 512;

std::uint64_t cycle() {
  std::uint64_t now = 0;
  asm volatile("rdcycle %0" : "=r"(now)::"memory");
  return now;
}

// 512 loads in a row, each of the address that the last one gave.
[[gnu::noinline]] void* follow(void* at) {
  asm volatile(".rept 512\n ld %0, 0(%0)\n .endr" : "+r"(at)::"memory");
  return at;
}

// A cycle through `count` places, `stride` apart, in an order in which no two neighbours follow each other.
void* chain(char* base, std::uint64_t count, std::uint64_t stride) {
  std::uint64_t const step = count / 2 + 1;  // odd for the powers of two that are used, so it visits all
  for (std::uint64_t i = 0; i < count; ++i) {
    *reinterpret_cast<void**>(base + i * stride) = base + (i + step) % count * stride;
  }
  return base;
}

[[gnu::noinline]] std::uint64_t measure(void* start, int warm) {
  void* at = start;
  for (int i = 0; i < warm; ++i) at = follow(at);
  std::uint64_t const before = cycle();
  asm volatile("" ::"r"(follow(at)) : "memory");
  return cycle() - before;
}

// The same number of cycles around loads that all hit: what measuring itself costs.
void report(char const* name, std::uint64_t cycles, std::uint64_t hits) {
  // A hit takes one cycle; what measuring adds is the same in both.
  std::uint64_t const each = (cycles - hits) * 100 / loads + 100;
  std::printf("%s %llu\n", name, static_cast<unsigned long long>(each));
}

alignas(4096) char local[256 * 1024];

char* mapped(std::size_t bytes) {
  return static_cast<char*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
}

}  // namespace

int main() {
  // The first call brings the code.
  (void)measure(chain(local, 64, 16), 3);
  std::uint64_t const hits = measure(chain(local, 64, 16), 3);
  report("l1", measure(chain(local, 128, 16), 3), hits);
  report("tlm", measure(chain(local, 16384, 16), 33), hits);
  char* const in_l2 = mapped(256 * 1024);
  report("l2", measure(chain(in_l2, 16384, 16), 33), hits);
  // Eight times the L2: the chain comes back to no line that is still there. Once around, so that no line is dirty.
  char* const beyond = mapped(4096 * 1024);
  report("memory", measure(chain(beyond, 65536, 64), 130), hits);
}
