// store: a request is checked, its change is written to the journal and then applied; a replayed one is only applied.
#include "rmem/store/store.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "rmem/wire/region_name.hpp"

namespace tess::memd {

namespace {

using wire::status;

std::unexpected<refusal> refuse(status why, std::string text) {
  return std::unexpected(refusal{why, std::move(text)});
}

std::string hexadecimal(std::uint64_t value) {
  std::array<char, 16> digits{};
  auto const end = std::to_chars(digits.begin(), digits.end(), value, 16).ptr;
  return "0x" + std::string(digits.begin(), end);
}

/// The holder that owns what this client creates: a local user, or the first token presented.
holder identity_of(caller const& who) {
  return who.user ? holder::user(*who.user) : holder::of(who.tokens.empty() ? token::identity{} : who.tokens.front());
}

std::string in_quotes(std::string_view name) {
  return "'" + std::string(name) + "'";
}

}  // namespace

store::store(page_allocator& pages, std::uint8_t server, std::uint32_t operating_user)
    : pages_(pages),
      next_address_((std::uint64_t{server} << wire::server_shift) + page_allocator::page_bytes),
      last_address_((std::uint64_t{server} << wire::server_shift) + (std::uint64_t{1} << wire::server_shift) - 1),
      operating_user_(operating_user),
      server_grants_(holder::user(operating_user)) {
  // Every local user may create regions; the operator may revoke that.
  server_grants_.add(holder::any_user(), server_grants_.owner(), right_allocate);
}

std::string store::describe(region const& r) {
  return "region " + (r.names.empty() ? "at " + hexadecimal(r.base) : in_quotes(r.names.front()));
}

std::string store::missing_text(std::uint32_t missing, region const& r) {
  return "no right to " + names_of(missing) + " " + describe(r) + " (owner " + r.rights.owner().text() + ")";
}

/// Nothing if such parts are not possible.
std::optional<std::uint64_t> store::total_size(std::uint64_t size, std::span<wire::part const> other_parts) {
  constexpr std::uint64_t most = std::uint64_t{1} << wire::server_shift;
  if (other_parts.size() > wire::other_parts_max || size > most) return std::nullopt;
  for (auto const& p : other_parts) {
    if (p.size == 0 || p.size > most - size) return std::nullopt;
    size += p.size;
  }
  return size;
}

/// A remote client does not learn that a region exists to which it has no right.
bool store::is_hidden(caller const& who, region const& r) const {
  return !who.user && held(who, r) == 0;
}

region* store::region_at(caller const& who, std::uint64_t address) {
  region* const r = region_at(address);
  return r == nullptr || is_hidden(who, *r) ? nullptr : r;
}

region* store::region_at(std::uint64_t address) {
  auto after = regions_.upper_bound(address);
  if (after == regions_.begin()) return nullptr;
  region& r = std::prev(after)->second;
  return address - r.base < r.total_size ? &r : nullptr;
}

region const* store::find(std::uint64_t address) const {
  auto const after = regions_.upper_bound(address);
  if (after == regions_.begin()) return nullptr;
  region const& r = std::prev(after)->second;
  return address - r.base < r.size ? &r : nullptr;
}

std::uint32_t store::held(caller const& who, region const& r) const {
  return r.rights.held(who, rights_of_region);
}

checked<region*> store::check(caller const& who, std::uint64_t address, std::uint64_t size, std::uint32_t wanted) {
  region* const r = region_at(who, address);
  if (r == nullptr) return refuse(status::no_region, "no region at " + hexadecimal(address));
  std::uint32_t const missing = wanted & ~held(who, *r);
  if (missing != 0) return refuse(status::no_right, missing_text(missing, *r));
  std::uint64_t const offset = address - r->base;
  if (offset >= r->size || (size > r->size - offset && !r->other_parts.empty()))
    return refuse(status::out_of_bounds, "from its byte " + std::to_string(r->size) + " on, " + describe(*r) +
                                             " is on other servers: name all of them, as in TESS_RMEM=A+B");
  if (size > r->size - offset)
    return refuse(status::out_of_bounds, std::to_string(size) + " bytes at offset " + std::to_string(offset) +
                                             " leave " + describe(*r) + ", which has " + std::to_string(r->size));
  return r;
}

checked<void> store::check_name(std::string_view name, std::uint64_t now) {
  if (auto const problem = rmem::problem_of_name(name); !problem.empty())
    return refuse(status::bad_request, std::string(problem));
  auto const found = names_.find(std::string(name));
  if (found == names_.end()) return {};
  if (found->second.until != 0 && found->second.until <= now) {
    erase_name(std::string(name));
    return {};
  }
  return refuse(status::name_taken, "the name " + in_quotes(name) + " is taken");
}

checked<store::created> store::create(caller const& who, std::uint64_t size, std::string_view name,
                                      std::uint32_t for_users, std::uint64_t now, std::vector<wire::part> other_parts) {
  if ((server_grants_.held(who, rights_of_server) & right_allocate) == 0)
    return refuse(status::no_right,
                  "no right to allocate on this server (owner " + std::to_string(operating_user_) + ")");
  if (size == 0 || (for_users & ~(right_read | right_write)) != 0)
    return refuse(status::bad_request, "a region has at least one byte; users may get read and write");
  if (auto const free = check_name(name, now); !free) return std::unexpected(free.error());
  auto const total = total_size(size, other_parts);
  if (!total) return refuse(status::bad_request, "a region has up to 256 parts, each with a byte at least");
  std::uint64_t const room = last_address_ - next_address_;
  if (regions_.size() >= regions_max || size > pages_.size_bytes() || room < 2 * page_allocator::page_bytes ||
      room - 2 * page_allocator::page_bytes < *total)
    return refuse(status::full, std::to_string(size) + " bytes do not fit: " + std::to_string(pages_.free_bytes()) +
                                    " of the server's " + std::to_string(pages_.size_bytes()) + " bytes are free");
  created result{};
  change c{.what = change::kind::create, .address = next_address_, .size = size, .name = std::string(name)};
  c.rights = for_users;
  c.other_parts = std::move(other_parts);
  c.who = identity_of(who);
  if (!who.user) {
    // Other clients may have the presented tokens too, so the new region gets a token of its own.
    if (tokens_.size() >= tokens_max) return refuse(status::full, "no room for another token");
    result.owner = token::fresh();
    c.who = holder::of(result.owner->id);
    c.secret = result.owner->secret;
  }
  auto allocated = pages_.allocate(size);
  if (allocated.why != page_allocator::failure::none) {
    bool const disk = allocated.why == page_allocator::failure::disk_full;
    return refuse(disk ? status::disk_full : status::full,
                  disk ? "the server's disk is full"
                       : std::to_string(size) + " bytes do not fit: " + std::to_string(pages_.free_bytes()) +
                             " of the server's " + std::to_string(pages_.size_bytes()) + " bytes are free");
  }
  c.extents = std::move(allocated.extents);
  if (auto done = commit(c); !done) {
    pages_.free(c.extents);
    return std::unexpected(done.error());
  }
  result.made = &regions_.at(c.address);
  return result;
}

checked<void> store::remove(caller const& who, std::uint64_t address) {
  auto const r = check(who, address, 0, 0);
  if (!r) return std::unexpected(r.error());
  if (!who.operates && !who.is((*r)->rights.owner()))
    return refuse(status::no_right,
                  "no right to remove " + describe(**r) + " (owner " + (*r)->rights.owner().text() + ")");
  return commit({.what = change::kind::remove, .address = (*r)->base});
}

checked<void> store::link(caller const& who, std::uint64_t address, std::string_view name, std::uint64_t for_ms,
                          std::uint64_t now) {
  auto const r = check(who, address, 0, right_grant);
  if (!r) return std::unexpected(r.error());
  if (auto const free = check_name(name, now); !free) return free;
  if ((*r)->names.size() >= names_of_region_max)
    return refuse(status::full, describe(**r) + " has " + std::to_string(names_of_region_max) + " names already");
  if (for_ms > UINT64_MAX - now) return refuse(status::bad_request, "a time that long never ends: give 0");
  return commit({.what = change::kind::link,
                 .address = (*r)->base,
                 .until = for_ms == 0 ? 0 : now + for_ms,
                 .who = identity_of(who),
                 .name = std::string(name)});
}

checked<void> store::unlink(caller const& who, std::string_view name, std::uint64_t now) {
  auto const r = open(who, name, 0, now);
  if (!r) return std::unexpected(r.error());
  holder const& by = names_.at(std::string(name)).by;
  if (!who.operates && !who.is(by) && !who.is((*r)->rights.owner()))
    return refuse(status::no_right, "no right to unlink " + in_quotes(name) + " (linked by " + by.text() + ", owner " +
                                        (*r)->rights.owner().text() + ")");
  return commit({.what = change::kind::unlink, .name = std::string(name)});
}

checked<region const*> store::open(caller const& who, std::string_view name, std::uint32_t wanted, std::uint64_t now) {
  auto const found = names_.find(std::string(name));
  bool const expired = found != names_.end() && found->second.until != 0 && found->second.until <= now;
  bool const known = found != names_.end() && !expired && !is_hidden(who, regions_.at(found->second.address));
  if (!known) {
    if (expired) erase_name(std::string(name));
    // The text may be anything, and ends on a terminal.
    std::string const shown = rmem::problem_of_name(name).empty() ? in_quotes(name) : "that was asked for";
    return refuse(status::no_name, "no region has the name " + shown);
  }
  region const& r = regions_.at(found->second.address);
  std::uint32_t const missing = wanted & ~held(who, r);
  // The message has the name that was asked for: the region may have others.
  if (missing != 0)
    return refuse(status::no_right, "no right to " + names_of(missing) + " region " + in_quotes(name) + " (owner " +
                                        r.rights.owner().text() + ")");
  return &r;
}

checked<region const*> store::open_at(caller const& who, std::uint64_t address, std::uint32_t wanted) {
  region const* const r = region_at(who, address);
  if (r == nullptr) return refuse(status::no_region, "no region at " + hexadecimal(address));
  std::uint32_t const missing = wanted & ~held(who, *r);
  if (missing != 0) return refuse(status::no_right, missing_text(missing, *r));
  return r;
}

checked<grants*> store::grants_of(caller const& who, std::uint64_t address) {
  if (address == server_address) return &server_grants_;
  region* const r = region_at(who, address);
  if (r == nullptr) return refuse(status::no_region, "no region at " + hexadecimal(address));
  return &r->rights;
}

grants& store::grants_at(std::uint64_t address) {
  return address == server_address ? server_grants_ : region_at(address)->rights;
}

/// A change with the grantor and the rights; the caller adds the holder.
checked<change> store::checked_grant(caller const& who, std::uint64_t address, std::uint32_t rights) {
  auto const of = grants_of(who, address);
  if (!of) return std::unexpected(of.error());
  bool const server = address == server_address;
  std::uint32_t const possible = server ? rights_of_server : rights_of_region;
  std::string const what = server ? "this server" : describe(*region_at(address));
  if (rights == 0 || (rights & ~possible) != 0)
    return refuse(status::bad_request,
                  what + " has the rights " + names_of(possible) + ", not " + names_of(rights & ~possible));
  auto const by = (*of)->grantor(who, rights);
  if (!by)
    return refuse(status::no_right,
                  "no right to grant " + names_of(rights) + " of " + what + " (owner " + (*of)->owner().text() + ")");
  if ((*of)->full()) return refuse(status::full, what + " has " + std::to_string(grants::entries_max) + " grants");
  return change{.what = change::kind::grant,
                .address = server ? server_address : region_at(address)->base,
                .by = *by,
                .rights = rights};
}

checked<void> store::grant(caller const& who, std::uint64_t address, std::uint32_t rights, holder const& to) {
  auto c = checked_grant(who, address, rights);
  if (!c) return std::unexpected(c.error());
  c->who = to;
  return commit(*c);
}

checked<token> store::grant_token(caller const& who, std::uint64_t address, std::uint32_t rights) {
  auto c = checked_grant(who, address, rights);
  if (!c) return std::unexpected(c.error());
  if (tokens_.size() >= tokens_max) return refuse(status::full, "no room for another token");
  token const made = token::fresh();
  c->who = holder::of(made.id);
  c->secret = made.secret;
  if (auto done = commit(*c); !done) return std::unexpected(done.error());
  return made;
}

checked<void> store::revoke(caller const& who, std::uint64_t address, holder const& from) {
  auto const of = grants_of(who, address);
  if (!of) return std::unexpected(of.error());
  bool const server = address == server_address;
  change c{.what = change::kind::revoke, .address = server ? server_address : region_at(address)->base, .who = from};
  if (who.is((*of)->owner())) {
    c.by_anyone = true;
  } else {
    auto const by = (*of)->grantor(who, 0);
    if (!by || !(*of)->entries().contains({from, *by}))
      return refuse(status::no_right, "no right to revoke what " + from.text() + " has of " +
                                          (server ? "this server" : describe(*region_at(address))) + " (owner " +
                                          (*of)->owner().text() + ")");
    c.by = *by;
  }
  return commit(c);
}

bool store::is_valid(token const& t) const {
  auto const found = tokens_.find(t.id);
  return found != tokens_.end() && proves(t.secret, found->second.secret);
}

region const* store::region_of(token::identity const& id) const {
  auto const found = tokens_.find(id);
  return found == tokens_.end() || found->second.address == server_address ? nullptr : find(found->second.address);
}

checked<void> store::commit(change const& c) {
  if (journal_ && !journal_(c)) return refuse(status::disk_full, "the server's disk is full");
  apply(c);
  return {};
}

leased_memory* store::lend(region& r) {
  if (r.memory.is_lent()) return r.memory.lend();
  if (pages_.on_disk() || lent_ >= lent_max_) return nullptr;
  leased_memory* const lent = r.memory.lend();
  if (lent != nullptr) ++lent_;
  return lent;
}

void store::recall(region& r) {
  if (!r.memory.is_lent()) return;
  --lent_;
  r.memory.recall();
}

void store::apply(change const& c) {
  switch (c.what) {
    case change::kind::create:
      return apply_create(c);
    case change::kind::remove:
      return apply_remove(c.address);
    case change::kind::link:
      erase_name(c.name);  // it had expired, which is not in the journal
      names_.insert_or_assign(c.name, link_target{c.address, c.until, c.who});
      regions_.at(c.address).names.push_back(c.name);
      return;
    case change::kind::unlink:
      return erase_name(c.name);
    case change::kind::grant: {
      if (c.who.which == holder::kind::token) tokens_.insert_or_assign(c.who.id, known_token{c.secret, c.address});
      grants_at(c.address).add(c.who, c.by, c.rights);
      return;
    }
    case change::kind::revoke:
      return apply_revoke(c);
    case change::kind::begin:
      next_address_ = c.address;
      return;
    case change::kind::replica_state:
      return;  // belongs to persistent_store
  }
}

void store::apply_create(change const& c) {
  region r{.base = c.address,
           .size = c.size,
           .total_size = *total_size(c.size, c.other_parts),
           .other_parts = c.other_parts,
           .rights = grants(c.who),
           .memory = region_memory(pages_, c.size, c.extents)};
  if (c.who.which == holder::kind::token) tokens_.insert_or_assign(c.who.id, known_token{c.secret, c.address});
  if (c.rights != 0) r.rights.add(holder::any_user(), c.who, c.rights);
  if (!c.name.empty()) {
    erase_name(c.name);
    names_.insert_or_assign(c.name, link_target{c.address, 0, c.who});
    r.names.push_back(c.name);
  }
  next_address_ = c.address + page_allocator::rounded(r.total_size) + page_allocator::page_bytes;
  regions_.emplace(c.address, std::move(r));
}

void store::apply_remove(std::uint64_t address) {
  auto const found = regions_.find(address);
  region& r = found->second;
  for (auto const& name : r.names) names_.erase(name);
  erase_token(r.rights.owner(), address);
  for (auto const& [e, rights] : r.rights.entries()) erase_token(e.to, address);
  if (r.memory.is_lent()) --lent_;
  pages_.free(r.memory.extents());
  regions_.erase(found);  // ends its leases
}

void store::apply_revoke(change const& c) {
  auto& of = grants_at(c.address);
  auto const lost = of.revoke(c.who, c.by_anyone ? std::nullopt : std::optional(c.by));
  for (auto const& h : lost)
    if (!of.contains(h)) erase_token(h, c.address);
  if (c.address == server_address || lost.empty()) return;
  recall(regions_.at(c.address));
}

void store::erase_token(holder const& h, std::uint64_t address) {
  auto const found = tokens_.find(h.id);
  if (h.which == holder::kind::token && found != tokens_.end() && found->second.address == address)
    tokens_.erase(found);
}

void store::erase_name(std::string const& name) {
  auto const found = names_.find(name);
  if (found == names_.end()) return;
  if (auto const r = regions_.find(found->second.address); r != regions_.end()) std::erase(r->second.names, name);
  names_.erase(found);
}

/// A journal may contain anything: what would break the store is refused, what is merely odd is not.
bool store::is_possible(change const& c) const {
  auto const exists = [&] { return regions_.contains(c.address); };
  switch (c.what) {
    case change::kind::create: {
      std::uint64_t total = 0;
      for (auto const& e : c.extents) total += e.size;
      auto const all = total_size(c.size, c.other_parts);
      return c.address % page_allocator::page_bytes == 0 && (c.rights & ~(right_read | right_write)) == 0 &&
             c.size != 0 && c.size <= pages_.size_bytes() && c.address >= next_address_ && c.address <= last_address_ &&
             all && last_address_ - c.address >= *all + 2 * page_allocator::page_bytes &&
             total == page_allocator::rounded(c.size) && regions_.size() < regions_max;
    }
    case change::kind::remove:
    case change::kind::link:
      return exists();
    case change::kind::grant: {
      bool const server = c.address == server_address;
      return (server || exists()) && (c.rights & ~(server ? rights_of_server : rights_of_region)) == 0;
    }
    case change::kind::revoke:
      return c.address == server_address || exists();
    case change::kind::begin:
      return c.address >= next_address_ && c.address <= last_address_ && c.address % page_allocator::page_bytes == 0;
    case change::kind::unlink:
    case change::kind::replica_state:
      return true;
  }
  return false;
}

bool store::replay(change const& c) {
  if (!is_possible(c) || (c.what == change::kind::create && !pages_.claim(c.extents))) return false;
  apply(c);
  return true;
}

bool store::apply_replicated(change c) {
  bool const creates = c.what == change::kind::create;
  if (creates) c.extents = pages_.allocate(c.size).extents;
  if (!is_possible(c) || (journal_ && !journal_(c))) {
    if (creates) pages_.free(c.extents);
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
        if (t == tokens_.end()) continue;  // it can no longer be presented
        c.secret = t->second.secret;
      }
      all.push_back(std::move(c));
    }
  };
  all.push_back({.what = change::kind::revoke, .who = holder::any_user(), .by_anyone = true});
  add_grants(server_address, server_grants_);
  for (auto const& [address, r] : regions_) {
    change c{.what = change::kind::create, .address = address, .size = r.size, .who = r.rights.owner()};
    c.extents = r.memory.extents();
    c.other_parts = r.other_parts;
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
