// node_interface: the unit's ports, cycle by cycle, and the lines that it fetches.
#include "machine/rae/node_interface.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "machine/cache/copy_line.hpp"

namespace tess::machine {

interface_parameters parameters_of(machine_description const& description) {
  rae_description const& rae = *description.rae;
  std::uint64_t node_bytes = 2;
  for (region const& one : description.regions) {
    if (one.kind == region_kind::partition) node_bytes = std::max(node_bytes, one.size_bytes);
  }
  auto const line_bytes = static_cast<std::uint32_t>(description.l2.line_bytes);
  return {.main_entries = rae.main_entries,
          .sub_entries = rae.sub_entries,
          .queue_entries = rae.queue_entries,
          .packet_cycles = rae.packet_cycles,
          .look_up_cycles = rae.look_up_cycles,
          .operation_cycles = rae.operation_cycles,
          .cache_lines = static_cast<std::uint32_t>(rae.cache_bytes / line_bytes),
          .line_bytes = line_bytes,
          .address_bits = static_cast<std::uint32_t>(std::bit_width(node_bytes - 1)),
          .retain = rae.policy == rae_policy::retain,
          .merge = rae.merge};
}

node_interface::node_interface(kernel& k, machine_description const& description, region const& own, l2_private& cores,
                               memory_port& memory, std::unique_ptr<interface_unit> unit,
                               std::function<void(std::uint64_t, std::size_t)> on_write)
    : kernel_(k),
      clock_(description.tile_clock_ps),
      description_(*description.rae),
      own_(own),
      line_bytes_(description.l2.line_bytes),
      cores_(cores),
      memory_(memory),
      unit_(std::move(unit)),
      on_write_(std::move(on_write)) {
  for (std::uint32_t entry = 0; entry < description_.main_entries; ++entry) {
    wanted_line& made = lines_.emplace_back(*this);
    made.entry = entry;
    made.bytes.resize(line_bytes_);
  }
}

bool node_interface::idle() const noexcept {
  return requests_.empty() && claims_.empty() && claiming_ == nullptr && spare_tags_.size() == pending_.size() &&
         std::ranges::all_of(lines_, [](wanted_line const& one) { return one.is == wanted_line::stage::none; });
}

void node_interface::wake() {
  if (std::exchange(scheduled_, true)) return;
  kernel_.at(clock_.cycles(cycle_now() + 1), edge_);
}

void node_interface::serve(transaction& access, event& finished) {
  bool const is_packet = std::has_single_bit(access.bytes) && access.bytes <= sizeof(std::uint64_t);
  if (!is_packet || access.what > remote_operation::compare_swap || !own_.holds(access.address)) {
    access.status = remote_outcome::wrong;
    return kernel_.after(0, finished);
  }
  // The own tile's units and tickets limit its requests: they wait before the port.
  bool const is_full = unit_->outputs().queued + requests_.size() >= description_.queue_entries;
  if (is_full && access.source != own_.tile) {
    ++counted_.refused;
    access.status = remote_outcome::refused;
    return kernel_.after(0, finished);
  }
  waiting_request& made = requests_.emplace_back();
  made.packet = {.what = access.what,
                 .word = access.word,
                 .size = static_cast<std::uint8_t>(std::countr_zero(access.bytes)),
                 .address = offset_of(access.address),
                 .operand = access.operand,
                 .expected = access.expected};
  if (access.what == remote_operation::write)
    std::memcpy(&made.packet.operand, access.data.data(), sizeof made.packet.operand);
  made.access = &access;
  made.finished = &finished;
  made.arrived = cycle_now();
  wake();
}

void node_interface::claim(std::uint64_t line, bool takes, event& then) {
  claims_.push_back({offset_of(line), takes, &then, cycle_now()});
  wake();
}

void node_interface::edge() {
  scheduled_ = false;
  cycle_count const now = cycle_now();
  interface_outputs const& out = unit_->outputs();
  interface_inputs in;
  fill(in, now);
  bool const takes_request = in.request != nullptr && out.request_ready;
  bool const takes_line = in.line != nullptr && out.line_ready;
  bool const takes_claim = in.claim && out.claim_ready;
  unit_->step(in);
  granted_ = nullptr;
  if (takes_request) {
    pending_[in.request->tag] = {requests_.front().access, requests_.front().finished};
    requests_.pop_front();
  }
  if (takes_line) {
    wanted_line& there = *arrived_.front().wanted;
    there.is = wanted_line::stage::none;
    arrived_.pop_front();
  }
  if (takes_claim) {
    claiming_ = claims_.front().then;
    claims_.pop_front();
  }
  act(out, now);
  if (has_work()) wake();
}

void node_interface::fill(interface_inputs& in, cycle_count now) {
  if (!requests_.empty() && requests_.front().arrived < now) {
    interface_request& packet = requests_.front().packet;
    if (spare_tags_.empty()) {
      spare_tags_.push_back(static_cast<std::uint32_t>(pending_.size()));
      pending_.emplace_back();
    }
    packet.tag = spare_tags_.back();
    if (unit_->outputs().request_ready) spare_tags_.pop_back();
    in.request = &packet;
  }
  if (!claims_.empty() && claims_.front().arrived < now) {
    in.claim = true;
    in.claim_takes = claims_.front().takes;
    in.claim_line = claims_.front().line;
  }
  if (!arrived_.empty() && arrived_.front().arrived < now) {
    in.line = arrived_.front().wanted->bytes.data();
    in.line_entry = arrived_.front().wanted->entry;
  }
  if (granted_ != nullptr) {
    in.grant = true;
    in.grant_from_core = from_core_;
    in.grant_entry = granted_->entry;
  }
}

void node_interface::act(interface_outputs const& out, cycle_count now) {
  counted_.requests += std::uint64_t{out.hit} + out.entered + out.merged;
  counted_.hits += out.hit;
  counted_.entries += out.entered;
  counted_.merged += out.merged;
  counted_.full_stalls += out.stalled;
  // What leaves for memory, then what others may read there, then what is read from there.
  if (out.store) {
    ++counted_.memory_writes;
    memory_.write(own_.memory_offset + out.store_line, {out.store_data, line_bytes_}, nothing_);
  }
  if (out.claim_done) {
    event& claimed = *std::exchange(claiming_, nullptr);
    claimed.happens(claimed);
  }
  if (out.fetch) {
    wanted_line& wanted = lines_[out.fetch_entry];
    wanted.line = out.fetch_line;
    wanted.is = wanted_line::stage::seeks;
    wanted.owned = false;
    seeking_.push_back({&wanted, now});
  }
  decide_one(now);
  if (out.answer) answer(out);
}

void node_interface::answer(interface_outputs const& out) {
  auto const [access, finished] = pending_[out.answer_tag];
  spare_tags_.push_back(out.answer_tag);
  access->status = out.answer_wrong ? remote_outcome::wrong : remote_outcome::done;
  if (access->what == remote_operation::read) {
    std::memcpy(access->data.data(), &out.answer_data, access->bytes);
  } else if (!out.answer_wrong) {
    if (access->what != remote_operation::write) access->operand = out.answer_data;
    on_write_(access->address, access->bytes);
  }
  kernel_.after(0, *finished);
}

bool node_interface::has_work() const noexcept {
  interface_outputs const& out = unit_->outputs();
  return out.busy || granted_ != nullptr || !seeking_.empty() || !turns_.empty() ||
         (!requests_.empty() && out.request_ready) || (!claims_.empty() && out.claim_ready) ||
         (!arrived_.empty() && out.line_ready);
}

// Lines.

void node_interface::decide_one(cycle_count now) {
  if (!turns_.empty() && turns_.front().arrived <= now) {
    wanted_line& wanted = *turns_.front().wanted;
    turns_.pop_front();
    take(wanted, now);
  } else if (!seeking_.empty() && seeking_.front().arrived <= now) {
    wanted_line& wanted = *seeking_.front().wanted;
    seeking_.pop_front();
    seek(wanted, now);
  }
}

void node_interface::seek(wanted_line& wanted, cycle_count now) {
  std::uint64_t const address = own_.base + wanted.line;
  wanted.is = wanted_line::stage::seeks;
  if (cores_.wait_for(address, wanted)) return;
  if (cores_.probe(address).line_state != l2_private::invalid) {
    // The line is at the unit's port in the last cycle of its turn.
    if (description_.probe_cycles == 1) return take(wanted, now);
    wanted.is = wanted_line::stage::in_core;
    return kernel_.at(clock_.cycles(now + description_.probe_cycles - 2), wanted);
  }
  wanted.is = wanted_line::stage::reads;
  wanted.owned = true;
  granted_ = &wanted;
  from_core_ = false;
  ++counted_.memory_reads;
  memory_.read(own_.memory_offset + wanted.line, wanted.bytes, wanted);
}

void node_interface::take(wanted_line& wanted, cycle_count now) {
  std::uint64_t const address = own_.base + wanted.line;
  auto const found = cores_.probe(address);
  // Meanwhile the line may have left, or be in flight to memory.
  if (found.line_state == l2_private::invalid) return seek(wanted, now);
  wanted.is = wanted_line::stage::seeks;
  if (cores_.wait_for(address, wanted)) return;
  copy_line(wanted.bytes.data(), found.data.data(), wanted.bytes.size());
  wanted.owned = unit_->writes(wanted.entry);
  wanted.is = wanted_line::stage::reads;
  granted_ = &wanted;
  from_core_ = true;
  arrived_.push_back({&wanted, now});
  if (!wanted.owned) return;
  ++counted_.invalidations;
  cores_.drop_line(address);
}

void node_interface::comes(wanted_line& wanted) {
  // It is acted on in the next cycle, or is at the port in this one, whatever else happens at this time.
  if (wanted.is == wanted_line::stage::reads) {
    arrived_.push_back({&wanted, cycle_now()});
  } else {
    (wanted.is == wanted_line::stage::seeks ? seeking_ : turns_).push_back({&wanted, cycle_now() + 1});
  }
  wake();
}

// Observers.

std::byte const* node_interface::look_up(std::uint64_t address) noexcept {
  std::uint64_t const offset = offset_of(address);
  std::uint64_t const line = offset & ~(line_bytes_ - 1);
  for (wanted_line const& one : lines_) {
    if (one.is == wanted_line::stage::reads && one.owned && one.line == line) return &one.bytes[offset - line];
  }
  std::byte const* const found = unit_->line_of(line);
  return found == nullptr ? nullptr : found + (offset - line);
}

void node_interface::poke(std::uint64_t address, std::span<std::byte const> from) {
  std::uint64_t const offset = offset_of(address);
  std::uint64_t const line = offset & ~(line_bytes_ - 1);
  for (wanted_line& one : lines_) {
    if (one.is == wanted_line::stage::reads && one.owned && one.line == line)
      std::ranges::copy(from, &one.bytes[offset - line]);
  }
  std::byte* const found = unit_->line_of(line);
  if (found == nullptr) return;
  std::ranges::copy(from, found + (offset - line));
  unit_->changed(line);
}

void node_interface::forget(std::uint64_t address, std::uint64_t bytes) {
  std::uint64_t const begin = offset_of(address);
  for (wanted_line& one : lines_) {
    if (one.is == wanted_line::stage::reads && one.owned && one.line - begin < bytes)
      std::ranges::fill(one.bytes, std::byte{});
  }
  unit_->each_line(begin, bytes, [](std::span<std::byte> line) { std::ranges::fill(line, std::byte{}); });
}

}  // namespace tess::machine
