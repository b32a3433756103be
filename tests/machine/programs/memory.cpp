// memory: maps, protections, moves and a heap of many megabytes, by the system's own calls.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

int main() {
  std::size_t const page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  auto* const a =
      static_cast<char*>(mmap(nullptr, 16 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  std::memset(a, 7, 16 * page);
  std::printf("%d\n", munmap(a + 4 * page, 4 * page));
  std::printf("%d %d\n", mprotect(a, page, PROT_READ), a[0] + a[15 * page]);
  auto* const again =
      mmap(a + 4 * page, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  std::printf("%d %d\n", again == a + 4 * page, a[4 * page]);
  auto* const larger = static_cast<char*>(mremap(a + 8 * page, 8 * page, 64 * page, MREMAP_MAYMOVE));
  std::printf("%d %d\n", larger[0], larger[63 * page]);
  madvise(larger, 8 * page, MADV_DONTNEED);
  std::printf("%d\n", larger[0]);
  std::vector<std::unique_ptr<std::uint64_t[]>> blocks;
  std::uint64_t sum = 0;
  for (int k = 0; k < 64; ++k) {
    blocks.push_back(std::make_unique<std::uint64_t[]>(1U << 16U));
    for (std::size_t j = 0; j < (1U << 16U); j += 512) blocks.back()[j] = j * static_cast<std::size_t>(k);
    if (k % 3 == 0) blocks.erase(blocks.begin());
  }
  for (auto const& b : blocks) sum += b[512] + b[65024];
  std::printf("%zu %llu\n", blocks.size(), static_cast<unsigned long long>(sum));
  std::printf("%d %d\n", munmap(reinterpret_cast<void*>(1), page),
              mmap(nullptr, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
}
