// stride_prefetcher: finds loads whose addresses are equally far apart, and says which lines they will need.
//
//   A table of loads by their address, direct-mapped, as large as a hart's. It learns from loads that miss the L1. When
//   a load has moved by the same distance twice, the lines for the next ones are wanted; a distance shorter than a line
//   of the L2 counts as a line. Pages are not left.
//
// Units     bytes; global addresses.
// Threads   none.
// Source    T.-F. Chen, J.-L. Baer, "Effective Hardware-Based Data Prefetching for High-Performance Processors" (IEEE
//           Transactions on Computers, 1995), reference prediction table.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace tess::machine {

struct prefetcher_parameters {
  std::uint32_t entries = 16;     ///< Loads that a hart's table remembers; a power of two.
  std::uint32_t degree = 2;       ///< Lines that are wanted ahead of a load.
  std::uint32_t outstanding = 8;  ///< Lines of a tile on their way; what is wanted beyond is dropped.
};

class stride_prefetcher {
 public:
  static constexpr std::uint32_t degree_max = 16;

  stride_prefetcher(prefetcher_parameters const& parameters, std::uint32_t line_bytes)
      : degree_(parameters.degree), line_bytes_(line_bytes), loads_(parameters.entries) {}

  /// The load at this pc has missed at this address. Returns the addresses of the lines that it will need.
  std::span<std::uint64_t const> missed(std::uint64_t pc, std::uint64_t address) {
    load& at = loads_[(pc >> 1U) & (loads_.size() - 1)];
    std::int64_t const moved = static_cast<std::int64_t>(address - at.address);
    bool const known = at.pc == pc;
    bool const again = known && moved == at.stride && moved != 0;
    at = {.pc = pc, .address = address, .stride = known ? moved : 0};
    if (!again) return {};
    auto const line = static_cast<std::int64_t>(line_bytes_);
    std::int64_t const step = moved > 0 ? std::max(moved, line) : std::min(moved, -line);
    std::size_t count = 0;
    std::uint64_t next = address;
    for (std::uint32_t k = 0; k < degree_; ++k) {
      next += static_cast<std::uint64_t>(step);
      if (next >> page_shift != address >> page_shift) break;
      wanted_[count++] = next / line_bytes_ * line_bytes_;
    }
    return {wanted_.data(), count};
  }

 private:
  static constexpr unsigned page_shift = 12;
  struct load {
    std::uint64_t pc = 1;  ///< Odd: none.
    std::uint64_t address = 0;
    std::int64_t stride = 0;  ///< Between its last two misses.
  };
  std::uint32_t degree_;
  std::uint32_t line_bytes_;
  std::vector<load> loads_;
  std::array<std::uint64_t, degree_max> wanted_{};
};

}  // namespace tess::machine
