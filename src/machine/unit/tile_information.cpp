// tile_information: registers computed from the description.
#include "machine/unit/tile_information.hpp"

#include <algorithm>
#include <cstring>

namespace tess::machine {

std::optional<std::uint64_t> tile_information::load(std::uint64_t offset, std::uint32_t hart) {
  if (offset >= registers::information::own_units) return own_unit_row(offset - registers::information::own_units);
  if (offset >= registers::information::table) {
    std::uint64_t const tile = (offset - registers::information::table) / registers::information::row_bytes;
    if (tile >= description_.tiles()) return std::nullopt;
    return row(static_cast<std::uint32_t>(tile), offset % registers::information::row_bytes);
  }
  if (offset == registers::information::stalled) return stalled_ ? 1 : 0;
  if (offset == registers::information::units) return at_.units();
  if (offset == registers::information::node) return description_.has_nodes() ? 1 : 0;
  if (offset == registers::information::copies) return copies_.in_tile;
  if (offset == registers::information::local_tlm_first) return description_.window(tile_).tlm_first;
  if (offset == registers::information::local_tlm_end) return description_.window(tile_).tlm_bytes;
  if (offset == registers::information::local_tail_first) return description_.window(tile_).tail_first();
  if (offset == registers::information::copy_bytes) return description_.share_bytes(copies_.in_tile);
  switch (offset % registers::window_bytes) {
    case registers::information::tile:
      return tile_;
    case registers::information::hart:
      return hart;
    case registers::information::width:
      return description_.width;
    case registers::information::height:
      return description_.height;
    case registers::information::harts:
      return harts();
    case registers::information::program:
      // The system's hart, of a memory tile, runs a copy of its own.
      return program_of(tile_) - 1 + (copies_.in_tile == 1 ? 0 : hart / (harts() / copies_.in_tile));
    case registers::information::programs:
      return copies_.all;
    default:
      return description_.tile_clock_ps;
  }
}

bool tile_information::store(std::uint64_t offset, std::uint64_t value, std::uint32_t) {
  if (offset == registers::information::end_run) {
    if (end_) end_(static_cast<int>(value & 0xffU));
    return true;
  }
  if (offset != registers::information::measured) return false;
  if (measured_) measured_(value != 0);
  return true;
}

std::uint64_t tile_information::program_of(std::uint32_t tile) const noexcept {
  auto const found = std::ranges::find(program_tiles_, tile);
  return found == program_tiles_.end()
             ? 0
             : static_cast<std::uint64_t>(found - program_tiles_.begin()) * copies_.in_tile + 1;
}

std::optional<std::uint64_t> tile_information::own_unit_row(std::uint64_t offset) const {
  std::uint64_t const number = offset / registers::information::row_bytes;
  std::uint64_t const inside = offset % registers::information::row_bytes;
  if (number > registers::own_units::count_max) return std::nullopt;
  if (number >= description_.units.size()) return 0;
  if (inside == registers::information::own_unit_number) return registers::own_units::first + number;
  std::string const& name = description_.units[number].name;
  std::uint64_t letters = 0;
  if (inside < name.size()) std::memcpy(&letters, name.data() + inside, std::min(name.size() - inside, sizeof letters));
  return letters;
}

std::uint64_t tile_information::row(std::uint32_t tile, std::uint64_t offset) const {
  region const* const own = map_.of(region_kind::partition, tile);
  region const partition = own == nullptr ? region{} : *own;  // a cluster without DDR has none
  // The copy map of the NMA is reserved.
  std::uint64_t const taken = description_.is_memory(tile) ? description_.nma.map_bytes : 0;
  switch (offset) {
    case registers::information::row_tlm:
      return map_.of(region_kind::tlm, tile)->base;
    case registers::information::row_partition:
      return partition.base + taken;
    case registers::information::row_partition_bytes:
      return partition.size_bytes - description_.local_tail_bytes - taken;
    case registers::information::row_uncached:
      return own == nullptr ? 0 : map_.of(region_kind::partition_uncached, tile)->base + taken;
    case registers::information::row_devices:
      return map_.of(region_kind::device, tile)->base;
    case registers::information::row_memory_tile:
      return partition.memory_tile;
    case registers::information::row_program:
      return program_of(tile);
    default:
      return description_.tlm_bytes;
  }
}

}  // namespace tess::machine
