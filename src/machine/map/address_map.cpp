// address_map: search, overlaps, and the names of regions in messages.
#include "machine/map/address_map.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "machine/kernel/assert.hpp"

namespace tess::machine {

std::string to_text(region const& one) {
  char const* const kind = one.kind == region_kind::tlm                  ? "TLM"
                           : one.kind == region_kind::partition          ? "partition"
                           : one.kind == region_kind::partition_uncached ? "uncached partition"
                           : one.kind == region_kind::scratchpad         ? "scratchpad"
                                                                         : "devices";
  return fmt::format("{} of tile {} [{:#x}, {:#x})", kind, one.tile, one.base, one.end());
}

address_map::address_map(std::vector<region> regions) : regions_(std::move(regions)) {
  MACHINE_ASSERT(!overlap(regions_));
  std::ranges::sort(regions_, {}, &region::base);
}

region const* address_map::find(std::uint64_t address) const noexcept {
  if (last_ < regions_.size() && regions_[last_].holds(address)) return &regions_[last_];
  auto const above = std::ranges::upper_bound(regions_, address, {}, &region::base);
  if (above == regions_.begin() || !(above - 1)->holds(address)) return nullptr;
  last_ = static_cast<std::size_t>(above - 1 - regions_.begin());
  return &regions_[last_];
}

region const* address_map::of(region_kind kind, std::uint32_t tile) const noexcept {
  auto const found =
      std::ranges::find_if(regions_, [&](region const& one) { return one.kind == kind && one.tile == tile; });
  return found == regions_.end() ? nullptr : &*found;
}

std::optional<std::pair<region, region>> address_map::overlap(std::vector<region> regions) {
  std::ranges::sort(regions, {}, &region::base);
  for (std::size_t i = 0; i < regions.size(); ++i) {
    bool const wraps = regions[i].end() < regions[i].base;
    if (regions[i].base < local_window_end || wraps) return {{regions[i], regions[i]}};
    if (i > 0 && regions[i - 1].end() > regions[i].base) return {{regions[i - 1], regions[i]}};
  }
  return std::nullopt;
}

}  // namespace tess::machine
