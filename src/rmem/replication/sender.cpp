// sender: a queue of entries; those for bytes only say where the bytes are.
#include "rmem/replication/sender.hpp"

#include <algorithm>
#include <utility>

namespace tess::memd::replication {

namespace {

using wire::operation;

constexpr std::size_t zeros_bytes = 64 * 1024;

std::span<std::byte const> zeros() {
  static constexpr std::array<std::byte, zeros_bytes> bytes{};
  return bytes;
}

}  // namespace

sender::sender(store const& regions) : store_(regions) {
  add_beat();  // its acknowledgement shows that the backup follows
  for (auto const& c : regions.snapshot()) add(c);
  for (auto const& [base, r] : regions.regions())
    r.memory.for_each_written(wire::portal_bytes_max,
                              [&, at = base](std::uint64_t offset, std::uint64_t size) { add(at + offset, size); });
  initial_ = added_;
}

void sender::add(change const& c) {
  auto const payload = encode(c);
  auto const head =
      wire::encode({.what = operation::copied_change, .payload = static_cast<std::uint32_t>(payload.size())});
  entry e{.bytes = {head.begin(), head.end()}};
  e.bytes.insert(e.bytes.end(), payload.begin(), payload.end());
  entries_.push_back(std::move(e));
  ++added_;
}

bool sender::add(std::uint64_t address, std::uint64_t size) {
  if (!entries_.empty()) {
    entry& last = entries_.back();
    if (!last.begun && last.size != 0 && last.address + last.size == address &&
        last.size + size <= wire::portal_bytes_max) {
      last.size += size;
      return false;
    }
  }
  entries_.push_back({.address = address, .size = size});
  ++added_;
  return true;
}

void sender::add_beat() {
  auto const self = process_name::own();
  auto const head = wire::encode({.what = operation::beat, .address = self.number, .size = self.space});
  entries_.push_back({.bytes = {head.begin(), head.end()}});
  ++added_;
}

void sender::add_in_sync(std::uint64_t epoch) {
  auto const head = wire::encode({.what = operation::in_sync, .argument = epoch});
  entries_.push_back({.bytes = {head.begin(), head.end()}});
  ++added_;
}

protocol::output sender::next_output() {
  if (entries_.empty()) return {};
  entry& e = entries_.front();
  if (!e.begun && e.size != 0) {
    // The region was removed in the meantime: its bytes are not needed, its removal follows.
    if (store_.find(e.address) == nullptr) e.size = 0;
    auto const head = wire::encode(
        {.what = operation::copied_bytes, .address = e.address, .payload = static_cast<std::uint32_t>(e.size)});
    e.bytes.assign(head.begin(), head.end());
  }
  if (!e.begun) {
    constexpr auto resolution = std::chrono::milliseconds(1);
    auto const now = clock::now();
    if (marks_.empty() || now - marks_.back().at >= resolution) marks_.push_back({added_ - entries_.size(), now});
  }
  e.begun = true;
  if (sent_ < e.bytes.size()) return {std::span(e.bytes).subspan(sent_)};
  std::uint64_t const moved = sent_ - e.bytes.size();
  region const* const r = store_.find(e.address);
  if (r == nullptr) return {zeros().first(std::min(zeros_bytes, static_cast<std::size_t>(e.size - moved)))};
  return {r->memory.bytes(e.address - r->base + moved, e.size - moved)};
}

void sender::sent(std::size_t bytes) {
  sent_ += bytes;
  if (sent_ < entries_.front().bytes.size() + entries_.front().size) return;
  sent_ = 0;
  entries_.pop_front();
}

bool sender::received(std::size_t bytes, std::uint64_t) {
  received_ += bytes;
  if (received_ < header_.size()) return true;
  received_ = 0;
  auto const m = wire::decode(header_);
  if (!m || m->what != operation::acknowledge || m->argument < acknowledged_ || m->argument > added_) return false;
  acknowledged_ = m->argument;
  other_ = {m->address, m->size};
  for (; !marks_.empty() && marks_.front().entries < acknowledged_; marks_.pop_front()) sent_at_ = marks_.front().at;
  return true;
}

}  // namespace tess::memd::replication
