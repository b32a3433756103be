// store_apply: what each change does to the store, now or when an earlier run is replayed; and lending a region out.
#include <algorithm>
#include <utility>

#include "rmem/store.hpp"

namespace tess::memd {

void store::apply(change const& c) {
  switch (c.what) {
    case change::kind::create:
      return apply_create(c);
    case change::kind::remove:
      return apply_remove(c.address);
    case change::kind::link:
      names_.insert_or_assign(c.name, link_target{c.address, c.until, c.who});
      regions_.at(c.address).names.push_back(c.name);
      return;
    case change::kind::unlink:
      return forget(c.name);
    case change::kind::grant: {
      if (c.who.which == holder::kind::token) tokens_.insert_or_assign(c.who.id, known_token{c.secret, c.address});
      (*grants_of(c.address))->give(c.who, c.by, c.rights);
      return;
    }
    case change::kind::revoke:
      return apply_revoke(c);
  }
}

void store::apply_create(change const& c) {
  region r{.base = c.address, .size = c.size, .rights = grants(c.who), .pieces = c.pieces};
  std::uint64_t start = 0;
  for (auto const& part : r.pieces) {
    r.starts.push_back(start);
    start += part.size;
  }
  if (c.who.which == holder::kind::token) tokens_.insert_or_assign(c.who.id, known_token{c.secret, c.address});
  if (c.rights != 0) r.rights.give(holder::any_user(), c.who, c.rights);
  names_.insert_or_assign(c.name, link_target{c.address, 0, c.who});
  r.names.push_back(c.name);
  regions_.emplace(c.address, std::move(r));
  next_address_ = c.address + pages::rounded(c.size) + pages::page_bytes;
}

void store::apply_remove(std::uint64_t address) {
  auto const found = regions_.find(address);
  region& r = found->second;
  for (auto const& name : r.names) names_.erase(name);
  std::erase_if(tokens_, [&](auto const& t) { return t.second.address == address; });
  if (r.own) --lent_;
  memory_.give_back(r.pieces);
  regions_.erase(found);  // which ends its leases
}

void store::apply_revoke(change const& c) {
  auto& of = **grants_of(c.address);
  auto const lost = of.take(c.who, c.by_anyone ? std::nullopt : std::optional(c.by));
  for (auto const& h : lost)
    if (h.which == holder::kind::token && !of.names(h)) tokens_.erase(h.id);
  if (c.address == server_address || lost.empty()) return;
  region& r = regions_.at(c.address);
  ++r.changes;
  recall(r);
}

void store::forget(std::string const& name) {
  auto const found = names_.find(name);
  if (found == names_.end()) return;
  if (auto const r = regions_.find(found->second.address); r != regions_.end()) std::erase(r->second.names, name);
  names_.erase(found);
}

bool store::replay(change const& c) {
  bool const of_region = c.what != change::kind::unlink && c.address != server_address;
  bool const makes = c.what == change::kind::create;
  if (of_region && regions_.contains(c.address) == makes) return false;
  if (c.what == change::kind::link && c.address == server_address) return false;
  if (makes) {
    std::uint64_t total = 0;
    for (auto const& part : c.pieces) total += part.size;
    if (c.size == 0 || c.address < next_address_ || c.address > last_address_ || total != pages::rounded(c.size) ||
        !memory_.take_again(c.pieces))
      return false;
  }
  apply(c);
  return true;
}

std::span<std::byte> store::bytes(region const& r, std::uint64_t offset, std::uint64_t size) const {
  if (r.own) return {r.own->bytes() + offset, std::min(size, r.size - offset)};
  auto const after = std::ranges::upper_bound(r.starts, offset);
  auto const index = static_cast<std::size_t>(after - r.starts.begin()) - 1;
  std::uint64_t const within = offset - r.starts[index];
  piece const& part = r.pieces[index];
  return {memory_.at(part.offset + within), std::min({size, r.size - offset, part.size - within})};
}

// Both ways piece by piece, so that not much more than the region's size is in use at any time.

namespace {
constexpr std::uint64_t step_bytes = std::uint64_t{2} << 20;
}

leased_memory* store::lend(region& r) {
  if (r.own || memory_.on_disk() || lent_ >= lent_max_) return r.own.get();
  auto own = leased_memory::make(pages::rounded(r.size));
  if (!own) return nullptr;
  for (std::size_t i = 0; i < r.pieces.size(); ++i) {
    auto const& [offset, size] = r.pieces[i];
    for (std::uint64_t at = 0; at < size; at += step_bytes) {
      piece const step{offset + at, std::min(step_bytes, size - at)};
      copy_without_holes(memory_.file(), memory_.at(0), step.offset, step.offset + step.size,
                         own->bytes() + r.starts[i] + at);
      memory_.clear(step);
    }
  }
  r.own = std::move(own);
  ++lent_;
  return r.own.get();
}

void store::recall(region& r) {
  if (!r.own) return;
  --lent_;
  auto const own = std::move(r.own);
  own->end();
  for (std::size_t i = 0; i < r.pieces.size(); ++i) {
    auto const& [offset, size] = r.pieces[i];
    for (std::uint64_t at = 0; at < size; at += step_bytes) {
      std::uint64_t const begin = r.starts[i] + at;
      std::uint64_t const end = begin + std::min(step_bytes, size - at);
      copy_without_holes(own->file(), own->bytes(), begin, end, memory_.at(offset + at));
      own->empty(begin, end - begin);
    }
  }
}

}  // namespace tess::memd
