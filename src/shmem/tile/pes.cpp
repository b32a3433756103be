// pes: reads the tile table once.
#include "shmem/tile/pes.hpp"

#include <cstdlib>

#include "tess/machine/xbgas.hpp"

extern "C" {
/// How far each PE's image is from this PE's, for the words that a program's header inlines.
std::uint64_t* tess_shmem_distances = nullptr;
}

namespace tess::shmem {

namespace hw = detail::tile_registers;
namespace info = hw::information;

constinit pe_table all_pes;

void pe_table::open() {
  own_ = static_cast<int>(hw::information_field(info::program));
  count_ = static_cast<int>(hw::information_field(info::programs));
  tlm_bytes_ = hw::row(hw::information_field(info::tile), info::row_tlm_bytes);
  places_ = static_cast<pe_place*>(std::calloc(static_cast<std::size_t>(count_), sizeof *places_));
  tess_shmem_distances =
      static_cast<std::uint64_t*>(std::calloc(static_cast<std::size_t>(count_), sizeof(std::uint64_t)));
  if (places_ == nullptr || tess_shmem_distances == nullptr) std::abort();
  auto const in_tile = static_cast<int>(hw::information_field(info::copies));
  std::uint64_t const copy_bytes = hw::information_field(info::copy_bytes);
  shares_tile_ = in_tile > 1;
  std::uint64_t const tiles = hw::information_field(info::width) * hw::information_field(info::height);
  for (std::uint64_t tile = 0; tile < tiles; ++tile) {
    std::uint64_t const program = hw::row(tile, info::row_program);
    if (program == 0) continue;
    std::uint64_t const tail = hw::row(tile, info::row_uncached) + hw::row(tile, info::row_partition_bytes);
    auto const first = static_cast<int>(program - 1);
    for (int share = 0; share < in_tile && first + share < count_; ++share)
      places_[first + share] = {tile, hw::row(tile, info::row_tlm), tail,
                                copy_bytes * static_cast<std::uint64_t>(share - own_ % in_tile)};
  }
  for (int pe = 0; pe < count_; ++pe) {
    machine::xbgas::fill(object_of(pe), places_[pe].tile);
    tess_shmem_distances[pe] = places_[pe].distance;
  }
}

}  // namespace tess::shmem
