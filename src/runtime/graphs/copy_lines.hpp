// copy_lines: copies whole words; on the machine line by line, as its harts wait for every load that misses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tess::detail {

/// `bytes`: a multiple of 8; both addresses are aligned to 8.
inline void copy_lines(std::byte* to, std::byte const* from, std::uint64_t bytes) noexcept {
#if defined(__riscv)
  // All loads of two lines come before their stores: the write buffer, which holds eight, drains during the next miss.
  // The barriers keep that order, and keep the loops from becoming calls of memcpy.
  constexpr std::uint64_t step = 8;
  auto* out = reinterpret_cast<std::uint64_t*>(to);
  auto const* in = reinterpret_cast<std::uint64_t const*>(from);
  std::uint64_t left = bytes / 8;
  for (; left >= step; left -= step, in += step, out += step) {
    std::uint64_t const w[step] = {in[0], in[1], in[2], in[3], in[4], in[5], in[6], in[7]};
    asm volatile("" : : : "memory");
    out[0] = w[0], out[1] = w[1], out[2] = w[2], out[3] = w[3];
    out[4] = w[4], out[5] = w[5], out[6] = w[6], out[7] = w[7];
  }
  for (; left != 0; --left) {
    *out++ = *in++;
    asm volatile("" : : : "memory");
  }
#else
  if (bytes != 0) std::memcpy(to, from, bytes);
#endif
}

}  // namespace tess::detail
