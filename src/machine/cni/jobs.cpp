// jobs: the list of jobs, and packets in flight.
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "machine/cni/network_interface.hpp"
#include "machine/kernel/units.hpp"

namespace tess::machine {
namespace {

using kind = interface_job::kind;

/// The tile that reads and writes bytes of a region: the cached address of a partition means its DDR, bypassing all
/// caches but for directories; the uncached one means the L2 of its tile.
std::uint32_t home_of(region const& in) {
  return in.kind == region_kind::partition ? in.memory_tile : in.tile;
}
/// Can all of [address, address + bytes) be copied?
bool is_sound(region const* in, std::uint64_t address, std::uint64_t bytes) {
  return in != nullptr && bytes <= in->end() - address && in->kind != region_kind::device;
}
std::uint64_t left_in_line(std::uint64_t address) {
  return registers::cni::line_bytes - address % registers::cni::line_bytes;
}

}  // namespace

bool network_interface::has_room(bool for_command) const {
  return (for_command ? commands_ : others_) < description_.cni->jobs;
}

std::optional<std::uint64_t> network_interface::whole_name(std::uint64_t address, std::uint64_t bytes) const noexcept {
  auto const first = window_.global(address);
  auto const last = window_.global(address + bytes - 1);
  return first && last && *last - *first == bytes - 1 ? first : std::nullopt;
}

bool network_interface::prepare(interface_job& command) {
  auto const refuse = [&](registers::cni::fault why, std::uint64_t where) {
    report(why, where);
    return false;
  };
  auto const to = whole_name(command.destination, command.bytes);
  if (!to) return refuse(registers::cni::fault::not_configured, command.destination);
  if (!regions_.may_write(*to, command.bytes)) return refuse(registers::cni::fault::not_allowed, command.destination);
  command.destination = *to;
  if (std::uint64_t const counter = command.acknowledgement; counter != 0) {
    auto const name = whole_name(counter, word_bytes);
    if (!name || *name % word_bytes != 0) return refuse(registers::cni::fault::acknowledgement, counter);
    if (!regions_.may_write(*name, word_bytes)) return refuse(registers::cni::fault::not_allowed, counter);
    command.acknowledgement = *name;
  }
  if (command.what != kind::copy) return true;
  auto const from = whole_name(command.source, command.bytes);
  region const* const in = from ? map_.find(*from) : nullptr;
  if (!is_sound(in, from.value_or(0), command.bytes))
    return refuse(registers::cni::fault::not_configured, command.source);
  if (!regions_.may_read(*from, command.bytes)) return refuse(registers::cni::fault::not_allowed, command.source);
  command.source = *from;
  command.runs_at = home_of(*in);
  if (command.runs_at != tile_) command.what = kind::forward;
  return true;
}

void network_interface::take(interface_job const& job) {
  interface_job prepared = job;
  if (job.of_command && !prepare(prepared)) return;
  enter(prepared);
}

void network_interface::enter(interface_job const& job) {
  ++(job.of_command ? commands_ : others_);
  if (job.of_command) ++counted_.commands;
  if (!job.of_command && job.request == nullptr) ++counted_.events;
  if (job.what == kind::copy) counted_.copied_bytes += job.bytes;
  ++waiting_jobs_;
  held_.push_back(job);
  plan();
}

void network_interface::list_new(interface_job const& job) {
  job_unit::inputs& in = list_->in;
  interface_job& entered = all_jobs_[list_->out.free];
  entered = job;
  entered.waits = true;
  in.put_valid = true;
  in.put_again = false;
  in.put_is_copy = job.what == kind::copy;
  in.put = {.source = job.source, .destination = job.destination, .bytes = static_cast<std::uint32_t>(job.bytes)};
  list_->step();
  in.put_valid = false;
}

void network_interface::list_again(interface_job& job, piece_unit::entry const& left) {
  job_unit::inputs& in = list_->in;
  job.waits = true;
  ++waiting_jobs_;
  in.put_valid = in.put_again = true;
  in.put_number = static_cast<std::uint32_t>(&job - all_jobs_.data());
  in.put = left;
  list_->step();
  in.put_valid = false;
}

interface_job& network_interface::next_turn() {
  job_unit::inputs& in = list_->in;
  in.pick = true;
  in.copies_stop = copies_stop();
  while (!list_->out.turn_valid) list_->step();
  in.pick = false;
  interface_job& job = all_jobs_[list_->out.turn_number];
  job.waits = false;
  --waiting_jobs_;
  return job;
}

void network_interface::list_end(interface_job& job) {
  job_unit::inputs& in = list_->in;
  if (job.waits) --waiting_jobs_;  // a failed copy, before its next turn
  in.end_valid = true;
  in.end_number = static_cast<std::uint32_t>(&job - all_jobs_.data());
  list_->step();
  in.end_valid = false;
}

void network_interface::settle_list() {
  while (!list_->out.quiet) list_->step();
  for (; !held_.empty() && list_->out.put_ready; held_.pop_front()) list_new(held_.front());
}

void network_interface::plan() {
  settle_list();
  if (planned_ || !may_go()) return;
  planned_ = true;
  kernel_.after(clock_.cycles(description_.cni->job_cycles), step_);
}

void network_interface::step() {
  planned_ = false;
  if (!may_go()) return;
  interface_job& job = next_turn();
  piece_unit::entry left = list_->out.turn;
  list_->in.turn_ready = true;
  list_->step();
  list_->in.turn_ready = false;
  ++job.under_way;  // so that it does not end while it is sending
  send_next(job, left);
  --job.under_way;
  if (has_more(job)) list_again(job, left);
  end_if_done(job);
  plan();
}

bool network_interface::has_more(interface_job const& job) const noexcept {
  if (job.why != registers::cni::fault::none) return false;
  if (job.what == kind::copy) return job.begun < job.bytes;
  if (job.what != kind::notify) return job.begun == 0;
  return std::any_of(job.targets.begin() + static_cast<std::ptrdiff_t>(job.begun), job.targets.end(),
                     [](std::uint64_t target) { return target != 0; });
}

void network_interface::send_next(interface_job& job, piece_unit::entry& left) {
  if (!has_more(job)) return;  // no target to notify
  switch (job.what) {
    case kind::copy:
      return send_piece(job, left);
    case kind::forward:
    case kind::add:
      job.begun = 1;
      return send_command(job);
    case kind::answer:
      if (!regions_.may_write(job.destination, job.bytes))
        return fail(job, registers::cni::fault::not_allowed, job.destination);
      [[fallthrough]];
    case kind::store:
      job.begun = 1;
      return send_store(job, job.destination, job.bytes);
    case kind::notify:
      while (job.targets[job.begun] == 0) ++job.begun;
      std::uint64_t const to = job.targets[job.begun++];
      auto const name = whole_name(to, word_bytes);
      if (!name || !regions_.may_write(*name, word_bytes)) return fail(job, registers::cni::fault::not_allowed, to);
      return send_store(job, *name, word_bytes);
  }
}

network_interface::outgoing& network_interface::packet_of(interface_job& job) {
  if (spare_packets_.empty()) spare_packets_.push_back(&all_packets_.emplace_back(*this));
  outgoing& packet = *spare_packets_.back();
  spare_packets_.pop_back();
  packet.of = &job;
  packet.happens = [](event& self) {
    auto& back = static_cast<outgoing&>(self);
    back.owner.ended(back);
  };
  packet.sent.what = remote_operation::write;
  packet.sent.done = &packet;
  packet.sent.part = cni_message{.is_job = true, .no_retry = job.no_retry, .acknowledgement = job.acknowledgement};
  ++job.under_way;
  return packet;
}

void network_interface::launch(outgoing& packet) {
  if (packet.of->what == kind::copy) align(packet);
  adapter_.issue_job(packet.sent);
}

void network_interface::send_piece(interface_job& job, piece_unit::entry& left) {
  std::uint64_t const to = left.destination;
  std::uint64_t const from = left.source;
  region const* const source = map_.find(from);
  region const* const target = map_.find(to);
  // A packet lies in one line of its source if that is read at once, from a cache or by a line's directory.
  bool const by_lines = source->kind == region_kind::partition_uncached ||
                        (source->kind == region_kind::partition && description_.coherence);
  std::uint64_t const bytes = next_piece(left, by_lines);
  if (!is_sound(target, to, bytes)) return fail(job, registers::cni::fault::not_configured, to);
  outgoing& packet = packet_of(job);
  ++copy_packets_;
  packet.sent.target = home_of(*target);
  packet.sent.address = to;
  packet.sent.bytes = bytes;
  packet.from = from;
  job.begun += bytes;
  std::span<std::byte> const data = std::span(packet.sent.data).first(bytes);
  if (!lines_.holds(from)) return read_piece(packet, from);
  if (lines_.read(from, data)) return launch(packet);
  packet.sent.status = remote_outcome::wrong;
  packet.sent.cni()->fault = lines_.code_of(from) > registers::cni::scratchpad ? registers::cni::fault::wrong_access
                                                                               : registers::cni::fault::not_configured;
  packet.sent.address = from;
  ended(packet);
}

std::uint64_t network_interface::next_piece(piece_unit::entry& left, bool by_lines) {
  // All cycles at once: they are a part of `job_cycles`. What is left goes back to the list.
  piece_unit::inputs& in = pieces_->in;
  piece_unit::outputs const& out = pieces_->out;
  in.next = left;
  in.by_lines = by_lines;
  in.packet_ready = in.rest_ready = in.entry_valid = true;
  pieces_->step();
  in.entry_valid = false;
  while (!out.packet_valid) pieces_->step();
  std::uint64_t const bytes = out.packet.bytes;
  while (!out.quiet) {
    if (out.rest_valid) left = out.rest;
    pieces_->step();
  }
  return bytes;
}

void network_interface::align(outgoing& packet) {
  // All cycles at once, as a word moves in each: data come from their memory and go into the network more slowly.
  align_unit::inputs& in = aligner_->in;
  align_unit::outputs const& out = aligner_->out;
  std::byte* const data = packet.sent.data.data();
  std::array<std::uint64_t, transaction::data_max / word_bytes + 1> words{};
  in.from = static_cast<std::uint32_t>(packet.from % word_bytes);
  in.to = static_cast<std::uint32_t>(packet.sent.address % word_bytes);
  in.bytes = static_cast<std::uint32_t>(packet.sent.bytes);
  std::memcpy(reinterpret_cast<std::byte*>(words.data()) + in.from, data, in.bytes);
  in.packet_valid = in.word_valid = in.aligned_ready = true;
  aligner_->step();
  in.packet_valid = false;
  std::size_t written = 0;
  for (std::size_t next = 0; !out.quiet;) {
    in.word = next < words.size() ? words[next] : 0;
    next += out.word_ready ? 1 : 0;
    for (unsigned i = 0; out.aligned_valid && i < word_bytes; ++i)
      if ((out.next.strobes >> i & 1) != 0) data[written++] = static_cast<std::byte>(out.next.word >> (8 * i));
    aligner_->step();
  }
}

void network_interface::read_piece(outgoing& packet, std::uint64_t from) {
  region const& source = *map_.find(from);
  packet.happens = [](event& self) {
    auto& ready = static_cast<outgoing&>(self);
    ready.happens = [](event& back) { static_cast<outgoing&>(back).owner.ended(static_cast<outgoing&>(back)); };
    if (ready.read.what == remote_operation::read) ready.sent.data = ready.read.data;
    ready.owner.launch(ready);
  };
  std::uint64_t const bytes = packet.sent.bytes;
  if (source.kind == region_kind::partition && !description_.coherence) {
    packet.read.what = remote_operation::write;
    return memory_->read(source.memory_offset + (from - source.base), std::span(packet.sent.data).first(bytes), packet);
  }
  packet.read.what = remote_operation::read;
  packet.read.address = from;
  packet.read.bytes = bytes;
  packet.read.source = tile_;
  if (source.kind == region_kind::partition) {
    packet.read.part = dma_packet{};
    return home_.access(packet.read, packet);
  }
  packet.read.part = cni_message{};
  home_.serve(packet.read, packet);
}

void network_interface::send_store(interface_job& job, std::uint64_t to, std::uint64_t bytes) {
  region const* const target = map_.find(to);
  // A write through an L2 must be within one of its lines.
  bool const cached = target != nullptr && target->kind == region_kind::partition_uncached;
  bool const sound = is_sound(target, to, bytes) && (!cached || bytes <= left_in_line(to));
  if (!sound) return fail(job, registers::cni::fault::not_configured, to);
  outgoing& packet = packet_of(job);
  transaction& sent = packet.sent;
  // A whole word is stored at its home, for DDR through the L2 there; longer data bypass the caches.
  bool const word = bytes == word_bytes && to % word_bytes == 0;
  bool const is_short = word || target->kind != region_kind::partition;
  sent.cni()->is_short = is_short;
  sent.target = is_short ? target->tile : target->memory_tile;
  sent.address = to;
  sent.bytes = bytes;
  sent.data = job.data;
  launch(packet);
}

void network_interface::send_command(interface_job& job) {
  outgoing& packet = packet_of(job);
  transaction& sent = packet.sent;
  sent.bytes = job.bytes;
  if (job.what == kind::forward) {
    sent.what = remote_operation::transfer;
    sent.target = job.runs_at;
    sent.address = job.source;
    sent.cni()->destination = job.destination;
    return launch(packet);
  }
  auto const name = whole_name(job.destination, word_bytes);
  region const* const target = name ? map_.find(*name) : nullptr;
  if (target == nullptr) {
    sent.status = remote_outcome::wrong;
    return ended(packet);
  }
  sent.what = remote_operation::atomic;
  sent.word = atomic_operation::add;
  sent.cni()->is_short = true;
  sent.target = target->tile;
  sent.address = *name;
  sent.bytes = word_bytes;
  std::memcpy(&sent.operand, job.data.data(), word_bytes);
  launch(packet);
}

void network_interface::ended(outgoing& packet) {
  interface_job& job = *packet.of;
  transaction& sent = packet.sent;
  cni_message const& message = *sent.cni();
  --job.under_way;
  if (job.what == kind::copy) --copy_packets_;
  if (sent.status == remote_outcome::wrong) {
    fail(job, message.fault, sent.address);
  } else if (sent.what == remote_operation::write && message.acknowledgement != 0) {
    if (deliver(message.acknowledgement, acknowledged(sent)) != registers::cni::fault::none) {
      fail(job, registers::cni::fault::acknowledgement, message.acknowledgement);
    }
  }
  spare_packets_.push_back(&packet);
  end_if_done(job);
  plan();
}

void network_interface::fail(interface_job& job, registers::cni::fault why, std::uint64_t where) {
  if (job.why != registers::cni::fault::none) return;
  job.why =
      why == registers::cni::fault::none ? registers::cni::fault::not_configured : why;  // the address has no home
  job.where = where;
}

void network_interface::end_if_done(interface_job& job) {
  if (job.under_way != 0 || has_more(job)) return;
  list_end(job);
  --(job.of_command ? commands_ : others_);
  // A fault of the notification itself is not reported again.
  bool const failed = job.why != registers::cni::fault::none && job.what != kind::add;
  if (job.request != nullptr) {
    job.request->status = failed ? remote_outcome::wrong : remote_outcome::done;
    job.request->cni()->fault = job.why;
    if (failed) job.request->address = job.where;
    adapter_.respond(*job.request);
  } else if (failed) {
    report(job.why, job.where);
  }
  wake_stalled();
}

}  // namespace tess::machine
