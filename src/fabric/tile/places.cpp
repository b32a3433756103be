// places: reads the tile table once.
#include "fabric/tile/places.hpp"

namespace tess::detail {

namespace hw = tile_registers;
namespace info = hw::information;

/// Both halves of a segment are whole pages.
constexpr std::uint64_t page = 4096;

tile_places::tile_places()
    : places_(hw::information_field(info::programs)),
      place_of_tile_(hw::information_field(info::width) * hw::information_field(info::height)),
      own_(static_cast<place_id>(hw::information_field(info::program))),
      tlm_bytes_(hw::row(hw::information_field(info::tile), info::row_tlm_bytes)),
      tlm_first_(hw::information_field(info::local_tlm_first)),
      tlm_end_(hw::information_field(info::local_tlm_end)),
      tail_first_(hw::information_field(info::local_tail_first)) {
  for (std::uint64_t tile = 0; tile < place_of_tile_.size(); ++tile) {
    std::uint64_t const program = hw::row(tile, info::row_program);
    if (program == 0) continue;
    std::uint64_t const bytes = hw::row(tile, info::row_partition_bytes);
    place_of_tile_[tile] = static_cast<place_id>(program - 1);
    places_[program - 1] = {.tile = tile,
                            .tlm = hw::row(tile, info::row_tlm),
                            .partition = hw::row(tile, info::row_partition),
                            .uncached = hw::row(tile, info::row_uncached),
                            .tail = hw::row(tile, info::row_partition) + bytes};
    segment_bytes_ = std::min(segment_bytes_, bytes / (2 * page) * (2 * page));
  }
}

}  // namespace tess::detail
