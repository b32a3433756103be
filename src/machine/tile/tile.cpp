// tile: the bus, places of addresses, and lines to and from memory.
#include "machine/tile/tile.hpp"

#include <algorithm>
#include <cstring>

namespace tess::machine {
namespace {

adapter_parameters adapter_of(machine_description const& made_of) {
  adapter_description const& described = made_of.adapter;
  return {.request_cycles = described.request_cycles,
          .response_cycles = described.response_cycles,
          .header_bytes = described.header_bytes,
          .outstanding = described.outstanding,
          .dma_packet_bytes = described.dma_packet_bytes,
          .dma_packets = described.dma_packets,
          .task_queue_entries = described.task_queue_entries};
}

}  // namespace

tile::tile(kernel& k, machine_description const& made_of, address_map const& map, network& over, std::uint32_t number)
    : kernel_(k),
      made_of_(made_of),
      map_(map),
      clock_(made_of.tile_clock_ps),
      number_(number),
      tlm_region_(*map.of(region_kind::tlm, number)),
      tlm_(made_of.tlm_bytes),
      l2_(k, made_of.l2, *this),
      adapter_(k, over, clock_, adapter_of(made_of), number, *this) {
  if (made_of.is_memory(number)) {
    memory_ = std::make_unique<memory_port>(
        k, clock_domain(made_of.memory_clock_ps),
        memory_port_parameters{made_of.memory.port_bytes, made_of.memory.access_cycles}, made_of.dram);
  }
}

void tile::attach(snooper& l1) {
  l1s_.push_back(&l1);
  l2_.attach(l1);
}

tile::place tile::place_of(std::uint64_t address) const noexcept {
  if (tlm_region_.holds(address)) return place::tlm;
  region const* const found = map_.find(address);
  if (found == nullptr) return place::nowhere;
  switch (found->kind) {
    case region_kind::partition:
      return place::l2;
    case region_kind::tlm:
    case region_kind::partition_uncached:
      return place::remote;
    case region_kind::device:
      return place::nowhere;  // no unit has registers yet
  }
  return place::nowhere;
}

picoseconds tile::bus(picoseconds time, std::size_t bytes) noexcept {
  picoseconds const turn = std::max(clock_.edge(time), bus_free_);
  picoseconds const taken =
      clock_.cycles(made_of_.bus.arbitration_cycles + (bytes + made_of_.bus.bytes - 1) / made_of_.bus.bytes);
  bus_free_ = turn + taken;
  bus_busy_ps_ += taken;
  return bus_free_;
}

picoseconds tile::hit_time(place where, picoseconds time, std::size_t bytes) noexcept {
  // The bus is part of the published latency; what goes beyond it is waiting for one's turn.
  picoseconds const asked = clock_.edge(time);
  picoseconds const moved = bus(asked, bytes);
  picoseconds const alone =
      clock_.cycles(made_of_.bus.arbitration_cycles + (bytes + made_of_.bus.bytes - 1) / made_of_.bus.bytes);
  std::uint32_t const cycles = where == place::tlm ? made_of_.tlm_access_cycles : made_of_.l2_hit_cycles;
  return moved - alone + clock_.cycles(cycles);
}

std::byte* tile::look_up(place where, std::uint64_t address, bool for_store) noexcept {
  if (where == place::tlm) return tlm_.at(address - tlm_region_.base);
  return l2_.look_up(address, for_store);
}

void tile::snoop(std::uint64_t address, std::size_t bytes, snooper const* own, picoseconds time) {
  for (snooper* const l1 : l1s_) {
    if (l1 != own) l1->invalidate(address, bytes);
  }
  for (watcher* const one : watchers_) one->written(address, bytes, time);
}

std::byte* tile::peek(std::uint64_t address) noexcept {
  if (tlm_region_.holds(address)) return tlm_.at(address - tlm_region_.base);
  if (auto const probed = l2_.probe(address); probed.line_state != l2_private::invalid) {
    return probed.data.data() + address % made_of_.l2.line_bytes;
  }
  region const* const found = map_.find(address);
  if (found == nullptr || found->kind != region_kind::partition || all_ == nullptr) return nullptr;
  return (*all_)[found->memory_tile]->memory_->bytes().at(found->memory_offset + (address - found->base));
}

void tile::discard(std::uint64_t address, std::uint64_t bytes) noexcept {
  region const& in = *map_.find(address);
  std::uint64_t const offset = in.memory_offset + (address - in.base);
  (*all_)[in.memory_tile]->memory_->bytes().discard(offset, offset + bytes);
}

tile::line_request& tile::line_request::owner_of(event& self) noexcept {
  return *static_cast<arrival_event&>(self).of;
}

tile::line_request& tile::take_line(std::uint64_t address, event& done) {
  if (spare_lines_.empty()) spare_lines_.push_back(&all_lines_.emplace_back(*this));
  line_request& taken = *spare_lines_.back();
  spare_lines_.pop_back();
  taken.arrival.of = &taken;
  taken.address = address;
  taken.bytes = made_of_.l2.line_bytes;
  taken.target = map_.find(address)->memory_tile;
  taken.done = &taken.arrival;
  taken.asked_by = &done;
  taken.into = {};
  return taken;
}

void tile::line_request::line_arrived() {
  MACHINE_ASSERT(status == outcome::done);
  std::copy_n(data.begin(), into.size(), into.begin());
  event& told = *asked_by;
  owner.spare_lines_.push_back(this);
  told.happens(told);
}

void tile::fetch(std::uint64_t address, std::span<std::byte> into, event& done) {
  line_request& asked = take_line(address, done);
  asked.what = remote_operation::read;
  asked.into = into;
  asked.via = &adapter_;
  // The miss is known a little after the look-up began.
  asked.happens = [](event& self) {
    auto& known = static_cast<line_request&>(self);
    known.owner.adapter_.issue(known);
  };
  kernel_.after(clock_.cycles(made_of_.l2_miss_cycles), asked);
}

void tile::write_back(std::uint64_t address, std::span<std::byte const> line, event& done) {
  line_request& asked = take_line(address, done);
  asked.what = remote_operation::write;
  std::ranges::copy(line, asked.data.begin());
  adapter_.issue(asked);
}

}  // namespace tess::machine
