// object_lookaside: loads and stores of entries.
#include "machine/unit/object_lookaside.hpp"

namespace tess::machine {
namespace {

constexpr std::uint64_t entry_bytes = sizeof(std::uint64_t);

}  // namespace

object_lookaside::object_lookaside(machine_description const& description) {
  for (std::uint32_t tile = 0; tile < description.tiles(); ++tile) windows_.push_back(description.window(tile));
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
  return true;
}

}  // namespace tess::machine
