// tile: the bus, places of addresses, and lines to and from memory.
#include "machine/tile/tile.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "machine/copy_line.hpp"

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

tile::tile(kernel& k, machine_description const& made_of, address_map const& map, network& over, network* mail,
           std::uint32_t number)
    : kernel_(k),
      made_of_(made_of),
      map_(map),
      clock_(made_of.tile_clock_ps),
      number_(number),
      tlm_region_(*map.of(region_kind::tlm, number)),
      partition_(map.of(region_kind::partition, number) == nullptr ? region{}
                                                                   : *map.of(region_kind::partition, number)),
      device_base_(map.of(region_kind::device, number)->base),
      tlm_(made_of.tlm_bytes, host_memory::pages::large),
      l2_(k, made_of.l2, *this),
      adapter_(k, over, clock_, adapter_of(made_of), number, *this, mail),
      arbitration_cycles_(made_of.bus.arbitration_cycles),
      bus_bytes_(made_of.bus.bytes),
      bus_shift_(static_cast<unsigned>(std::countr_zero(made_of.bus.bytes))),
      tlm_sharers_(made_of.tlm_bytes / made_of.l2.line_bytes),
      line_shift_(static_cast<unsigned>(std::countr_zero(made_of.l2.line_bytes))) {
  if (made_of.is_memory(number)) {
    memory_ = std::make_unique<memory_port>(
        k, clock_domain(made_of.memory_clock_ps),
        memory_port_parameters{made_of.memory.port_bytes, made_of.memory.access_cycles}, made_of.dram);
  }
  auto const told = [this](std::uint64_t address, std::size_t bytes) {
    snoop(address, bytes, nullptr, clock_.cycle_from(kernel_.now()));
  };
  if (made_of.cni) {
    interface_ =
        std::make_unique<network_interface>(k, made_of, map, over, l2_, adapter_, *this, memory_.get(), number, told);
  }
  if (made_of.has_nodes()) node_ = std::make_unique<node_memory>(k, made_of, partition_, l2_, *memory_);
  if (made_of.rae) {
    memory_side& below = node_ == nullptr ? static_cast<memory_side&>(*this) : *node_;
    atomics_ = std::make_unique<atomics_interface>(k, made_of, partition_, below, told);
  }
  if (made_of.coherence) {
    l2_.keep_coherent(line_watch_);
    picoseconds const look_up_ps = clock_.cycles(made_of.coherence->directory_cycles);
    if (memory_)
      directory_ = std::make_unique<directory>(k, *memory_, static_cast<probe_sender&>(*this), look_up_ps,
                                               made_of.l2.line_bytes);
  }
}

std::uint32_t tile::attach(snooper& l1) {
  l2_.trust_sharers();  // filled() keeps them
  MACHINE_ASSERT(l1s_.size() < 64);
  l1s_.push_back(&l1);
  l2_.attach(l1);
  return static_cast<std::uint32_t>(l1s_.size() - 1);
}

tile::place tile::place_elsewhere(std::uint64_t address) const noexcept {
  region const* const found = map_.find(address);
  // What other clusters have no hart reaches by itself.
  if (found == nullptr || (made_of_.has_clusters() && found->tile != number_)) return place::nowhere;
  switch (found->kind) {
    case region_kind::partition:
      return place::l2;
    case region_kind::tlm:
    case region_kind::partition_uncached:
      return place::remote;
    case region_kind::device:
      return found->tile == number_ ? place::device : place::remote;
    case region_kind::scratchpad:
      return place_in_scratchpad(*found, address);
  }
  return place::nowhere;
}

tile::place tile::place_in_scratchpad(region const& in, std::uint64_t address) const noexcept {
  network_interface const& interface = *interface_;
  if (in.tile != number_) return interface.remote_code(address) != 0 ? place::posted : place::nowhere;
  switch (interface.lines().code_of(address)) {
    case registers::cni::cacheable:
      return place::nowhere;  // nothing is there until it is configured
    case registers::cni::scratchpad:
      return place::scratchpad;
    default:
      return place::event;
  }
}

std::uint64_t tile::units() const noexcept {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < devices_.size(); ++i) bits |= std::uint64_t{devices_[i] != nullptr} << i;
  return bits;
}

std::pair<device*, std::uint64_t> tile::device_at(std::uint64_t address) const noexcept {
  std::uint64_t const offset = address - device_base_;
  std::uint64_t const unit = offset / registers::unit_bytes;
  return {unit < devices_.size() ? devices_[unit] : nullptr, offset % registers::unit_bytes};
}

std::uint64_t* tile::sharers(std::uint64_t address) noexcept {
  if (tlm_region_.holds(address)) return &tlm_sharers_[(address - tlm_region_.base) >> line_shift_];
  if (interface_ != nullptr && interface_->lines().holds(address)) return interface_->lines().sharers(address);
  return l2_.sharers(address);
}

void tile::filled(std::uint64_t address, std::uint32_t l1) noexcept {
  if (std::uint64_t* const known = sharers(address)) *known |= std::uint64_t{1} << l1;
}

std::uint32_t tile::attach(write_buffer& added) {
  MACHINE_ASSERT(writers_.size() < writers_max);
  auto const number = static_cast<std::uint32_t>(writers_.size());
  writers_.push_back(&added);
  first_posted(number, write_buffer::never);
  return number;
}

std::uint64_t tile::first_store() const noexcept {
  // Without branches: which one is first cannot be predicted.
  std::uint64_t first = first_stores_[0];
  for (std::size_t i = 1; i < writers_.size(); ++i) first = std::min(first, first_stores_[i]);
  return first;
}

void tile::execute_posted(std::uint64_t cycle) {
  while (posted_ != 0) {
    std::uint64_t const first = first_store();
    if (first >> writer_bits > cycle) return;
    auto const number = static_cast<std::uint32_t>(first % writers_max);
    write_buffer& of = *writers_[number];
    execute_first(of);
    --posted_;
    first_posted(number, of.first_cycle());
  }
}

inline void tile::execute_first(write_buffer& of) {
  write_buffer::posted_store const& first = of.take_first();
  first.execute();
  auto const offset = static_cast<std::uint64_t>(first.at - tlm_.at(0));
  if ((tlm_sharers_[offset >> line_shift_] & ~of.own_bit) != 0 || watched()) [[unlikely]]
    snoop(tlm_region_.base + offset, first.bytes, of.own, first.cycle);
  of.add_done(bus(first.cycle, first.bytes));
}

void tile::watch(watcher& sleeper) {
  watchers_.push_back(&sleeper);
  if (!drain_.waits) drain_for_watchers();
}

void tile::drain_for_watchers() {
  drain_.waits = false;
  catch_up(clock_.cycle_from(kernel_.now()));
  if (posted_ == 0 || watchers_.empty()) return;
  drain_.waits = true;
  kernel_.at(clock_.cycles(first_store() >> writer_bits), drain_);
}

void tile::snoop(std::uint64_t address, std::size_t bytes, snooper const* own, std::uint64_t cycle) {
  // An access within one line of an L1 is within one of the L2; the L2 includes the L1s.
  if (std::uint64_t* const known = sharers(address); known != nullptr && *known != 0) {
    for (std::uint64_t left = *known; left != 0; left &= left - 1) {
      snooper* const l1 = l1s_[static_cast<std::size_t>(std::countr_zero(left))];
      if (l1 != own) l1->invalidate(address, bytes);
    }
  }
  for (std::size_t i = watchers_.size(); i > 0; --i) watchers_[i - 1]->written(address, bytes, cycle);
}

void tile::discard(std::uint64_t address, std::uint64_t bytes) {
  std::uint64_t const cycle = clock_.count(kernel_.now()) + 1;
  if (tlm_region_.holds(address)) {
    tlm_.discard(address - tlm_region_.base, address - tlm_region_.base + bytes);
    std::uint64_t const line = std::uint64_t{1} << line_shift_;
    std::uint64_t const* const known = tlm_sharers(address);
    bool const all = watched();
    for (std::uint64_t i = 0; i < bytes >> line_shift_; ++i) {
      if (all || known[i] != 0) [[unlikely]]
        snoop(address + i * line, line, nullptr, cycle);
    }
    return;
  }
  l2_.forget(address, bytes);
  for (std::size_t i = 0; coherent() && i < all_->size(); ++i) (*all_)[i]->l2_.forget(address, bytes);
  if (coherent()) change_on_way({.address = address, .bytes = bytes});
  if (node_ != nullptr) atomics_->forget(address, bytes);
  region const& in = *map_.find(address);
  std::uint64_t const offset = in.memory_offset + (address - in.base);
  (*all_)[in.memory_tile]->memory_->bytes().discard(offset, offset + bytes);
}

void tile::clear(std::uint64_t address) {
  region const& in = *map_.find(address);
  std::byte* const line = (*all_)[in.memory_tile]->memory_->bytes().at(in.memory_offset + (address - in.base));
  std::fill_n(line, made_of_.l2.line_bytes, std::byte{});
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
  taken.target = partition_.holds(address) ? partition_.memory_tile : map_.find(address)->memory_tile;
  taken.done = &taken.arrival;
  taken.asked_by = &done;
  taken.fetched = nullptr;
  return taken;
}

void tile::line_request::line_arrived() {
  if (what == remote_operation::unblock) return owner.spare_lines_.push_back(this);
  MACHINE_ASSERT(status == remote_outcome::done);
  event& told = *asked_by;
  if (fetched != nullptr) {
    copy_line(fetched->into.data(), data.data(), bytes);
    if (owner.coherent()) return owner.unblock(*this);
  }
  owner.spare_lines_.push_back(this);
  told.happens(told);
}

void tile::fetch(line_fetch& wanted, event& done) {
  line_request& asked = take_line(wanted.address, done);
  asked.what = remote_operation::read;
  asked.fetched = &wanted;
  asked.right = wanted.right;
  asked.held = wanted.held;
  asked.via = &adapter_;
  // The miss is known a little after the look-up began.
  asked.happens = [](event& self) {
    auto& known = static_cast<line_request&>(self);
    known.owner.adapter_.issue(known);
  };
  kernel_.after(clock_.cycles(made_of_.l2_miss_cycles), asked);
}

void tile::write_back(std::uint64_t address, std::span<std::byte const> line, bool kept, event& done) {
  line_request& asked = take_line(address, done);
  asked.what = remote_operation::write;
  asked.right = kept ? line_right::exclusive : line_right::none;
  asked.held = false;
  copy_line(asked.data.data(), line.data(), line.size());
  adapter_.issue(asked);
}

}  // namespace tess::machine
