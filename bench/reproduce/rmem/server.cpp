// server: checks requests, opens windows and sends data.
#include "server.hpp"

#include <algorithm>

namespace mppa {
namespace {

namespace cluster = tess::machine::cluster;
namespace info = tess::machine::registers::information;
using tess::memd::holder;

constexpr std::uint64_t line_bytes = receive_window::line_bytes;

mailbox::words answer(status how, std::uint64_t a = 0, std::uint64_t b = 0, std::uint64_t tag = 0) {
  return {static_cast<std::uint64_t>(how), a, b, 0, tag};
}
/// Portals access the DDR behind the caches, so the server drops the line that it has changed.
void flush_line(std::uint64_t address) {
  namespace of = tess::machine::registers::ranges;
  std::uint64_t const window = cluster::window(tess::machine::registers::unit::ranges);
  cluster::counter completion;
  cluster::word(window + of::operation) = of::flush;
  cluster::word(window + of::address) = address / line_bytes * line_bytes;
  cluster::word(window + of::bytes) = line_bytes;
  cluster::word(window + of::counter) = reinterpret_cast<std::uint64_t>(&completion);
  cluster::word(window + of::trigger) = 0;
  cluster::fence();
  cluster::word(window + of::doorbell) = 1;
  (void)completion.wait();
}
holder user_of(std::uint64_t number) {
  return holder::user(static_cast<std::uint32_t>(number));
}
tess::memd::caller caller_of(std::uint64_t number) {
  tess::memd::caller who;
  who.user = static_cast<std::uint32_t>(number);
  return who;
}
std::uint64_t server_of(std::uint64_t own) {
  std::uint64_t server = 0;
  while (server_cluster(server) != own) ++server;
  return server;
}

}  // namespace

rmem_server::rmem_server()
    : own_(cluster::own_number()),
      number_(server_of(own_)),
      memory_(cluster::row(own_, info::row_partition)),
      memory_bytes_(cluster::row(own_, info::row_partition_bytes)),
      scratchpad_bytes_(cluster::row(own_, info::row_tlm_bytes)) {
  regions_.reserve(regions_max);
  for (std::uint64_t number = 0; number < cluster::count(); ++number)
    scratchpads_.push_back(cluster::row(number, info::row_tlm));
}

rmem_server::region* rmem_server::at(std::uint64_t address) {
  if (address >> server_shift != number_) return nullptr;
  std::uint64_t const offset = address & offset_mask;
  auto const behind = std::ranges::upper_bound(regions_, offset, {}, &region::begin);
  if (behind == regions_.begin()) return nullptr;
  region& one = *std::prev(behind);
  return offset - one.begin < one.bytes ? &one : nullptr;
}

rmem_server::found rmem_server::check(mailbox::message const& came, std::uint32_t needed, bool lines) {
  std::uint64_t const address = came.said[1];
  std::uint64_t const bytes = came.said[2];
  region* const one = at(address);
  if (one == nullptr) return {status::no_region};
  std::uint32_t const held = one->granted.held(caller_of(came.source), tess::memd::rights_of_region);
  if ((held & needed) != needed) return {status::not_permitted};
  std::uint64_t const offset = address & offset_mask;
  if (lines && (bytes == 0 || (offset | bytes) % line_bytes != 0)) return {status::not_lines};
  if (bytes > one->begin + one->bytes - offset) return {status::out_of_bounds};
  return {status::ok, memory_ + offset};
}

mailbox::words rmem_server::create(mailbox::message const& came) {
  auto const [code, first, second, bytes, unused] = came.said;
  std::array const name{first, second};
  if (std::ranges::find(regions_, name, &region::name) != regions_.end()) return answer(status::in_use);
  if (bytes == 0 || bytes % line_bytes != 0) return answer(status::not_lines);
  std::uint64_t const begin = regions_.empty() ? 0 : regions_.back().begin + regions_.back().bytes;
  if (regions_.size() == regions_max || bytes > memory_bytes_ - begin) return answer(status::full);
  regions_.push_back({name, begin, bytes, tess::memd::grants(user_of(came.source))});
  return answer(status::ok, number_ << server_shift | begin);
}

mailbox::words rmem_server::open(mailbox::message const& came) {
  auto const named = std::ranges::find(regions_, std::array{came.said[1], came.said[2]}, &region::name);
  if (named == regions_.end()) return answer(status::no_region);
  return answer(status::ok, number_ << server_shift | named->begin, named->bytes);
}

status rmem_server::grant(mailbox::message const& came) {
  auto const [code, address, to, rights, unused] = came.said;
  region* const one = at(address);
  if (one == nullptr) return status::no_region;
  if (to >= scratchpads_.size()) return status::not_permitted;
  auto const given = static_cast<std::uint32_t>(rights) & tess::memd::rights_of_region;
  auto const by = one->granted.grantor(caller_of(came.source), given);
  if (!by || given != rights) return status::not_permitted;
  if (one->granted.full()) return status::full;
  one->granted.add(user_of(to), *by, given);
  return status::ok;
}

mailbox::words rmem_server::write(mailbox::message const& came) {
  std::uint64_t const tag = came.said[4];
  auto const [how, where] = check(came, tess::memd::right_write);
  if (how != status::ok) return answer(how, 0, 0, tag);
  // The cluster's own window first, so that others cannot keep it from writing.
  std::uint64_t number = came.source;
  for (std::uint64_t next = scratchpads_.size(); number < windows_max; number = next++) {
    receive_window window(number);
    auto const outcome = window.open_if_closed(where, came.said[2], came.source);
    if (outcome == receive_window::outcome::opened) return answer(status::ok, where, 0, tag);
    if (outcome == receive_window::outcome::invalid) return answer(status::full, 0, 0, tag);
  }
  return answer(status::in_use, 0, 0, tag);
}

std::optional<status> rmem_server::read(mailbox::message const& came) {
  auto const [how, where] = check(came, tess::memd::right_read);
  if (how != status::ok) return how;
  // Otherwise a client could have data sent into another client's window, which is open for a different transfer.
  std::uint64_t const inside = came.said[3] - scratchpads_[came.source];
  if (inside > scratchpad_bytes_ || came.said[2] > scratchpad_bytes_ - inside) return status::not_own;
  // The check overlapped with the previous transfer, which may still be in flight.
  if (sender_.busy() && !sender_.finish()) ++lost_;
  return sender_.begin(where, came.said[2], came.said[3]) ? std::nullopt : std::optional(status::lost);
}

status rmem_server::write_bytes(mailbox::message const& came) {
  std::uint64_t const bytes = came.said[2];
  if (bytes > inline_bytes) return status::out_of_bounds;
  auto const [how, where] = check(came, tess::memd::right_write, false);
  if (how != status::ok || bytes == 0) return how;
  for (std::uint64_t i = 0; i < bytes; ++i)
    *reinterpret_cast<unsigned char volatile*>(where + i) =
        static_cast<unsigned char>(came.said[3 + i / 8] >> (8 * (i % 8)));
  flush_line(where);
  if ((where + bytes - 1) / line_bytes != where / line_bytes) flush_line(where + bytes - 1);
  return status::ok;
}

bool rmem_server::serve(mailbox::message const& came) {
  switch (static_cast<operation>(came.said[0])) {
    case operation::create:
      mailbox::send(came.source, create(came));
      return true;
    case operation::open:
      mailbox::send(came.source, open(came));
      return true;
    case operation::grant:
      mailbox::send(came.source, answer(grant(came)));
      return true;
    case operation::write:
      mailbox::send(came.source, write(came));
      return true;
    case operation::read:
      if (auto const refused = read(came)) mailbox::send(came.source, answer(*refused, 0, 0, came.said[4]));
      return true;
    case operation::write_bytes:
      mailbox::send(came.source, answer(write_bytes(came)));
      return true;
    case operation::probe:
      mailbox::send(came.source, answer(check(came, static_cast<std::uint32_t>(came.said[3]), false).how));
      return true;
    default:
      return false;
  }
}

}  // namespace mppa
