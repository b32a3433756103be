// store_apply: what each change does to the store, now or when it is replayed, and the changes that make it anew.
#include <algorithm>
#include <utility>

#include "rmem/store/store.hpp"

namespace tess::memd {

void store::apply(change const& c) {
  switch (c.what) {
    case change::kind::create:
      return apply_create(c);
    case change::kind::remove:
      return apply_remove(c.address);
    case change::kind::link:
      forget(c.name);  // its time was over: that is nothing that is recorded
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
    case change::kind::begin:
      next_address_ = c.address;
      return;
    case change::kind::standing:
      return;  // the server's
  }
}

void store::apply_create(change const& c) {
  region r{.base = c.address,
           .size = c.size,
           .whole = *size_of_all(c.size, c.others),
           .others = c.others,
           .rights = grants(c.who),
           .pieces = c.pieces};
  std::uint64_t start = 0;
  for (auto const& part : r.pieces) {
    r.starts.push_back(start);
    start += part.size;
  }
  if (c.who.which == holder::kind::token) tokens_.insert_or_assign(c.who.id, known_token{c.secret, c.address});
  if (c.rights != 0) r.rights.give(holder::any_user(), c.who, c.rights);
  if (!c.name.empty()) {
    forget(c.name);
    names_.insert_or_assign(c.name, link_target{c.address, 0, c.who});
    r.names.push_back(c.name);
  }
  next_address_ = c.address + pages::rounded(r.whole) + pages::page_bytes;
  regions_.emplace(c.address, std::move(r));
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

/// A record may say anything: what would break the store is refused, what is merely strange is not.
bool store::is_possible(change const& c) const {
  auto const there = [&] { return regions_.contains(c.address); };
  switch (c.what) {
    case change::kind::create: {
      std::uint64_t total = 0;
      for (auto const& part : c.pieces) total += part.size;
      auto const whole = size_of_all(c.size, c.others);
      return c.address % pages::page_bytes == 0 && (c.rights & ~(right_read | right_write)) == 0 && c.size != 0 &&
             c.size <= memory_.size() && c.address >= next_address_ && c.address <= last_address_ && whole &&
             last_address_ - c.address >= *whole + 2 * pages::page_bytes && total == pages::rounded(c.size) &&
             regions_.size() < regions_max;
    }
    case change::kind::remove:
    case change::kind::link:
      return there();
    case change::kind::grant: {
      bool const server = c.address == server_address;
      return (server || there()) && (c.rights & ~(server ? rights_of_server : rights_of_region)) == 0;
    }
    case change::kind::revoke:
      return c.address == server_address || there();
    case change::kind::begin:
      return c.address >= next_address_ && c.address <= last_address_ && c.address % pages::page_bytes == 0;
    case change::kind::unlink:
    case change::kind::standing:
      return true;
  }
  return false;
}

bool store::replay(change const& c) {
  if (!is_possible(c) || (c.what == change::kind::create && !memory_.take_again(c.pieces))) return false;
  apply(c);
  return true;
}

bool store::follow(change c) {
  bool const makes = c.what == change::kind::create;
  if (makes) c.pieces = memory_.take(c.size).pieces;
  if (!is_possible(c) || (record_ && !record_(c))) {
    if (makes) memory_.give_back(c.pieces);
    return false;
  }
  apply(c);
  return true;
}

std::vector<change> store::snapshot() const {
  std::vector<change> all;
  auto const add_grants = [&](std::uint64_t address, grants const& of) {
    for (auto const& [e, rights] : of.entries()) {
      change c{.what = change::kind::grant, .address = address, .who = e.to, .by = e.by, .rights = rights};
      if (e.to.which == holder::kind::token) {
        auto const t = tokens_.find(e.to.id);
        if (t == tokens_.end()) continue;  // nobody can show it
        c.secret = t->second.secret;
      }
      all.push_back(std::move(c));
    }
  };
  all.push_back({.what = change::kind::revoke, .who = holder::any_user(), .by_anyone = true});
  add_grants(server_address, of_server_);
  for (auto const& [address, r] : regions_) {
    change c{.what = change::kind::create, .address = address, .size = r.size, .who = r.rights.owner()};
    c.pieces = r.pieces;
    c.others = r.others;
    if (auto const t = tokens_.find(c.who.id); c.who.which == holder::kind::token && t != tokens_.end())
      c.secret = t->second.secret;
    all.push_back(std::move(c));
    add_grants(address, r.rights);
    for (auto const& name : r.names) {
      auto const& to = names_.at(name);
      all.push_back({.what = change::kind::link, .address = address, .until = to.until, .who = to.by, .name = name});
    }
  }
  all.push_back({.what = change::kind::begin, .address = next_address_});
  return all;
}

}  // namespace tess::memd
