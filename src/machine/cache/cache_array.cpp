// cache_array: layout, and the order of use.
#include "machine/cache/cache_array.hpp"

#include <bit>
#include <utility>

namespace tess::machine {

cache_array::cache_array(cache_shape const& shape)
    : shape_(shape),
      line_bits_(static_cast<unsigned>(std::countr_zero(shape.line_bytes))),
      way_bits_(std::has_single_bit(shape.ways) ? static_cast<unsigned>(std::countr_zero(shape.ways)) : no_bits),
      line_mask_(shape.line_bytes - 1),
      set_mask_(shape.sets() - 1),
      lines_(shape.sets() * shape.ways),
      names_(lines_),
      metadata_(lines_),
      data_(std::size_t{lines_} * shape.line_bytes),
      order_(shape.sets(), 0xfedcba9876543210U) {
  MACHINE_ASSERT(std::has_single_bit(shape.line_bytes) && std::has_single_bit(shape.sets()));
  MACHINE_ASSERT(shape.ways >= 1 && shape.ways <= ways_max);
}

void cache_array::take_tags(cache_array& from) noexcept {
  MACHINE_ASSERT(lines_ == from.lines_ && line_bits_ == from.line_bits_);
  for (line_index line = 0; line < lines_; ++line)
    if (names_[line].state != invalid) metadata_[line] = 0;
  std::swap(names_, from.names_);
  std::swap(order_, from.order_);
}

void cache_array::use(line_index line) noexcept {
  // Divisions take longer than the rest.
  line_index const set = way_bits_ != no_bits ? line >> way_bits_ : line / shape_.ways;
  std::uint64_t& order = order_[set];
  std::uint64_t const way = line - set * shape_.ways;
  unsigned const last = 4 * (shape_.ways - 1);
  if ((order >> last & 0xfU) == way) return;
  unsigned at = 0;
  while ((order >> at & 0xfU) != way) at += 4;
  // The ways behind it move one position down; it takes the last position of the set.
  std::uint64_t const kept = order & ((std::uint64_t{1} << at) - 1);
  std::uint64_t const all = last == 60 ? ~std::uint64_t{0} : (std::uint64_t{1} << (last + 4)) - 1;
  std::uint64_t const behind = (order & all) >> at >> 4U << at;
  order = (order & ~all) | kept | behind | way << last;
}

}  // namespace tess::machine
