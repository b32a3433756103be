// forwarding_lines: homes, what is sent to them and by them, and where the newest bytes of a line are.
#include "machine/tile/forwarding_lines.hpp"

#include <algorithm>

#include "machine/cache/copy_line.hpp"

namespace tess::machine {

forwarding_lines::forwarding_lines(kernel& k, machine_description const& description, address_map const& map,
                                   adapter& with, l2_private& l2, memory_port* memory, std::uint32_t tile)
    : kernel_(k),
      description_(description),
      map_(map),
      adapter_(with),
      l2_(l2),
      memory_(memory),
      tile_(tile),
      miss_ps_(clock_domain(description.tile_clock_ps).cycles(description.l2_miss_cycles)),
      client_(k, l2, *this, clock_domain(description.tile_clock_ps).cycles(description.coherence->probe_cycles)),
      home_(k, *this, clock_domain(description.tile_clock_ps).cycles(description.coherence->directory_cycles),
            description.l2.line_bytes) {
  for (std::uint32_t one = 0; one < description.tiles(); ++one) {
    if (description.harts_of(one) > description.harts.system) home_tiles_.push_back(one);
  }
}

std::uint32_t forwarding_lines::home_of(std::uint64_t address) const noexcept {
  coherence_description const& coherence = *description_.coherence;
  region const& in = *map_.find(address);
  if (coherence.homes == line_homes::memory) return in.memory_tile;
  if (coherence.homes == line_homes::partition) return in.tile;
  // The digits of the block's number in base `homes` are added, so that neither neighbours nor the same line of all
  // partitions, which are powers of two apart, have one home.
  std::uint64_t const homes = home_tiles_.size();
  std::uint64_t sum = 0;
  for (std::uint64_t block = address / coherence.interleave_bytes; block != 0; block /= homes) {
    sum += block % homes;
    if (homes == 1) break;
  }
  return home_tiles_[sum % homes];
}

std::uint64_t forwarding_lines::offset_of(std::uint64_t address) const noexcept {
  region const& in = *map_.find(address);
  return in.memory_offset + (address - in.base);
}

void forwarding_lines::serve(transaction& request, event& finished) {
  if (request.what == remote_operation::copy_back) {
    home_.was_copied(request);
    return finished.happens(finished);
  }
  if (request.what == remote_operation::probe || request.serving == served_by::owner)
    return client_.serve(request, finished);
  if (request.serving == served_by::memory) return access_memory(request, finished);
  if (home_of(request.address) == tile_) return home_.serve(request, finished);
  send_to_home(request, finished);
}

void forwarding_lines::access(transaction& request, event& finished) {
  send_to_home(request, finished);
}

void forwarding_lines::request_line(transaction& request) {
  request.target = home_of(request.address);
  if (request.what == remote_operation::write) return adapter_.issue(request);
  // The miss is detected some cycles after the look-up began.
  request.via = &adapter_;
  request.happens = [](event& self) {
    auto& known = static_cast<transaction&>(self);
    known.via->issue(known);
  };
  kernel_.after(miss_ps_, request);
}

void forwarding_lines::tell_home(transaction& told) {
  told.target = home_of(told.address);
  adapter_.issue_at_once(told);
}

void forwarding_lines::send_probe(transaction& probe, std::uint32_t answered_at) {
  adapter_.issue_for(probe, answered_at == directory::nobody ? tile_ : answered_at);
}

void forwarding_lines::serve_memory(transaction& request, event& finished) {
  std::uint32_t const there = map_.find(request.address)->memory_tile;
  if (there == tile_) return access_memory(request, finished);
  request.target = there;
  request.serving = served_by::memory;
  request.status = remote_outcome::passed_on;
  finished.happens(finished);
}

void forwarding_lines::access_memory(transaction& request, event& finished) {
  request.status = remote_outcome::done;
  std::span<std::byte> const data(request.data.data(), request.bytes);
  if (request.what == remote_operation::read) {
    memory_->read(offset_of(request.address), data, finished);
  } else {
    memory_->write(offset_of(request.address), data, finished);
  }
}

void forwarding_lines::write_line(std::uint64_t address, std::span<std::byte const> line) {
  std::uint32_t const there = map_.find(address)->memory_tile;
  if (there == tile_) return memory_->write(offset_of(address), line, nothing_);
  line_write& begun = line_writes_.take(*this);
  begun.number = ++writes_;
  begun.sent.what = remote_operation::write;
  begun.sent.part = dma_packet{};
  begun.sent.serving = served_by::memory;
  begun.sent.target = there;
  begun.sent.address = address;
  begun.sent.bytes = line.size();
  begun.sent.done = &begun;
  copy_line(begun.sent.data.data(), line.data(), line.size());
  adapter_.issue_at_once(begun.sent);
}

void forwarding_lines::written(line_write& of) {
  of.number = 0;
  line_writes_.give_back(of);
}

void forwarding_lines::send_to_home(transaction& request, event& finished) {
  relay& begun = relays_.take(*this);
  begun.of = &request;
  begun.finished = &finished;
  begun.sent.what = request.what;
  begun.sent.part = dma_packet{};
  begun.sent.serving = served_by::home;
  begun.sent.target = home_of(request.address);
  begun.sent.address = request.address;
  begun.sent.bytes = request.bytes;
  begun.sent.done = &begun;
  if (request.what == remote_operation::write) copy_line(begun.sent.data.data(), request.data.data(), request.bytes);
  if (begun.sent.target != tile_) return adapter_.issue_at_once(begun.sent);
  begun.sent.source = tile_;
  begun.sent.status = remote_outcome::pending;
  home_.serve(begun.sent, begun.taken);
}

void forwarding_lines::go_on(relay& of) {
  if (of.sent.status == remote_outcome::passed_on) return adapter_.issue_for(of.sent, tile_);
  relayed(of);
}

void forwarding_lines::relayed(relay& of) {
  transaction& request = *std::exchange(of.of, nullptr);
  event& finished = *of.finished;
  request.status = of.sent.status;
  if (request.what == remote_operation::read) copy_line(request.data.data(), of.sent.data.data(), request.bytes);
  relays_.give_back(of);
  finished.happens(finished);
}

std::byte* forwarding_lines::being_written(std::uint64_t address) noexcept {
  std::uint64_t const line = l2_.line_address(address);
  line_write* last = nullptr;
  for (line_write& one : line_writes_.all()) {
    if (one.number != 0 && one.sent.address == line && (last == nullptr || one.number > last->number)) last = &one;
  }
  return last == nullptr ? nullptr : &last->sent.data[address - line];
}

std::byte* forwarding_lines::newest(std::uint64_t address, std::span<forwarding_lines* const> all) noexcept {
  std::uint64_t const offset = address - all.front()->l2_.line_address(address);
  // Whoever may read it has the newest bytes, and so has what is on its way to a cache.
  for (forwarding_lines* const one : all) {
    if (auto const here = one->l2_.probe(address); here.line_state != l2_private::invalid) return &here.data[offset];
  }
  for (forwarding_lines* const one : all) {
    if (std::byte* const comes = one->client_.coming(address)) return comes;
  }
  // An owner that writes it back, if a request for it is on its way there, or the home has not yet taken the line.
  auto const leaving = [&](std::uint32_t tile) { return all[tile]->l2_.leaving(address); };
  for (forwarding_lines* const one : all) {
    if (auto const owner = one->client_.forwarded_to(address)) {
      if (std::byte* const left = leaving(*owner)) return left;
    }
    for (relay const& carried : one->relays_.all()) {
      bool const waits = carried.of != nullptr && carried.sent.serving == served_by::owner &&
                         carried.sent.status == remote_outcome::pending &&
                         one->l2_.line_address(carried.sent.address) == address - offset;
      if (!waits) continue;
      if (std::byte* const left = leaving(carried.sent.target)) return left;
    }
  }
  forwarding_lines& at = *all[all.front()->home_of(address)];
  if (std::uint32_t const owner = at.home_.owner_of(address); owner != directory::nobody) {
    if (std::byte* const left = leaving(owner)) return left;
  }
  // On its way to the home or to the memory.
  if (std::byte* const answered = at.home_.in_answer(address)) return answered;
  for (forwarding_lines* const one : all) {
    if (std::byte* const told = one->client_.told(address)) return told;
  }
  return at.being_written(address);
}

void forwarding_lines::change(overwrite const& written, std::span<forwarding_lines* const> all) noexcept {
  for (forwarding_lines* const one : all) {
    std::uint64_t const line_bytes = one->description_.l2.line_bytes;
    one->l2_.change_here(written);
    one->l2_.change_on_way(written);
    one->client_.change_on_way(written);
    one->home_.change_on_way(written);
    for (line_write& carried : one->line_writes_.all())
      written.apply(carried.sent.address, std::span(carried.sent.data).first(line_bytes));
    for (relay& carried : one->relays_.all()) {
      if (carried.of != nullptr && carried.sent.what == remote_operation::read)
        written.apply(carried.sent.address, std::span(carried.sent.data).first(carried.sent.bytes));
    }
  }
}

}  // namespace tess::machine
