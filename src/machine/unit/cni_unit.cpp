// cni_unit: registers of lines, regions and faults.
#include "machine/unit/cni_unit.hpp"

namespace tess::machine {
namespace {

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
  std::uint64_t const number = (offset - registers::cni::regions) / registers::cni::region_bytes;
  return offset >= registers::cni::regions && number < entries.size() ? &entries[number] : nullptr;
}

std::uint64_t* cni_unit::region_field(region_table::entry& one, std::uint64_t offset) const noexcept {
  switch (offset % registers::cni::region_bytes) {
    case registers::cni::region_match:
      return &one.match;
    case registers::cni::region_mask:
      return &one.mask;
    case registers::cni::region_kind:
      return &one.code;
    case registers::cni::region_way:
      return &one.way;
    default:
      return nullptr;
  }
}

std::optional<std::uint64_t> cni_unit::load(std::uint64_t offset, std::uint32_t hart) {
  if (hart == no_hart) return std::nullopt;
  if (offset < registers::cni::regions) return command_unit::load(offset, hart);
  if (region_table::entry* const one = region_at(offset)) {
    if (offset % registers::cni::region_bytes == registers::cni::region_enable) return one->enabled ? 1 : 0;
    std::uint64_t const* const field = region_field(*one, offset);
    return field == nullptr ? std::nullopt : std::optional(*field);
  }
  network_interface::fault_record const& faults = interface_.faults();
  switch (offset) {
    case registers::cni::faults:
      return faults.count;
    case registers::cni::fault_code:
      return static_cast<std::uint64_t>(faults.last);
    case registers::cni::fault_address:
      return faults.address;
    case registers::cni::fault_notify:
      return faults.notify;
    case registers::cni::jobs:
      return interface_.jobs();
    case registers::cni::scratchpad_base:
      return first_.base;
    case registers::cni::scratchpad_stride:
      return stride_;
    case registers::cni::way_bytes:
      return description_.l2.way_bytes;
    case registers::cni::ways:
      return description_.l2.ways - 1;
    default:
      return std::nullopt;
  }
}

bool cni_unit::store(std::uint64_t offset, std::uint64_t value, std::uint32_t hart) {
  if (hart == no_hart) return false;
  if (offset < registers::cni::regions) return command_unit::store(offset, value, hart);
  if (region_table::entry* const one = region_at(offset)) {
    if (offset % registers::cni::region_bytes == registers::cni::region_enable) {
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
  if (offset == registers::cni::faults) {
    faults.count = 0;
    return true;
  }
  if (offset == registers::cni::fault_notify) faults.notify = value;
  return offset == registers::cni::fault_notify;
}

command_status cni_unit::begin(window& by) {
  event_lines& lines = interface_.lines();
  std::uint64_t const address = by.field(registers::cni::address);
  auto const see = [&](std::optional<event_lines::line_view> const& seen) {
    by.words[field_of(registers::cni::value)] = seen ? seen->code : registers::cni::cacheable;
    by.words[field_of(registers::cni::tag)] = seen ? seen->tag : 0;
    if (seen) by.words[field_of(registers::cni::address)] = seen->address;
    return seen.has_value();
  };
  bool done = false;
  switch (by.field(registers::cni::operation)) {
    case registers::cni::configure:
      done = lines.configure(address, by.field(registers::cni::bytes), by.field(registers::cni::value));
      break;
    case registers::cni::examine:
      done = see(lines.examine(address));
      break;
    case registers::cni::restore:
      done = lines.restore(address, by.field(registers::cni::value), by.field(registers::cni::tag));
      break;
    case registers::cni::next:
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
