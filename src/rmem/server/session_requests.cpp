// session_requests: what each request does, once all of it is there.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "rmem/server/session.hpp"

namespace tess::memd {

namespace {

using wire::operation;
using wire::status;

/// Regions that one `list` looks at, so that no request takes long.
constexpr std::size_t listed_max = 2048;
constexpr std::size_t list_bytes_max = 60 * 1024;

/// The holder that a grant or revoke names; a token by its identity.
std::optional<holder> named(wire::message const& m) {
  switch (static_cast<wire::whom>(m.argument)) {
    case wire::whom::user:
      if (m.argument2 > UINT32_MAX) return std::nullopt;
      return holder::user(static_cast<std::uint32_t>(m.argument2));
    case wire::whom::any_user:
      return holder::any_user();
    case wire::whom::token:
      return holder::of({m.argument2, m.size});
  }
  return std::nullopt;
}

bool adds_something(operation what) {
  return what == operation::create || what == operation::link || what == operation::grant ||
         what == operation::present || what == operation::lease;
}

std::vector<std::byte> bytes_of(token const& t) {
  auto const bytes = t.bytes();
  return {bytes.begin(), bytes.end()};
}

}  // namespace

std::string_view session::text() const {
  return {reinterpret_cast<char const*>(payload_.data()), payload_.size()};
}

void session::perform(std::uint64_t now) {
  auto const& m = request_;
  if (m.what == operation::hello) return hello();
  if (m.what == operation::join) return join();
  if (m.what == operation::take_over) {
    if (!who_.operates || !service_.take_over)
      return refuse({status::no_right, "only who runs the second of two servers may have it take over"});
    return answer_to(service_.take_over());
  }
  if (!service_.serves) return refuse({status::not_serving, service_.why_not});
  if (adds_something(m.what) && !service_.has_memory())
    return refuse({status::full, "the server is out of memory for what it knows of regions, names and rights"});
  switch (m.what) {
    case operation::open:
      return open(now);
    case operation::create:
      return create(now);
    case operation::remove:
      return answer_to(store_.remove(who_, m.address));
    case operation::link:
      return answer_to(store_.link(who_, m.address, text(), m.argument, now));
    case operation::unlink:
      return answer_to(store_.unlink(who_, text(), now));
    case operation::list:
      return list();
    case operation::grant:
      return grant();
    case operation::revoke:
      return revoke();
    case operation::present:
      return present();
    case operation::read:
      return read();
    case operation::write:
      return write_inline();
    case operation::lease:
      return lease();
    case operation::state:
      return state();
    default:
      return;  // begin() let none of these pass
  }
}

void session::open(std::uint64_t now) {
  auto const& m = request_;
  auto const r = m.payload == 0 ? store_.open_at(who_, m.address, m.rights) : store_.open(who_, text(), m.rights, now);
  if (!r) return refuse(r.error());
  wire::writer others;
  wire::put(others, (*r)->others);
  reply({.what = operation::done,
         .address = (*r)->base,
         .size = (*r)->whole,
         .argument = name_lease_ms,
         .rights = store_.held(who_, **r)},
        others.take());
}

void session::create(std::uint64_t now) {
  std::size_t const others_bytes = request_.argument2 * wire::part_bytes;
  if (others_bytes > payload_.size()) return refuse({status::bad_request, "the parts are missing"});
  std::size_t const name_bytes = payload_.size() - others_bytes;
  wire::reader from(std::span<std::byte const>(payload_).subspan(name_bytes));
  auto const made = store_.create(who_, request_.size, text().substr(0, name_bytes), request_.rights, now,
                                  *wire::take_parts(from, request_.argument2));
  if (!made) return refuse(made.error());
  std::vector<std::byte> shown;
  if (made->owner) {
    shown = bytes_of(*made->owner);
    // Only this connection's first tokens are kept; whoever makes more regions presents theirs when it needs them.
    if (who_.tokens.size() < tokens_max) who_.tokens.push_back(made->owner->id);
  }
  reply({.what = operation::done, .address = made->made->base, .size = made->made->whole, .rights = rights_of_region},
        std::move(shown));
}

void session::list() {
  wire::writer entries;
  std::uint64_t next = 0;
  std::size_t looked_at = 0;
  auto const& all = store_.regions();
  for (auto i = all.lower_bound(request_.address); i != all.end(); ++i) {
    region const& r = i->second;
    if (++looked_at > listed_max || entries.size() > list_bytes_max) {
      next = r.base;
      break;
    }
    std::uint32_t const held = store_.held(who_, r);
    if (held == 0 && !who_.operates) continue;
    std::string const name = r.names.empty() ? "" : r.names.front();
    std::string const owner = r.rights.owner().text();
    entries.number(r.base);
    entries.number(r.whole);
    entries.number(held);
    entries.number(static_cast<std::uint32_t>(r.rights.entries().size()));
    entries.number(static_cast<std::uint8_t>(r.own ? 1 : 0));
    entries.number(static_cast<std::uint8_t>(name.size()));
    entries.number(static_cast<std::uint8_t>(owner.size()));
    entries.text(name);
    entries.text(owner);
  }
  reply({.what = operation::done, .address = next}, entries.take());
}

void session::grant() {
  auto const& m = request_;
  if (static_cast<wire::whom>(m.argument) == wire::whom::token) {
    auto const made = store_.grant_token(who_, m.address, m.rights);
    if (!made) return refuse(made.error());
    return reply({.what = operation::done}, bytes_of(*made));
  }
  auto const to = named(m);
  if (!to) return refuse({status::bad_request, "a grant is for a token, a user or any user"});
  answer_to(store_.grant(who_, m.address, m.rights, *to));
}

void session::revoke() {
  auto const from = named(request_);
  if (!from) return refuse({status::bad_request, "what is revoked is a token's, a user's or any user's"});
  answer_to(store_.revoke(who_, request_.address, *from));
}

void session::present() {
  auto const t = token::from(payload_);
  if (!t || !store_.knows(*t)) return refuse({status::bad_token, "this token is not known here"});
  if (!who_.is(holder::of(t->id))) {
    if (who_.tokens.size() >= tokens_max) return refuse({status::full, "64 tokens were presented already"});
    who_.tokens.push_back(t->id);
  }
  reply({.what = operation::done});
}

void session::read() {
  auto const& m = request_;
  if (m.size > wire::portal_bytes_max) return refuse({status::bad_request, "a read moves at most 1 MiB"});
  auto const r = store_.check(who_, m.address, std::max(m.size, m.argument), right_read);
  if (!r) return refuse(r.error());
  answer a;
  put({.what = operation::data, .id = m.id, .payload = static_cast<std::uint32_t>(m.size)}, {}, a);
  if (m.size > wire::inline_bytes_max) {
    a.reads = true;
    a.read = {.id = m.id, .address = m.address, .size = m.size};
    return push(std::move(a));
  }
  // Small ones go out in one piece.
  for (std::uint64_t moved = 0; moved < m.size;) {
    auto const from = store_.bytes(**r, m.address - (*r)->base + moved, m.size - moved);
    a.bytes.insert(a.bytes.end(), from.begin(), from.end());
    moved += from.size();
  }
  put({.what = operation::done, .id = m.id}, {}, a);
  ++figures_.reads;
  figures_.read_bytes += m.size;
  push(std::move(a));
}

void session::write_inline() {
  auto const& m = request_;
  auto const r = store_.check(who_, m.address, m.size, right_write);
  if (!r) return refuse(r.error());
  for (std::uint64_t moved = 0; moved < m.size;) {
    auto const to = store_.bytes(**r, m.address - (*r)->base + moved, m.size - moved);
    std::memcpy(to.data(), &payload_[moved], to.size());
    moved += to.size();
  }
  store_.written(m.address, m.size);
  ++figures_.writes;
  figures_.written_bytes += m.size;
  reply({.what = operation::done});
}

void session::lease() {
  auto const& m = request_;
  bool const writes = (m.rights & right_write) != 0;
  if (!who_.user) return refuse({status::bad_request, "a lease is for local users"});
  auto const r = store_.check(who_, m.address, 0, writes ? right_write : right_read);
  if (!r) return refuse(r.error());
  wire::message const found{
      .what = operation::done, .id = m.id, .address = (*r)->base, .size = (*r)->size, .rights = m.rights};
  // Mapped pages that can be written can be read. Descriptors wait here until they are taken: one pair at a time.
  bool const may = !writes || (store_.held(who_, **r) & right_read) != 0;
  bool const waiting = std::ranges::any_of(answers_, [](answer const& queued) { return !queued.files.empty(); });
  leased_memory* const lent = may && !waiting ? store_.lend(**r) : nullptr;
  if (lent == nullptr) return reply(found);
  answer a;
  for (int const file : {writes ? fcntl(lent->file(), F_DUPFD_CLOEXEC, 0) : lent->read_only_file(),
                         fcntl(lent->epoch_file(), F_DUPFD_CLOEXEC, 0)})
    if (file >= 0) a.files.push_back(file);
  if (a.files.size() != 2) {
    for (int const file : a.files) close(file);
    return reply(found);
  }
  ++figures_.leases;
  put(found, {}, a);
  push(std::move(a));
}

void session::hello() {
  wire::writer partner;
  partner.text(service_.partner);
  wire::message m{.what = operation::done, .address = service_.epoch, .argument2 = service_.instance};
  if (service_.serves) {
    m.argument = service_.comes_back ? wire::comes_back : 0;
    m.rights = store_.number();
    partner.text(service_.partner);
  } else {
    m.outcome = status::not_serving;
    partner.text(service_.why_not);
  }
  reply(m, partner.take());
}

void session::join() {
  if (!service_.join) return refuse({status::bad_request, "this server has no second one: it has no --replicas 2"});
  auto const answer = service_.join(request_, who_.operates, text());
  joined_ = answer.outcome == status::ok;
  reply(answer);
}

void session::state() {
  wire::writer to;
  for (std::uint64_t const n : {store_.memory().size(), store_.memory().free(), std::uint64_t{store_.regions().size()},
                                figures_.connections, figures_.reads, figures_.writes, figures_.read_bytes,
                                figures_.written_bytes, figures_.refused, figures_.leases})
    to.number(n);
  reply({.what = operation::done}, to.take());
}

}  // namespace tess::memd
