// session: how bytes come in and go out; what the requests do stands in session_requests.cpp.
#include "rmem/server/session.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace tess::memd {

namespace {

using wire::operation;
using wire::status;

constexpr std::size_t scrap_bytes = 64 * 1024;

/// Where bytes go that nobody may write any more. Never read.
std::span<std::byte> scrap() {
  static std::array<std::byte, scrap_bytes> bytes;
  return bytes;
}
/// What goes to whom nobody may show the region any more.
std::span<std::byte const> zeros() {
  static constexpr std::array<std::byte, scrap_bytes> bytes{};
  return bytes;
}

}  // namespace

session::~session() {
  for (auto const& a : answers_)
    for (int const file : a.files) close(file);
}

std::span<std::byte> session::step(transfer& t, std::uint32_t right) {
  std::uint64_t const left = t.size - t.moved;
  if (t.ended.why != status::ok || left == 0) return {};
  auto const r = store_.check(who_, t.address, t.size, right);
  if (!r) {
    t.ended = {status::revoked, "ended in mid-transfer: " + r.error().text};
    return {};
  }
  return store_.bytes(**r, t.address - (*r)->base + t.moved, left);
}

std::span<std::byte> session::want() {
  if (taking_ == part::region) {
    auto const to = step(write_, right_write);
    if (!to.empty()) return to;
    return scrap().first(std::min(scrap_bytes, static_cast<std::size_t>(write_.size - write_.moved)));
  }
  if (taking_ == part::payload) return std::span(payload_).subspan(taken_);
  if (answers_.size() >= answers_max || queued_bytes_ >= answer_bytes_max) return {};
  return std::span(header_).subspan(taken_);
}

bool session::got(std::size_t bytes, std::uint64_t now) {
  if (taking_ == part::region) {
    if (write_.ended.why == status::ok) store_.written(write_.address + write_.moved, bytes);
    write_.moved += bytes;
    if (write_.moved == write_.size) end_write();
    return true;
  }
  taken_ += bytes;
  if (taking_ == part::header) {
    if (taken_ < header_.size()) return true;
    taken_ = 0;
    auto const m = wire::decode(header_);
    if (!m) return false;
    request_ = *m;
    return begin(now);
  }
  if (taken_ < payload_.size()) return true;
  taken_ = 0;
  taking_ = part::header;
  perform(now);
  return true;
}

/// A header is there: which payload belongs to it?
bool session::begin(std::uint64_t now) {
  auto const& m = request_;
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
    case operation::join:
      payload_max = token::size_bytes;
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
    taking_ = part::payload;
  return true;
}

/// The two-step write: checked on the header alone; the portal opens for what passed.
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
  taking_ = part::region;
  return true;
}

void session::end_write() {
  taking_ = part::header;
  request_ = {.what = operation::write, .id = write_.id};
  if (write_.ended.why != status::ok) return refuse(write_.ended);
  // The last of the bytes went in with a right that stood then.
  ++figures_.writes;
  figures_.written_bytes += write_.size;
  reply({.what = operation::done});
}

session::outgoing session::next() {
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
  // All bytes are on their way; the end says whether they count.
  a.reads = false;
  a.sent = 0;
  a.after = service_.put;
  a.bytes.clear();
  wire::message end{.what = operation::done, .outcome = a.read.ended.why, .id = a.read.id};
  std::string const& text = a.read.ended.text;
  end.payload = static_cast<std::uint32_t>(text.size());
  if (end.outcome == status::ok) {
    ++figures_.reads;
    figures_.read_bytes += a.read.size;
  } else {
    ++figures_.refused;
  }
  put(end, std::as_bytes(std::span(text)), a);
  queued_bytes_ += a.bytes.size();
}

void session::put(wire::message const& m, std::span<std::byte const> payload, answer& to) {
  auto const head = wire::encode(m);
  to.bytes.insert(to.bytes.end(), head.begin(), head.end());
  to.bytes.insert(to.bytes.end(), payload.begin(), payload.end());
}

void session::push(answer a) {
  queued_bytes_ += a.bytes.size();
  if (!a.reads) a.after = service_.put;
  answers_.push_back(std::move(a));
}

void session::reply(wire::message m, std::vector<std::byte> payload) {
  m.id = request_.id;
  m.payload = static_cast<std::uint32_t>(payload.size());
  answer a;
  put(m, payload, a);
  push(std::move(a));
}

void session::refuse(refusal const& why) {
  ++figures_.refused;
  wire::writer text;
  text.text(why.text);
  reply({.what = operation::done, .outcome = why.why}, text.take());
}

void session::answer_to(checked<void> const& result) {
  if (!result) return refuse(result.error());
  reply({.what = operation::done});
}

}  // namespace tess::memd
