// session: first how bytes are received and sent, then what each request does.
#include "rmem/server/session.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

namespace tess::memd {

namespace {

using wire::operation;
using wire::status;

constexpr std::size_t scrap_bytes = 64 * 1024;

/// Where data goes that the client may not write any more. Never read.
std::span<std::byte> scrap() {
  static std::array<std::byte, scrap_bytes> bytes;
  return bytes;
}
/// What a client receives that may not read the region any more.
std::span<std::byte const> zeros() {
  static constexpr std::array<std::byte, scrap_bytes> bytes{};
  return bytes;
}

/// How many rights one `list` of a local user looks up, so that no request takes long; each region costs one for each
/// token.
constexpr std::size_t listed_max = 2048;
constexpr std::size_t list_bytes_max = 60 * 1024;

/// The holder that a grant or revoke names; a token by its identity.
std::optional<holder> named(wire::message const& m) {
  switch (static_cast<wire::grantee>(m.argument)) {
    case wire::grantee::user:
      if (m.argument2 > UINT32_MAX) return std::nullopt;
      return holder::user(static_cast<std::uint32_t>(m.argument2));
    case wire::grantee::any_user:
      return holder::any_user();
    case wire::grantee::token:
      return holder::of({m.argument2, m.size});
  }
  return std::nullopt;
}

bool needs_memory(operation what) {
  return what == operation::create || what == operation::link || what == operation::grant ||
         what == operation::present || what == operation::lease;
}

std::vector<std::byte> bytes_of(token const& t) {
  auto const bytes = t.bytes();
  return {bytes.begin(), bytes.end()};
}

}  // namespace

session::~session() {
  for (auto const& a : answers_)
    for (int const file : a.files) close(file);
}

std::span<std::byte> session::step(transfer& t, std::uint32_t right) {
  std::uint64_t const left = t.size - t.moved;
  if (t.failure.why != status::ok || left == 0) return {};
  auto const r = store_.check(who_, t.address, t.size, right);
  if (!r) {
    t.failure = {status::revoked, "ended in mid-transfer: " + r.error().text};
    return {};
  }
  return (*r)->memory.bytes(t.address - (*r)->base + t.moved, left);
}

std::span<std::byte> session::receive_buffer() {
  if (receiving_ == stage::region) {
    auto const to = step(write_, right_write);
    if (!to.empty()) return to;
    return scrap().first(std::min(scrap_bytes, static_cast<std::size_t>(write_.size - write_.moved)));
  }
  if (receiving_ == stage::payload) return std::span(payload_).subspan(received_);
  if (answers_.size() >= answers_max || queued_bytes_ >= answer_bytes_max) return {};
  return std::span(header_).subspan(received_);
}

bool session::received(std::size_t bytes, std::uint64_t now) {
  if (receiving_ == stage::region) {
    if (write_.failure.why == status::ok) store_.written(write_.address + write_.moved, bytes);
    write_.moved += bytes;
    if (write_.moved == write_.size) end_write();
    return true;
  }
  received_ += bytes;
  if (receiving_ == stage::header) {
    if (received_ < header_.size()) return true;
    received_ = 0;
    auto const m = wire::decode(header_);
    if (!m) return false;
    request_ = *m;
    return begin(now);
  }
  if (received_ < payload_.size()) return true;
  received_ = 0;
  receiving_ = stage::header;
  perform(now);
  return true;
}

/// A header is complete: checks it, and decides which payload belongs to it.
bool session::begin(std::uint64_t now) {
  auto const& m = request_;
  has_spoken_ = true;
  if (m.what == operation::data) return begin_data(m);
  if (m.what > wire::last_request || m.outcome != status::ok) return false;
  if (m.what == operation::write && m.payload == 0) return begin_write(m);
  std::uint32_t payload_max = 0;
  switch (m.what) {
    case operation::create:
      if (m.argument2 > wire::other_parts_max) return false;
      payload_max = wire::name_bytes_max + static_cast<std::uint32_t>(m.argument2) * wire::part_bytes;
      break;
    case operation::open:
    case operation::link:
    case operation::unlink:
      payload_max = wire::name_bytes_max;
      break;
    case operation::present:
      payload_max = token::size_bytes;
      break;
    case operation::join:
      payload_max = 2 * sizeof(std::uint64_t);
      break;
    case operation::write:
      payload_max = m.size == m.payload ? wire::inline_bytes_max : 0;
      break;
    default:
      break;
  }
  if (m.payload > payload_max) return false;
  payload_.resize(m.payload);
  if (m.payload == 0)
    perform(now);
  else
    receiving_ = stage::payload;
  return true;
}

/// A write in two steps is checked by its header alone; the portal opens if it passes.
bool session::begin_write(wire::message const& m) {
  if (portals_.size() >= wire::transfers_max || portals_.contains(m.id)) return false;
  if (m.size > wire::portal_bytes_max) {
    refuse({status::bad_request, "a write moves at most 1 MiB"});
    return true;
  }
  if (!service_.serves) {
    refuse({status::not_serving, service_.why_not});
    return true;
  }
  if (auto const r = store_.check(who_, m.address, std::max(m.size, m.argument), right_write); !r) {
    refuse(r.error());
    return true;
  }
  if (m.size == 0) {
    reply({.what = operation::done});
    return true;
  }
  portals_.emplace(m.id, transfer{.id = m.id, .address = m.address, .size = m.size});
  reply({.what = operation::go});
  return true;
}

bool session::begin_data(wire::message const& m) {
  auto const portal = portals_.find(m.id);
  if (portal == portals_.end() || m.payload != portal->second.size) return false;
  write_ = portal->second;
  portals_.erase(portal);
  receiving_ = stage::region;
  return true;
}

void session::end_write() {
  receiving_ = stage::header;
  request_ = {.what = operation::write, .id = write_.id};
  if (write_.failure.why != status::ok) return refuse(write_.failure);
  // The right was valid when the last bytes arrived.
  ++counters_.writes;
  counters_.written_bytes += write_.size;
  reply({.what = operation::done});
}

session::output session::next_output() {
  while (!answers_.empty()) {
    answer& a = answers_.front();
    if (is_held()) return {};
    if (a.sent < a.bytes.size())
      return {std::span(a.bytes).subspan(a.sent), a.sent == 0 ? std::span<int const>(a.files) : std::span<int const>(),
              a.reads || (answers_.size() > 1 && answers_[1].reads)};
    if (a.reads) {
      if (auto const from = step(a.read, right_read); !from.empty()) return {from, {}, false};
      return {zeros().first(std::min(scrap_bytes, static_cast<std::size_t>(a.read.size - a.read.moved))), {}, false};
    }
    answers_.pop_front();
  }
  return {};
}

void session::sent(std::size_t bytes) {
  answer& a = answers_.front();
  if (a.sent < a.bytes.size()) {
    a.sent += bytes;
    queued_bytes_ -= bytes;
    for (int const file : a.files) close(file);
    a.files.clear();
    if (a.sent == a.bytes.size() && !a.reads) answers_.pop_front();
    return;
  }
  a.read.moved += bytes;
  if (a.read.moved < a.read.size) return;
  // All data is sent; `done` says whether it counts.
  a.reads = false;
  a.sent = 0;
  a.after = service_.steps;
  a.bytes.clear();
  wire::message end{.what = operation::done, .outcome = a.read.failure.why, .id = a.read.id};
  std::string const& text = a.read.failure.text;
  end.payload = static_cast<std::uint32_t>(text.size());
  if (end.outcome == status::ok) {
    ++counters_.reads;
    counters_.read_bytes += a.read.size;
  } else {
    ++counters_.refused;
  }
  append(end, std::as_bytes(std::span(text)), a);
  queued_bytes_ += a.bytes.size();
}

void session::append(wire::message const& m, std::span<std::byte const> payload, answer& to) {
  auto const head = wire::encode(m);
  to.bytes.insert(to.bytes.end(), head.begin(), head.end());
  to.bytes.insert(to.bytes.end(), payload.begin(), payload.end());
}

void session::push(answer a) {
  queued_bytes_ += a.bytes.size();
  if (!a.reads) a.after = service_.steps;
  answers_.push_back(std::move(a));
}

void session::reply(wire::message m, std::vector<std::byte> payload) {
  m.id = request_.id;
  m.payload = static_cast<std::uint32_t>(payload.size());
  answer a;
  append(m, payload, a);
  push(std::move(a));
}

void session::refuse(refusal const& why) {
  ++counters_.refused;
  wire::writer text;
  text.text(why.text);
  reply({.what = operation::done, .outcome = why.why}, text.take());
}

void session::answer_to(checked<void> const& result) {
  if (!result) return refuse(result.error());
  reply({.what = operation::done});
}

std::string_view session::text() const {
  return {reinterpret_cast<char const*>(payload_.data()), payload_.size()};
}

void session::perform(std::uint64_t now) {
  auto const& m = request_;
  if (m.what == operation::hello) return hello();
  if (m.what == operation::join) return join();
  if (m.what == operation::claim) return claim();
  if (m.what == operation::take_over) {
    if (!who_.operates || !service_.take_over)
      return refuse({status::no_right, "only the user that runs a replicated server may have it take over"});
    return answer_to(service_.take_over());
  }
  if (!service_.serves) return refuse({status::not_serving, service_.why_not});
  if (needs_memory(m.what) && !service_.has_memory())
    return refuse({status::full, "the server is out of memory for regions, names and rights"});
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
      return;  // begin() rejects these
  }
}

void session::open(std::uint64_t now) {
  auto const& m = request_;
  auto const r = m.payload == 0 ? store_.open_at(who_, m.address, m.rights) : store_.open(who_, text(), m.rights, now);
  if (!r) return refuse(r.error());
  wire::writer others;
  wire::put(others, (*r)->other_parts);
  reply({.what = operation::done,
         .address = (*r)->base,
         .size = (*r)->total_size,
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
  std::vector<std::byte> owner_token;
  if (made->owner) {
    owner_token = bytes_of(*made->owner);
    // Beyond this limit, a client presents the tokens of its regions when it needs them.
    if (who_.tokens.size() < tokens_max) who_.tokens.push_back(made->owner->id);
  }
  reply({.what = operation::done,
         .address = made->made->base,
         .size = made->made->total_size,
         .rights = rights_of_region},
        std::move(owner_token));
}

void session::add_to_list(region const& r, std::uint32_t held, wire::writer& entries) {
  std::string const name = r.names.empty() ? "" : r.names.front();
  std::string const owner = r.rights.owner().text();
  entries.number(r.base);
  entries.number(r.total_size);
  entries.number(held);
  entries.number(static_cast<std::uint32_t>(r.rights.entries().size()));
  entries.number(static_cast<std::uint8_t>(r.memory.is_lent() ? 1 : 0));
  entries.number(static_cast<std::uint8_t>(name.size()));
  entries.number(static_cast<std::uint8_t>(owner.size()));
  entries.text(name);
  entries.text(owner);
}

void session::list() {
  wire::writer entries;
  std::uint64_t next = 0;
  if (!who_.user) {
    // Where a search of all regions goes on would say where hidden ones are.
    std::set<std::uint64_t> listed;
    for (auto const& id : who_.tokens) {
      region const* const r = store_.region_of(id);
      if (r == nullptr || !listed.insert(r->base).second) continue;
      if (auto const held = store_.held(who_, *r); held != 0) add_to_list(*r, held, entries);
    }
    return reply({.what = operation::done}, entries.take());
  }
  std::size_t looked_at = 0;
  auto const& all = store_.regions();
  for (auto i = all.lower_bound(request_.address); i != all.end(); ++i) {
    region const& r = i->second;
    if ((looked_at += 1 + who_.tokens.size()) > listed_max || entries.size() > list_bytes_max) {
      next = r.base;
      break;
    }
    std::uint32_t const held = store_.held(who_, r);
    if (held == 0 && !who_.operates) continue;
    add_to_list(r, held, entries);
  }
  reply({.what = operation::done, .address = next}, entries.take());
}

void session::grant() {
  auto const& m = request_;
  if (static_cast<wire::grantee>(m.argument) == wire::grantee::token) {
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
  if (!t || !store_.is_valid(*t)) return refuse({status::bad_token, "this token is not known here"});
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
  append({.what = operation::data, .id = m.id, .payload = static_cast<std::uint32_t>(m.size)}, {}, a);
  if (m.size > wire::inline_bytes_max) {
    a.reads = true;
    a.read = {.id = m.id, .address = m.address, .size = m.size};
    return push(std::move(a));
  }
  // A small read is one answer.
  for (std::uint64_t moved = 0; moved < m.size;) {
    auto const from = (*r)->memory.bytes(m.address - (*r)->base + moved, m.size - moved);
    a.bytes.insert(a.bytes.end(), from.begin(), from.end());
    moved += from.size();
  }
  append({.what = operation::done, .id = m.id}, {}, a);
  ++counters_.reads;
  counters_.read_bytes += m.size;
  push(std::move(a));
}

void session::write_inline() {
  auto const& m = request_;
  auto const r = store_.check(who_, m.address, m.size, right_write);
  if (!r) return refuse(r.error());
  for (std::uint64_t moved = 0; moved < m.size;) {
    auto const to = (*r)->memory.bytes(m.address - (*r)->base + moved, m.size - moved);
    std::memcpy(to.data(), &payload_[moved], to.size());
    moved += to.size();
  }
  store_.written(m.address, m.size);
  ++counters_.writes;
  counters_.written_bytes += m.size;
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
  // Pages that are mapped for writing can also be read. Only one pair of descriptors waits to be sent at a time.
  bool const allowed = !writes || (store_.held(who_, **r) & right_read) != 0;
  bool const waiting = std::ranges::any_of(answers_, [](answer const& queued) { return !queued.files.empty(); });
  leased_memory* const lent = allowed && !waiting ? store_.lend(**r) : nullptr;
  if (lent == nullptr) return reply(found);
  answer a;
  for (int const file : {writes ? fcntl(lent->file(), F_DUPFD_CLOEXEC, 0) : lent->read_only_file(),
                         fcntl(lent->epoch_file(), F_DUPFD_CLOEXEC, 0)})
    if (file >= 0) a.files.push_back(file);
  if (a.files.size() != 2) {
    for (int const file : a.files) close(file);
    return reply(found);
  }
  ++counters_.leases;
  append(found, {}, a);
  push(std::move(a));
}

void session::hello() {
  wire::writer text;
  wire::message m{.what = operation::done, .address = service_.epoch, .argument2 = service_.instance};
  if (service_.serves) {
    m.argument = service_.regions_persist ? wire::regions_persist : 0;
    m.rights = store_.number();
    text.text(service_.peer);
  } else {
    m.outcome = status::not_serving;
    text.text(service_.why_not);
    text.text(service_.peer);
    m.size = service_.peer.size();
  }
  reply(m, text.take());
}

void session::join() {
  if (!service_.join) return refuse({status::bad_request, "this server has no backup: it has no --replicas 2"});
  if (!who_.operates && !who_.is_server)
    return refuse({status::no_right, "only a server with the same --secret may be the backup"});
  wire::reader from(payload_);
  auto const self = from.number<std::uint64_t>();
  auto const round = from.number<std::uint64_t>();
  if (!round) return refuse({status::bad_request, "the number of the copy is missing"});
  auto const answer = service_.join(request_, {*self, *round});
  joined_ = answer.outcome == status::ok;
  reply(answer);
}

void session::claim() {
  if (!service_.claim) return refuse({status::bad_request, "this server is no witness"});
  if (!who_.operates && !who_.is_server)
    return refuse({status::no_right, "only servers with the same --secret may ask this witness"});
  reply(service_.claim(request_));
}

void session::state() {
  // How many regions there are, and how much is free, says when others create some, and how large they are.
  if (!is_known()) return refuse({status::no_right, "no right to see the server's counters: show a token"});
  wire::writer to;
  for (std::uint64_t const n :
       {store_.pages().size_bytes(), store_.pages().free_bytes(), std::uint64_t{store_.regions().size()},
        counters_.connections, counters_.reads, counters_.writes, counters_.read_bytes, counters_.written_bytes,
        counters_.refused, counters_.leases})
    to.number(n);
  reply({.what = operation::done}, to.take());
}

}  // namespace tess::memd
