// object_lookaside: loads and stores of entries.
#include "machine/unit/object_lookaside.hpp"

namespace tess::machine {
namespace {

constexpr std::uint64_t entry_bytes = sizeof(std::uint64_t);

}  // namespace

object_lookaside::object_lookaside(machine_description const& description, std::uint32_t at)
    : timing_(description.lookaside),
      buffers_(timing_ ? description.harts_of(at) : 0, std::vector<std::uint64_t>(timing_ ? timing_->entries : 0)) {
  for (std::uint32_t tile = 0; tile < description.tiles(); ++tile)
    windows_.push_back(description.window_of_units(tile));
}

std::uint32_t object_lookaside::look_up(std::uint32_t hart, std::uint64_t object) {
  if (!timing_) return 0;
  std::uint64_t& entry = buffers_[hart][object % timing_->entries];
  bool const hit = entry == object;
  ++(hit ? counted_.hits : counted_.misses);
  if (hit) return timing_->hit_cycles;
  // An id without a tile is looked for each time.
  if (tile_of(object)) entry = object;
  return timing_->hit_cycles + timing_->miss_cycles;
}

std::optional<std::uint64_t> object_lookaside::load(std::uint64_t offset, std::uint32_t) {
  std::uint64_t const object = offset / entry_bytes;
  if (object >= registers::extended::objects_max) return std::nullopt;
  return object < tiles_.size() ? tiles_[object] : none;
}

bool object_lookaside::store(std::uint64_t offset, std::uint64_t value, std::uint32_t hart) {
  std::uint64_t const object = offset / entry_bytes;
  bool const sound = object != 0 && object < registers::extended::objects_max && value <= windows_.size();
  if (!sound || hart == no_hart) return false;
  if (object >= tiles_.size()) tiles_.resize(object + 1);
  tiles_[object] = static_cast<std::uint32_t>(value);
  for (std::vector<std::uint64_t>& buffer : buffers_) {
    std::uint64_t& entry = buffer[object % timing_->entries];
    if (entry == object) entry = 0;
  }
  return true;
}

}  // namespace tess::machine
