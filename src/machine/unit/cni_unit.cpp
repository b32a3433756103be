// cni_unit: registers of lines, regions and faults.
#include "machine/unit/cni_unit.hpp"

namespace tess::machine {
namespace {

namespace of = registers::cni;
using registers::command_status;

constexpr std::size_t field_of(std::uint64_t offset) {
  return offset / sizeof(std::uint64_t);
}

}  // namespace

cni_unit::cni_unit(machine_description const& description, tile& at)
    : command_unit(description.harts_of(at.number())),
      description_(description),
      interface_(*at.interface()),
      first_(*at.map().of(region_kind::scratchpad, 0)),
      stride_(description.cni->scratchpad_stride) {}

region_table::entry* cni_unit::region_at(std::uint64_t offset) noexcept {
  auto const entries = interface_.regions().entries();
  std::uint64_t const number = (offset - of::regions) / of::region_bytes;
  return offset >= of::regions && number < entries.size() ? &entries[number] : nullptr;
}

std::uint64_t* cni_unit::region_field(region_table::entry& one, std::uint64_t offset) const noexcept {
  switch (offset % of::region_bytes) {
    case of::region_match:
      return &one.match;
    case of::region_mask:
      return &one.mask;
    case of::region_kind:
      return &one.code;
    case of::region_way:
      return &one.way;
    default:
      return nullptr;
  }
}

std::optional<std::uint64_t> cni_unit::load(std::uint64_t offset, std::uint32_t hart) {
  if (hart == no_hart) return std::nullopt;
  if (offset < of::regions) return command_unit::load(offset, hart);
  if (region_table::entry* const one = region_at(offset)) {
    if (offset % of::region_bytes == of::region_enable) return one->enabled ? 1 : 0;
    std::uint64_t const* const field = region_field(*one, offset);
    return field == nullptr ? std::nullopt : std::optional(*field);
  }
  network_interface::fault_record const& faults = interface_.faults();
  switch (offset) {
    case of::faults:
      return faults.count;
    case of::fault_code:
      return static_cast<std::uint64_t>(faults.last);
    case of::fault_address:
      return faults.address;
    case of::fault_notify:
      return faults.notify;
    case of::jobs:
      return interface_.jobs();
    case of::scratchpad_base:
      return first_.base;
    case of::scratchpad_stride:
      return stride_;
    case of::way_bytes:
      return description_.l2.way_bytes;
    case of::ways:
      return description_.l2.ways - 1;
    default:
      return std::nullopt;
  }
}

bool cni_unit::store(std::uint64_t offset, std::uint64_t value, std::uint32_t hart) {
  if (hart == no_hart) return false;
  if (offset < of::regions) return command_unit::store(offset, value, hart);
  if (region_table::entry* const one = region_at(offset)) {
    if (offset % of::region_bytes == of::region_enable) {
      one->enabled = value == 1 && interface_.regions().enable(*one, description_.l2.ways);
      return true;
    }
    std::uint64_t* const field = region_field(*one, offset);
    if (field == nullptr) return false;
    one->enabled = false;
    *field = value;
    return true;
  }
  network_interface::fault_record& faults = interface_.faults();
  if (offset == of::faults) {
    faults.count = 0;
    return true;
  }
  if (offset == of::fault_notify) faults.notify = value;
  return offset == of::fault_notify;
}

command_status cni_unit::begin(window& by) {
  event_lines& lines = interface_.lines();
  std::uint64_t const address = by.field(of::address);
  auto const see = [&](std::optional<event_lines::line_view> const& seen) {
    by.words[field_of(of::value)] = seen ? seen->code : of::cacheable;
    by.words[field_of(of::tag)] = seen ? seen->tag : 0;
    if (seen) by.words[field_of(of::address)] = seen->address;
    return seen.has_value();
  };
  bool done = false;
  switch (by.field(of::operation)) {
    case of::configure:
      done = lines.configure(address, by.field(of::bytes), by.field(of::value));
      break;
    case of::examine:
      done = see(lines.examine(address));
      break;
    case of::restore:
      done = lines.restore(address, by.field(of::value), by.field(of::tag));
      break;
    case of::next:
      (void)see(lines.next(address));
      done = true;
      break;
    default:
      break;
  }
  if (done) interface_.reconfigured();
  return done ? command_status::idle : command_status::wrong;
}

}  // namespace tess::machine
