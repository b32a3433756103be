// chunk_table: each chunk in flight has a slot, whose number is its id.
#include "rmem/client/chunk_table.hpp"

#include <algorithm>
#include <utility>

namespace tess::rmem {

chunk_table::chunk const* chunk_table::begin_next() {
  if (in_flight_ == in_flight_max) return nullptr;
  for (auto j = pending_.begin(); j != pending_.end(); ++j) {
    transfer& t = *j->of;
    if (j->all_begun()) continue;
    std::uint64_t const size = std::min(wire::portal_bytes_max, t.bytes - j->begun);
    // A small write carries its bytes in its own message.
    bool const two_steps = !t.reads && t.bytes > wire::inline_bytes_max;
    if (two_steps && portals_ == portals_max) continue;
    auto const slot = static_cast<std::size_t>(
        std::ranges::find_if(slots_, [](chunk const& c) { return c.of == nullptr; }) - slots_.begin());
    chunk& p = slots_[slot];
    p = {.of = &t,
         .memory = t.memory + j->begun,
         .at = t.at + j->begun,
         .size = size,
         .remaining = t.bytes - j->begun,
         .waits_for_go = two_steps,
         .id = first_id + slot};
    owners_[slot] = j;
    j->begun += size;
    ++j->in_flight;
    ++in_flight_;
    portals_ += two_steps ? 1 : 0;
    // Next time it is the turn of the others.
    pending_.splice(pending_.end(), pending_, j);
    return &p;
  }
  return nullptr;
}

chunk_table::chunk* chunk_table::find(std::uint64_t id) {
  if (id < first_id || id - first_id >= slots_.size()) return nullptr;
  chunk& p = slots_[id - first_id];
  return p.of == nullptr ? nullptr : &p;
}

transfer* chunk_table::complete(chunk& p, wire::status outcome, std::string const& why) {
  auto const slot = static_cast<std::size_t>(&p - slots_.data());
  auto const j = owners_[slot];
  transfer& t = *p.of;
  if (!t.reads && t.bytes > wire::inline_bytes_max) --portals_;
  p.of = nullptr;
  --in_flight_;
  --j->in_flight;
  if (outcome != wire::status::ok && j->refused == wire::status::ok) {
    j->refused = outcome;
    j->why = why;
  }
  if (j->in_flight != 0 || !j->all_begun()) return nullptr;
  if (j->refused != wire::status::ok) t.failure = std::make_exception_ptr(refused(j->refused, j->why));
  pending_.erase(j);
  return &t;
}

void chunk_table::restart() {
  for (auto& j : pending_) {
    j.begun = 0;
    j.in_flight = 0;
    j.refused = wire::status::ok;
  }
  slots_.fill({});
  in_flight_ = 0;
  portals_ = 0;
}

std::vector<transfer*> chunk_table::remove_all() {
  std::vector<transfer*> all;
  for (auto const& j : pending_) all.push_back(j.of);
  pending_.clear();
  slots_.fill({});
  in_flight_ = 0;
  portals_ = 0;
  return all;
}

}  // namespace tess::rmem
