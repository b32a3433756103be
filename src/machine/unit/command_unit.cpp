// command_unit: loads and stores of the windows.
#include "machine/unit/command_unit.hpp"

namespace tess::machine {
namespace {

constexpr std::uint64_t doorbell = 56;

}  // namespace

std::optional<std::uint64_t> command_unit::load(std::uint64_t offset, std::uint32_t) {
  std::uint64_t const number = offset / registers::window_bytes;
  if (number >= windows_.size()) return std::nullopt;
  window const& request = windows_[number];
  std::uint64_t const inside = offset % registers::window_bytes;
  return inside == doorbell ? static_cast<std::uint64_t>(request.status) : request.field(inside);
}

bool command_unit::store(std::uint64_t offset, std::uint64_t value, std::uint32_t) {
  std::uint64_t const number = offset / registers::window_bytes;
  if (number >= windows_.size()) return false;
  window& by = windows_[number];
  // While a command runs, the unit owns the window: the store is lost.
  if (by.runs()) return true;
  std::uint64_t const inside = offset % registers::window_bytes;
  if (inside == doorbell) {
    by.status = begin(by);
  } else {
    by.words[inside / sizeof(std::uint64_t)] = value;
  }
  return true;
}

}  // namespace tess::machine
