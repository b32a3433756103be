// client: the calls of a client, as requests to one server or to several.
#include <algorithm>
#include <charconv>
#include <utility>

#include "rmem/client/server_set.hpp"
#include "rmem/wire/token.hpp"
#include "tess/rmem.hpp"

namespace tess::rmem {

namespace {

using wire::operation;

std::string token_text(std::span<std::byte const> bytes) {
  auto const t = token::from(bytes);
  if (!t) throw lost("the memory server gave a token of the wrong size");
  return t->text();
}

std::uint32_t bits(rights r) {
  return static_cast<std::uint32_t>(r);
}

/// One token of a list, for the server of this number if there is one: `2:DIGITS`.
struct numbered_token {
  std::optional<std::uint8_t> number;
  std::string digits;
};

std::vector<numbered_token> parse_tokens(std::string_view text) {
  std::vector<numbered_token> all;
  for (std::size_t at = 0; at <= text.size();) {
    std::size_t const comma = std::min(text.find(',', at), text.size());
    std::string_view const one = text.substr(at, comma - at);
    at = comma + 1;
    std::size_t const colon = one.find(':');
    if (colon == std::string_view::npos) {
      all.push_back({std::nullopt, std::string(one)});
      continue;
    }
    std::uint8_t number = 0;
    auto const end = std::from_chars(one.data(), one.data() + colon, number);
    if (end.ec != std::errc() || end.ptr != one.data() + colon)
      throw refused(reason::bad_token, "before the colon of a token stands its server's number, 0 to 255");
    all.push_back({number, std::string(one.substr(colon + 1))});
  }
  return all;
}

}  // namespace

struct client::internals {
  explicit internals(std::string const& where) : servers(where) {}

  server_set servers;

  /// f(server, address there) for each part of the region at `of`; 0: for each server.
  template <class F>
  void for_each_part(address of, F&& f) {
    if (servers.is_single()) return f(servers.first(), of);
    if (of == 0) {
      for (auto const& s : servers.servers()) f(*s, address{0});
      return;
    }
    auto const found = servers.layout_at(of);
    for (auto const& p : found->parts) f(servers.server_of(p.address), p.address);
  }
  /// With several servers, a token is prefixed with the number of its server.
  [[nodiscard]] std::string numbered(remote_server& s, std::string const& token) const {
    return servers.is_single() ? token : std::to_string(s.number()) + ":" + token;
  }
};

client::client(std::string const& where, std::vector<std::string> tokens)
    : internals_(std::make_unique<internals>(where)) {
  for (auto const& t : tokens) present(t);
  internals_->servers.connect();
}

client::~client() = default;

std::optional<region> client::cached(std::string_view name, rights wanted) {
  return internals_->servers.first().cached(name, wanted);
}

region client::open(std::string_view name, rights wanted) {
  if (auto const known = cached(name, wanted)) return *known;
  auto& first = internals_->servers.first();
  auto const a = first.call({.what = operation::open, .rights = bits(wanted)}, bytes_of_name(name));
  if (internals_->servers.is_single() && !a.payload.empty())
    throw refused(reason::bad_request, "region '" + std::string(name) + "' is on " +
                                           std::to_string(1 + a.payload.size() / wire::part_bytes) +
                                           " servers: name all of them, this one first, as in TESS_RMEM=A+B");
  if (!internals_->servers.is_single()) internals_->servers.cache_layout(a.head, a.payload);
  region const found{a.head.address, a.head.size, static_cast<rights>(a.head.rights)};
  first.cache_name(name, found, a.head.argument);
  return found;
}

region client::create(std::string_view name, std::uint64_t size, rights for_users, std::string* owner_token) {
  std::vector<std::string> owners;
  auto const a =
      internals_->servers.create({.what = operation::create, .size = size, .rights = bits(for_users)}, name, owners);
  if (!a.payload.empty()) {
    owners.front() = token_text(a.payload);
    internals_->servers.first().present(*token::parse(owners.front()), std::nullopt);
    if (owner_token != nullptr)
      for (std::size_t i = 0; i < owners.size(); ++i)
        if (!owners[i].empty())
          *owner_token += (i == 0 ? "" : ",") + internals_->numbered(*internals_->servers.servers()[i], owners[i]);
  }
  return {a.head.address, a.head.size, static_cast<rights>(a.head.rights)};
}

void client::remove(address of) {
  // The part with the name is removed first.
  internals_->for_each_part(of, [](remote_server& s, address a) {
    s.call({.what = operation::remove, .address = a});
    s.drop_names();
  });
  internals_->servers.drop_layout(of);
}

void client::memread(void* to, address from, std::size_t bytes) {
  internals_->servers.move(true, from, static_cast<std::byte*>(to), bytes);
}

void client::memwrite(address to, void const* from, std::size_t bytes) {
  // move() does not write to it.
  internals_->servers.move(false, to, const_cast<std::byte*>(static_cast<std::byte const*>(from)), bytes);
}

void client::prepare() {
  internals_->servers.prepare();
}

void client::start(transfer& t) noexcept {
  if (t.bytes == 0) return t.ended(t);
  internals_->servers.start(t);
}

bool client::cancel(transfer& t) noexcept {
  return internals_->servers.is_single() && internals_->servers.first().cancel(t);
}

bool client::move_mapped(bool reads, address at, std::byte* memory, std::size_t bytes) {
  return internals_->servers.move_mapped(reads, at, memory, bytes);
}

void client::run_in_background(std::function<void()> f) {
  internals_->servers.first().executor().run(std::move(f));
}

void client::link(address of, std::string_view name, std::uint64_t for_ms) {
  internals_->servers.server_of(of).call({.what = operation::link, .address = of, .argument = for_ms},
                                         bytes_of_name(name));
}

void client::unlink(std::string_view name) {
  auto& first = internals_->servers.first();
  first.call({.what = operation::unlink}, bytes_of_name(name));
  first.drop_names();
}

namespace {
wire::message rights_message(operation what, address of, wire::grantee to, rights r, std::uint64_t number) {
  return {
      .what = what, .address = of, .argument = static_cast<std::uint64_t>(to), .rights = bits(r), .argument2 = number};
}
}  // namespace

void client::grant_user(address of, rights given, std::uint32_t user) {
  internals_->for_each_part(of, [&](remote_server& s, address a) {
    s.call(rights_message(operation::grant, a, wire::grantee::user, given, user));
  });
}
void client::grant_any_user(address of, rights given) {
  internals_->for_each_part(of, [&](remote_server& s, address a) {
    s.call(rights_message(operation::grant, a, wire::grantee::any_user, given, 0));
  });
}
std::string client::grant_token(address of, rights given) {
  std::string all;
  internals_->for_each_part(of, [&](remote_server& s, address a) {
    auto const made = token_text(s.call(rights_message(operation::grant, a, wire::grantee::token, given, 0)).payload);
    all += (all.empty() ? "" : ",") + internals_->numbered(s, made);
  });
  return all;
}
void client::revoke_user(address of, std::uint32_t user) {
  internals_->for_each_part(of, [&](remote_server& s, address a) {
    s.call(rights_message(operation::revoke, a, wire::grantee::user, rights::none, user));
  });
}
void client::revoke_any_user(address of) {
  internals_->for_each_part(of, [&](remote_server& s, address a) {
    s.call(rights_message(operation::revoke, a, wire::grantee::any_user, rights::none, 0));
  });
}
void client::revoke_token(address of, std::string_view text) {
  for (auto const& [number, digits] : parse_tokens(text)) {
    // The first half identifies it; the second may be missing.
    std::string whole = digits;
    if (whole.size() == token::size_bytes) whole.append(token::size_bytes, '0');
    auto const t = token::parse(whole);
    if (!t) throw refused(reason::bad_token, "a token has 64 hexadecimal digits, its name the first 32 of them");
    internals_->for_each_part(of, [&](remote_server& s, address a) {
      if (number ? s.number() != *number : &s != &internals_->servers.first()) return;
      auto m = rights_message(operation::revoke, a, wire::grantee::token, rights::none, t->id.high);
      m.size = t->id.low;
      s.call(m);
    });
  }
}

void client::present(std::string_view text) {
  for (auto const& [number, digits] : parse_tokens(text)) {
    auto const t = token::parse(digits);
    if (!t) throw refused(reason::bad_token, "a token has 64 hexadecimal digits");
    if (!number) internals_->servers.first().present(*t, std::nullopt);
    // Each server ignores tokens of other numbers.
    for (auto const& s : internals_->servers.servers())
      if (number) s->present(*t, number);
  }
}

namespace {
void append_list(remote_server& s, std::vector<client::listed>& all) {
  for (std::uint64_t from = 1; from != 0;) {
    auto const a = s.call({.what = operation::list, .address = from});
    from = a.head.address;
    for (wire::reader r(a.payload); !r.empty();) {
      auto const base = r.number<std::uint64_t>();
      auto const size = r.number<std::uint64_t>();
      auto const held = r.number<std::uint32_t>();
      auto const grants = r.number<std::uint32_t>();
      auto const leased = r.number<std::uint8_t>();
      auto const name_size = r.number<std::uint8_t>();
      auto const owner_size = r.number<std::uint8_t>();
      auto name = r.text(name_size.value_or(0));
      auto owner = r.text(owner_size.value_or(0));
      if (!owner_size || !name || !owner) throw lost("the memory server's list is cut short");
      all.push_back(
          {std::move(*name), {*base, *size, static_cast<rights>(*held)}, std::move(*owner), *grants, *leased != 0});
    }
  }
}
}  // namespace

std::vector<client::listed> client::list() {
  std::vector<listed> all;
  for (auto const& s : internals_->servers.servers()) append_list(*s, all);
  return all;
}

client::counters client::state() {
  counters f;
  for (auto const& s : internals_->servers.servers()) {
    auto const a = s->call({.what = operation::state});
    wire::reader r(a.payload);
    for (auto* const to : {&f.size, &f.free, &f.regions, &f.connections, &f.reads, &f.writes, &f.read_bytes,
                           &f.written_bytes, &f.refused, &f.leases})
      *to += r.number<std::uint64_t>().value_or(0);
  }
  return f;
}

}  // namespace tess::rmem
