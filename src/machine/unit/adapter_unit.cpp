// adapter_unit: from command fields to transactions and back.
#include "machine/unit/adapter_unit.hpp"

namespace tess::machine {
namespace {

using registers::command_status;

/// The tile whose adapter reads and writes lines of this region: for a partition, the tile with its memory.
std::uint32_t line_home(region const& in) {
  return in.kind == region_kind::tlm ? in.tile : in.memory_tile;
}

/// The region that contains all of [address, address + bytes), if it can be copied.
region const* copied(address_map const& map, std::optional<std::uint64_t> address, std::uint64_t bytes) {
  region const* const in = address ? map.find(*address) : nullptr;
  bool const whole = in != nullptr && bytes != 0 && bytes <= in->end() - *address;
  return whole && (in->kind == region_kind::tlm || in->kind == region_kind::partition) ? in : nullptr;
}

}  // namespace

adapter_unit::adapter_unit(kernel& k, machine_description const& description, tile& at)
    : command_unit(description.harts_of(at.number())),
      kernel_(k),
      tile_(at),
      completion_(description, at),
      line_bytes_(description.l2.line_bytes),
      clusters_(description.has_clusters()) {}

bool adapter_unit::prepare_copy(window const& by, bool sends, transaction& request) const {
  auto const source = completion_.global(by.field(registers::adapter::address));
  auto const target = completion_.global(by.field(registers::adapter::operand));
  std::uint64_t const bytes = by.field(registers::adapter::bytes);
  region const* const from = copied(tile_.map(), source, bytes);
  region const* const to = copied(tile_.map(), target, bytes);
  // A copy within the local window must not cross from the TLM to the partition: their homes differ.
  bool const seams =
      completion_.global(by.field(registers::adapter::address) + bytes - 1) == source.value_or(0) + bytes - 1 &&
      completion_.global(by.field(registers::adapter::operand) + bytes - 1) == target.value_or(0) + bytes - 1;
  if (from == nullptr || to == nullptr || !seams || (*source | *target | bytes) % line_bytes_ != 0) return false;
  // A cluster sends its own data and fetches nothing.
  if (clusters_ && (from->tile != tile_.number() || (to->tile != tile_.number() && !sends))) return false;
  request.what = remote_operation::transfer;
  request.target = line_home(*from);
  request.address = *source;
  request.part = dma_transfer{.destination = *target, .destination_tile = line_home(*to), .notifies = sends};
  request.bytes = bytes;
  return true;
}

bool adapter_unit::prepare(window const& by, transaction& request) const {
  bool const sends = by.field(registers::adapter::operation) == registers::adapter::send;
  if (sends && !clusters_) return false;
  if (sends || by.field(registers::adapter::operation) == registers::adapter::copy)
    return prepare_copy(by, sends, request);
  auto const word = completion_.global(by.field(registers::adapter::address));
  std::uint64_t const bytes = by.field(registers::adapter::bytes);
  region const* const in = word ? tile_.map().find(*word) : nullptr;
  if (by.field(registers::adapter::operation) != registers::adapter::compare_swap || in == nullptr ||
      in->kind == region_kind::device)
    return false;
  if (clusters_ && in->tile != tile_.number()) return false;
  if ((bytes != 4 && bytes != 8) || *word % bytes != 0) return false;
  request.what = remote_operation::compare_swap;
  request.address = *word;
  request.bytes = bytes;
  request.operand = by.field(registers::adapter::operand);
  request.expected = by.field(registers::adapter::expected);
  return true;
}

command_status adapter_unit::begin(window& by) {
  transaction checked;
  if (!prepare(by, checked) || !completion_.counter(by.field(registers::adapter::counter)))
    return command_status::wrong;
  kernel_.start(run(by));
  return command_status::accepted;
}

process adapter_unit::run(window& by) {
  transaction request;
  (void)prepare(by, request);
  std::uint64_t const counter = *completion_.counter(by.field(registers::adapter::counter));
  if (request.what == remote_operation::transfer) {
    co_await completion_.remote(request);
  } else {
    co_await completion_.word(request);
  }
  bool const failed = request.status != remote_outcome::done;
  if (request.what == remote_operation::compare_swap)
    by.words[registers::adapter::result / sizeof(std::uint64_t)] = request.operand;
  by.status = failed ? command_status::wrong : command_status::idle;
  co_await completion_.acknowledge(counter, failed ? 1 : 0);
}

}  // namespace tess::machine
