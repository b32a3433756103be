// chunk_table: a slot for each piece under way; its number is the id.
#include "rmem/client/chunk_table.hpp"

#include <algorithm>
#include <utility>

namespace tess::rmem {

pieces::piece const* pieces::begin_one() {
  if (under_way_ == under_way_max) return nullptr;
  for (auto j = jobs_.begin(); j != jobs_.end(); ++j) {
    transfer& t = *j->of;
    if (j->all_begun()) continue;
    std::uint64_t const size = std::min(wire::portal_bytes_max, t.bytes - j->begun);
    // A write that fits into one small message takes its bytes along.
    bool const two_steps = !t.reads && t.bytes > wire::inline_bytes_max;
    if (two_steps && portals_ == portals_max) continue;
    auto const slot = static_cast<std::size_t>(
        std::ranges::find_if(slots_, [](piece const& p) { return p.of == nullptr; }) - slots_.begin());
    piece& p = slots_[slot];
    p = {.of = &t,
         .memory = t.memory + j->begun,
         .at = t.at + j->begun,
         .size = size,
         .of_all = t.bytes - j->begun,
         .waits_for_go = two_steps,
         .id = first_id + slot};
    owners_[slot] = j;
    j->begun += size;
    ++j->under_way;
    ++under_way_;
    portals_ += two_steps ? 1 : 0;
    // Others first, next time.
    jobs_.splice(jobs_.end(), jobs_, j);
    return &p;
  }
  return nullptr;
}

pieces::piece* pieces::find(std::uint64_t id) {
  if (id < first_id || id - first_id >= slots_.size()) return nullptr;
  piece& p = slots_[id - first_id];
  return p.of == nullptr ? nullptr : &p;
}

transfer* pieces::end(piece& p, wire::status outcome, std::string const& why) {
  auto const slot = static_cast<std::size_t>(&p - slots_.data());
  auto const j = owners_[slot];
  transfer& t = *p.of;
  if (!t.reads && t.bytes > wire::inline_bytes_max) --portals_;
  p.of = nullptr;
  --under_way_;
  --j->under_way;
  if (outcome != wire::status::ok && j->refused == wire::status::ok) {
    j->refused = outcome;
    j->why = why;
  }
  if (j->under_way != 0 || !j->all_begun()) return nullptr;
  if (j->refused != wire::status::ok) t.failure = std::make_exception_ptr(refused(j->refused, j->why));
  jobs_.erase(j);
  return &t;
}

void pieces::begin_again() {
  for (auto& j : jobs_) {
    j.begun = 0;
    j.under_way = 0;
    j.refused = wire::status::ok;
  }
  slots_.fill({});
  under_way_ = 0;
  portals_ = 0;
}

std::vector<transfer*> pieces::drop_all() {
  std::vector<transfer*> all;
  for (auto const& j : jobs_) all.push_back(j.of);
  jobs_.clear();
  slots_.fill({});
  under_way_ = 0;
  portals_ = 0;
  return all;
}

}  // namespace tess::rmem
