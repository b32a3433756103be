// hash: unordered containers, SHA-like mixing and CRC-32 by table.
#include <array>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>

int main() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t k = 0; k < 256; ++k) {
    std::uint32_t c = k;
    for (int bit = 0; bit < 8; ++bit) c = (c & 1U) != 0 ? 0xedb88320U ^ (c >> 1U) : c >> 1U;
    table[k] = c;
  }
  std::string const text = "The quick brown fox jumps over the lazy dog";
  std::uint32_t crc = ~0U;
  for (char c : text) crc = table[(crc ^ static_cast<unsigned char>(c)) & 255U] ^ (crc >> 8U);
  std::printf("crc %08x\n", ~crc);
  std::unordered_map<std::string, int> counts;
  std::unordered_set<std::uint64_t> seen;
  std::uint64_t state = 88172645463325252U;
  for (int k = 0; k < 60'000; ++k) {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    ++counts[std::to_string(state % 997)];
    seen.insert(state >> 50U);
  }
  std::uint64_t sum = 0;
  for (auto const& [word, count] : counts) sum += std::hash<std::string>{}(word) * static_cast<std::uint64_t>(count);
  std::printf("%zu %zu %016llx\n", counts.size(), seen.size(), static_cast<unsigned long long>(sum));
}
