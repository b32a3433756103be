// sender: a queue of entries; those of bytes only say where.
#include "rmem/replication/sender.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

namespace tess::memd {

namespace {

using wire::operation;

constexpr std::size_t zeros_bytes = 64 * 1024;

std::span<std::byte const> zeros() {
  static constexpr std::array<std::byte, zeros_bytes> bytes{};
  return bytes;
}

}  // namespace

copier::copier(store const& of) : store_(of) {
  for (auto const& c : of.snapshot()) put(c);
  for (auto const& [address, r] : of.regions()) put_region(r);
  first_ = put_;
}

/// Only what was ever written to: the rest is zeros on both sides.
void copier::put_region(region const& r) {
  int const file = store_.memory().file();
  for (std::size_t i = 0; i < r.pieces.size(); ++i) {
    auto const& [offset, size] = r.pieces[i];
    for (std::uint64_t at = offset; at < offset + size;) {
      off_t const data = lseek(file, static_cast<off_t>(at), SEEK_DATA);
      if (data < 0 || static_cast<std::uint64_t>(data) >= offset + size) break;
      off_t const hole = lseek(file, data, SEEK_HOLE);
      std::uint64_t const end = hole < 0 ? offset + size : std::min(offset + size, static_cast<std::uint64_t>(hole));
      for (at = static_cast<std::uint64_t>(data); at < end;) {
        std::uint64_t const begin = r.starts[i] + at - offset;
        std::uint64_t const step = std::min(end - at, wire::portal_bytes_max);
        if (begin < r.size) put(r.base + begin, std::min(step, r.size - begin));
        at += step;
      }
    }
  }
}

void copier::put(change const& c) {
  auto const payload = encode(c);
  auto const head =
      wire::encode({.what = operation::copied_change, .payload = static_cast<std::uint32_t>(payload.size())});
  entry e{.bytes = {head.begin(), head.end()}};
  e.bytes.insert(e.bytes.end(), payload.begin(), payload.end());
  entries_.push_back(std::move(e));
  ++put_;
}

bool copier::put(std::uint64_t address, std::uint64_t size) {
  if (!entries_.empty()) {
    entry& last = entries_.back();
    if (!last.begun && last.size != 0 && last.address + last.size == address &&
        last.size + size <= wire::portal_bytes_max) {
      last.size += size;
      return false;
    }
  }
  entries_.push_back({.address = address, .size = size});
  ++put_;
  return true;
}

void copier::put_in_step() {
  auto const head = wire::encode({.what = operation::in_step});
  entries_.push_back({.bytes = {head.begin(), head.end()}});
  ++put_;
}

talker::outgoing copier::next() {
  if (entries_.empty()) return {};
  entry& e = entries_.front();
  if (!e.begun && e.size != 0) {
    // Of a region that is gone meanwhile nothing is owed; its removal follows.
    if (store_.find(e.address) == nullptr) e.size = 0;
    auto const head = wire::encode(
        {.what = operation::copied_bytes, .address = e.address, .payload = static_cast<std::uint32_t>(e.size)});
    e.bytes.assign(head.begin(), head.end());
  }
  e.begun = true;
  if (sent_ < e.bytes.size()) return {std::span(e.bytes).subspan(sent_)};
  std::uint64_t const moved = sent_ - e.bytes.size();
  region const* const r = store_.find(e.address);
  if (r == nullptr) return {zeros().first(std::min(zeros_bytes, static_cast<std::size_t>(e.size - moved)))};
  return {store_.bytes(*r, e.address - r->base + moved, e.size - moved)};
}

void copier::sent(std::size_t bytes) {
  sent_ += bytes;
  if (sent_ < entries_.front().bytes.size() + entries_.front().size) return;
  sent_ = 0;
  entries_.pop_front();
}

bool copier::got(std::size_t bytes, std::uint64_t) {
  taken_ += bytes;
  if (taken_ < header_.size()) return true;
  taken_ = 0;
  auto const m = wire::decode(header_);
  if (!m || m->what != operation::acknowledge || m->argument < acknowledged_ || m->argument > put_) return false;
  acknowledged_ = m->argument;
  return true;
}

}  // namespace tess::memd
