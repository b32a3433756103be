// store: checks, then records, then applies.
#include "rmem/store/store.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

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

/// In whose name something is created: a local user, or the first token shown.
holder identity_of(caller const& who) {
  return who.user ? holder::user(*who.user) : holder::of(who.tokens.empty() ? token::identity{} : who.tokens.front());
}

std::string in_quotes(std::string_view name) {
  return "'" + std::string(name) + "'";
}

}  // namespace

store::store(pages& memory, std::uint8_t server, std::uint32_t operating_user)
    : memory_(memory),
      next_address_((std::uint64_t{server} << wire::server_shift) + pages::page_bytes),
      last_address_((std::uint64_t{server} << wire::server_shift) + (std::uint64_t{1} << wire::server_shift) - 1),
      operating_user_(operating_user),
      of_server_(holder::user(operating_user)) {
  // Whoever can connect locally may create regions; the operator may revoke that.
  of_server_.give(holder::any_user(), of_server_.owner(), right_allocate);
}

std::string store::describe(region const& r) {
  return "region " + (r.names.empty() ? "at " + hexadecimal(r.base) : in_quotes(r.names.front()));
}

std::string store::without(std::uint32_t missing, region const& r) {
  return "no right to " + names_of(missing) + " " + describe(r) + " (owner " + r.rights.owner().text() + ")";
}

/// Nothing if there can be no such parts.
std::optional<std::uint64_t> store::size_of_all(std::uint64_t size, std::span<wire::part const> others) {
  constexpr std::uint64_t most = std::uint64_t{1} << wire::server_shift;
  if (others.size() > wire::other_parts_max || size > most) return std::nullopt;
  for (auto const& p : others) {
    if (p.size == 0 || p.size > most - size) return std::nullopt;
    size += p.size;
  }
  return size;
}

region* store::region_at(std::uint64_t address) {
  auto after = regions_.upper_bound(address);
  if (after == regions_.begin()) return nullptr;
  region& r = std::prev(after)->second;
  return address - r.base < r.whole ? &r : nullptr;
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
  region* const r = region_at(address);
  if (r == nullptr) return refuse(status::no_region, "no region at " + hexadecimal(address));
  std::uint32_t const missing = wanted & ~held(who, *r);
  if (missing != 0) return refuse(status::no_right, without(missing, *r));
  std::uint64_t const offset = address - r->base;
  if (offset >= r->size || (size > r->size - offset && !r->others.empty()))
    return refuse(status::out_of_bounds, "from its byte " + std::to_string(r->size) + " on, " + describe(*r) +
                                             " is on other servers: name all of them, as in TESS_RMEM=A+B");
  if (size > r->size - offset)
    return refuse(status::out_of_bounds, std::to_string(size) + " bytes at offset " + std::to_string(offset) +
                                             " leave " + describe(*r) + ", which has " + std::to_string(r->size));
  return r;
}

checked<void> store::check_name(std::string_view name, std::uint64_t now) {
  if (name.empty() || name.size() > wire::name_bytes_max ||
      std::ranges::any_of(name, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 127; }))
    return refuse(status::bad_request, "a name is 1 to 255 bytes without control characters");
  auto const found = names_.find(std::string(name));
  if (found == names_.end()) return {};
  if (found->second.until != 0 && found->second.until <= now) {
    forget(std::string(name));
    return {};
  }
  return refuse(status::name_taken, "the name " + in_quotes(name) + " is taken");
}

checked<store::created> store::create(caller const& who, std::uint64_t size, std::string_view name,
                                      std::uint32_t for_users, std::uint64_t now, std::vector<wire::part> others) {
  if ((of_server_.held(who, rights_of_server) & right_allocate) == 0)
    return refuse(status::no_right,
                  "no right to allocate on this server (owner " + std::to_string(operating_user_) + ")");
  if (size == 0 || (for_users & ~(right_read | right_write)) != 0)
    return refuse(status::bad_request, "a region has at least one byte; users may get read and write");
  if (auto const free = check_name(name, now); !free) return std::unexpected(free.error());
  auto const whole = size_of_all(size, others);
  if (!whole) return refuse(status::bad_request, "a region has up to 256 parts, each with a byte at least");
  std::uint64_t const room = last_address_ - next_address_;
  if (regions_.size() >= regions_max || size > memory_.size() || room < 2 * pages::page_bytes ||
      room - 2 * pages::page_bytes < *whole)
    return refuse(status::full, std::to_string(size) + " bytes do not fit: " + std::to_string(memory_.free()) +
                                    " of the server's " + std::to_string(memory_.size()) + " bytes are free");
  created result{};
  change c{.what = change::kind::create, .address = next_address_, .size = size, .name = std::string(name)};
  c.rights = for_users;
  c.others = std::move(others);
  c.who = identity_of(who);
  if (!who.user) {
    // Tokens shown may be others' as well: what is created gets one of its own.
    if (tokens_.size() >= tokens_max) return refuse(status::full, "no room for another token");
    result.owner = token::fresh();
    c.who = holder::of(result.owner->id);
    c.secret = result.owner->secret;
  }
  auto taken = memory_.take(size);
  if (taken.why != pages::refusal::none) {
    bool const disk = taken.why == pages::refusal::disk_full;
    return refuse(disk ? status::disk_full : status::full,
                  disk ? "the server's disk is full"
                       : std::to_string(size) + " bytes do not fit: " + std::to_string(memory_.free()) +
                             " of the server's " + std::to_string(memory_.size()) + " bytes are free");
  }
  c.pieces = std::move(taken.pieces);
  if (auto done = commit(c); !done) {
    memory_.give_back(c.pieces);
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
  if (for_ms > UINT64_MAX - now) return refuse(status::bad_request, "so long a time ends never: say 0");
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
  if (found == names_.end() || (found->second.until != 0 && found->second.until <= now)) {
    if (found != names_.end()) forget(std::string(name));
    return refuse(status::no_name, "no region has the name " + in_quotes(name));
  }
  region const& r = regions_.at(found->second.address);
  std::uint32_t const missing = wanted & ~held(who, r);
  // In the name that was asked for: the region may have others.
  if (missing != 0)
    return refuse(status::no_right, "no right to " + names_of(missing) + " region " + in_quotes(name) + " (owner " +
                                        r.rights.owner().text() + ")");
  return &r;
}

checked<region const*> store::open_at(caller const& who, std::uint64_t address, std::uint32_t wanted) {
  region const* const r = region_at(address);
  if (r == nullptr) return refuse(status::no_region, "no region at " + hexadecimal(address));
  std::uint32_t const missing = wanted & ~held(who, *r);
  if (missing != 0) return refuse(status::no_right, without(missing, *r));
  return r;
}

checked<grants*> store::grants_of(std::uint64_t address) {
  if (address == server_address) return &of_server_;
  region* const r = region_at(address);
  if (r == nullptr) return refuse(status::no_region, "no region at " + hexadecimal(address));
  return &r->rights;
}

/// With who gives and what; the caller adds to whom.
checked<change> store::checked_grant(caller const& who, std::uint64_t address, std::uint32_t rights) {
  auto const of = grants_of(address);
  if (!of) return std::unexpected(of.error());
  bool const server = address == server_address;
  std::uint32_t const possible = server ? rights_of_server : rights_of_region;
  std::string const what = server ? "this server" : describe(*region_at(address));
  if (rights == 0 || (rights & ~possible) != 0)
    return refuse(status::bad_request,
                  what + " has the rights " + names_of(possible) + ", not " + names_of(rights & ~possible));
  auto const by = (*of)->giver(who, rights);
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
  auto const of = grants_of(address);
  if (!of) return std::unexpected(of.error());
  bool const server = address == server_address;
  change c{.what = change::kind::revoke, .address = server ? server_address : region_at(address)->base, .who = from};
  if (who.is((*of)->owner())) {
    c.by_anyone = true;
  } else {
    auto const by = (*of)->giver(who, 0);
    if (!by || !(*of)->entries().contains({from, *by}))
      return refuse(status::no_right, "no right to revoke what " + from.text() + " has of " +
                                          (server ? "this server" : describe(*region_at(address))) + " (owner " +
                                          (*of)->owner().text() + ")");
    c.by = *by;
  }
  return commit(c);
}

bool store::knows(token const& t) const {
  auto const found = tokens_.find(t.id);
  return found != tokens_.end() && proves(t.secret, found->second.secret);
}

checked<void> store::commit(change const& c) {
  if (record_ && !record_(c)) return refuse(status::disk_full, "the server's disk is full");
  apply(c);
  return {};
}

}  // namespace tess::memd
