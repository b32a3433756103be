// portals: opening, checking and closing of windows.
#include "machine/unit/portals.hpp"

#include <algorithm>

namespace tess::machine {
namespace {

using registers::command_status;

}  // namespace

portals::portals(machine_description const& description, tile& at, std::function<void()> all_received)
    : tile_(at),
      local_(description.window(at.number())),
      line_bytes_(description.l2.line_bytes),
      tiles_(description.tiles()),
      windows_(description.cluster.receive_windows),
      all_received_(std::move(all_received)) {
  at.guard_with(*this);
}

void portals::open(window& one, std::uint64_t sends) {
  one.sends = 0;
  one.state = command_status::idle;
  if (sends == 0) return;
  auto const [address, bytes, source] = one.fields;
  auto const begin = local_.global(address);
  region const* const in = begin ? tile_.map().find(*begin) : nullptr;
  bool const here = in != nullptr && in->tile == tile_.number() &&
                    (in->kind == region_kind::tlm || in->kind == region_kind::partition);
  bool const whole = here && bytes != 0 && bytes <= in->end() - *begin && (*begin | bytes) % line_bytes_ == 0;
  if (!whole || source >= tiles_ || source == tile_.number()) {
    one.state = command_status::wrong;
    return;
  }
  one.begin = *begin;
  one.end = *begin + bytes;
  one.sends = sends;
}

bool portals::admits(transaction const& data) {
  if (data.what != remote_operation::write) return false;
  auto const found = std::ranges::find_if(windows_, [&](window const& one) {
    return one.sends != 0 && one.fields[registers::portals::source / 8] == data.source && data.address >= one.begin &&
           data.address < one.end && data.bytes <= one.end - data.address;
  });
  if (found == windows_.end()) return false;
  if (data.dma()->is_end && --found->sends == 0) all_received_();
  return true;
}

std::optional<std::uint64_t> portals::load(std::uint64_t offset, std::uint32_t) {
  std::uint64_t const number = offset / registers::window_bytes;
  if (number >= windows_.size()) return std::nullopt;
  window const& one = windows_[number];
  std::uint64_t const inside = offset % registers::window_bytes;
  if (inside == registers::portals::sends) return one.sends;
  if (inside == registers::portals::state) return static_cast<std::uint64_t>(one.state);
  return inside < registers::portals::sends ? std::optional(one.fields[inside / sizeof(std::uint64_t)]) : std::nullopt;
}

bool portals::store(std::uint64_t offset, std::uint64_t value, std::uint32_t) {
  std::uint64_t const number = offset / registers::window_bytes;
  std::uint64_t const inside = offset % registers::window_bytes;
  if (number >= windows_.size() || inside > registers::portals::sends) return false;
  window& one = windows_[number];
  if (inside == registers::portals::sends) {
    open(one, value);
  } else if (one.sends == 0) {
    one.fields[inside / sizeof(std::uint64_t)] = value;  // an open window does not change
  }
  return true;
}

}  // namespace tess::machine
