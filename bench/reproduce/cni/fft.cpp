// fft: a Fourier transform on 1, 2 or 4 tiles with cache-integrated network interfaces, measured for every size.
#include "checks.hpp"
#include "measure_blocks.hpp"

int main(int count, char** words) {
  constexpr std::uint64_t looks = 4;  // results to check; each takes n products in double precision
  return cni::measure_blocks<cni::fft>("fft", 16, count, words, [](auto const& transform, std::uint64_t n) {
    return is_transformed_part(transform, n, looks);
  });
}
