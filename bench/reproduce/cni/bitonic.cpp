// bitonic: bitonic sort on 1, 2 or 4 tiles with cache-integrated network interfaces, measured for every size.
#include "checks.hpp"
#include "measure_blocks.hpp"

int main(int count, char** words) {
  return cni::measure_blocks<cni::bitonic_sort>(
      "bitonic", 4, count, words, [](auto const& sort, std::uint64_t n) { return is_sorted_part(sort, n); });
}
