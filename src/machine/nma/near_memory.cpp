// near_memory: accesses by lines, in order for each.
#include "machine/nma/near_memory.hpp"

#include <algorithm>
#include <cstring>

namespace tess::machine {

near_memory::near_memory(machine_description const& description, tile& at)
    : tile_(at),
      port_(*at.memory()),
      by_homes_(description.coherence.has_value()),
      line_bytes_(description.l2.line_bytes) {}

std::uint64_t near_memory::address_of(std::uint64_t offset) {
  auto const has = [&](region const& one) {
    bool const here = one.kind == region_kind::partition && one.memory_tile == tile_.number();
    return here && offset - one.memory_offset < one.size_bytes;
  };
  if (!has(last_)) last_ = *std::ranges::find_if(tile_.map().regions(), has);
  return last_.base + (offset - last_.memory_offset);
}

void near_memory::read(std::uint64_t offset, std::span<std::byte> into, event& done) {
  if (!by_homes_) return port_.read(offset, into, done);
  whole& all = begin(done);
  for (std::size_t at = 0; at < into.size();) {
    std::size_t const here = std::min(into.size() - at, line_bytes_ - (offset + at) % line_bytes_);
    add(all, offset + at, here, into.data() + at, nullptr);
    at += here;
  }
  finish(all);
}

void near_memory::write(std::uint64_t offset, std::span<std::byte const> from, event& done) {
  if (!by_homes_) return port_.write(offset, from, done);
  whole& all = begin(done);
  for (std::size_t at = 0; at < from.size();) {
    std::size_t const here = std::min(from.size() - at, line_bytes_ - (offset + at) % line_bytes_);
    add(all, offset + at, here, nullptr, from.data() + at);
    at += here;
  }
  finish(all);
}

near_memory::whole& near_memory::begin(event& done) {
  whole& all = wholes_.take();
  all.done = &done;
  all.missing = 1;
  return all;
}

void near_memory::add(whole& to, std::uint64_t offset, std::uint64_t bytes, std::byte* into, std::byte const* from) {
  piece& one = pieces_.take(*this);
  one.of = &to;
  one.into = into;
  ++to.missing;
  transaction& sent = one.sent;
  sent.what = from == nullptr ? remote_operation::read : remote_operation::write;
  sent.part = dma_packet{};
  sent.status = remote_outcome::pending;
  sent.source = tile_.number();
  sent.address = address_of(offset);
  sent.bytes = bytes;
  if (from != nullptr) std::memcpy(sent.data.data(), from, bytes);
  auto const same = [&](piece const* other) { return line_of(other->sent.address) == line_of(sent.address); };
  if (std::ranges::any_of(under_way_, same) || std::ranges::any_of(waiting_, same)) {
    waiting_.push_back(&one);
    return;
  }
  under_way_.push_back(&one);
  tile_.access(sent, one);
}

void near_memory::ended(piece& one) {
  MACHINE_ASSERT(one.sent.status == remote_outcome::done);
  if (one.into != nullptr) std::memcpy(one.into, one.sent.data.data(), one.sent.bytes);
  std::erase(under_way_, &one);
  std::uint64_t const line = line_of(one.sent.address);
  whole& all = *one.of;
  pieces_.give_back(one);
  auto const next =
      std::ranges::find_if(waiting_, [&](piece const* other) { return line_of(other->sent.address) == line; });
  if (next != waiting_.end()) {
    piece& begun = **next;
    waiting_.erase(next);
    under_way_.push_back(&begun);
    tile_.access(begun.sent, begun);
  }
  finish(all);
}

void near_memory::finish(whole& of) {
  if (--of.missing > 0) return;
  event& done = *of.done;
  wholes_.give_back(of);
  done.happens(done);
}

}  // namespace tess::machine
