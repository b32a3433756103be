// change: encoded as its fields one after the other, little-endian.
#include "rmem/store/change.hpp"

#include <algorithm>
#include <utility>

#include "rmem/wire/message.hpp"

namespace tess::memd {

namespace {

void put(wire::writer& to, holder const& h) {
  to.number(static_cast<std::uint8_t>(h.which));
  to.number(h.id.high);
  to.number(h.id.low);
}

bool take(wire::reader& from, holder& h) {
  auto const which = from.number<std::uint8_t>();
  auto const high = from.number<std::uint64_t>();
  auto const low = from.number<std::uint64_t>();
  if (!low || *which > static_cast<std::uint8_t>(holder::kind::token)) return false;
  h = {static_cast<holder::kind>(*which), {*high, *low}};
  return true;
}

template <class T>
bool take(wire::reader& from, T& to) {
  auto const n = from.number<T>();
  if (n) to = *n;
  return n.has_value();
}

}  // namespace

change change_of(replica_record const& r) {
  return {.what = change::kind::replica_state,
          .address = r.epoch,
          .size = r.pair,
          .until = r.self,
          .rights = static_cast<std::uint32_t>(r.state),
          .secret = {r.peer, r.round}};
}

replica_record record_from(change const& c) {
  auto const state = std::min(c.rights, static_cast<std::uint32_t>(replica_state::diverged));
  return {c.address, static_cast<replica_state>(state), c.size, c.until, c.secret[0], c.secret[1]};
}

std::vector<std::byte> encode(change const& c) {
  wire::writer to;
  to.number(static_cast<std::uint8_t>(c.what));
  to.number(static_cast<std::uint8_t>(c.by_anyone));
  to.number(static_cast<std::uint16_t>(c.name.size()));
  to.number(static_cast<std::uint16_t>(c.other_parts.size()));
  to.number(c.rights);
  for (std::uint64_t const n : {c.address, c.size, c.until, c.secret[0], c.secret[1]}) to.number(n);
  put(to, c.who);
  put(to, c.by);
  to.text(c.name);
  wire::put(to, c.other_parts);
  for (auto const& part : c.extents) {
    to.number(part.offset);
    to.number(part.size);
  }
  return to.take();
}

std::optional<change> decode(std::span<std::byte const> bytes) {
  wire::reader from(bytes);
  change c;
  std::uint8_t what = 0;
  std::uint8_t by_anyone = 0;
  std::uint16_t name_bytes = 0;
  std::uint16_t others = 0;
  bool const whole = take(from, what) && take(from, by_anyone) && take(from, name_bytes) && take(from, others) &&
                     take(from, c.rights) && take(from, c.address) && take(from, c.size) && take(from, c.until) &&
                     take(from, c.secret[0]) && take(from, c.secret[1]) && take(from, c.who) && take(from, c.by);
  if (!whole || what > static_cast<std::uint8_t>(change::kind::replica_state) || by_anyone > 1 ||
      name_bytes > wire::name_bytes_max || others > wire::other_parts_max)
    return std::nullopt;
  c.what = static_cast<change::kind>(what);
  c.by_anyone = by_anyone != 0;
  auto name = from.text(name_bytes);
  auto parts = name ? wire::take_parts(from, others) : std::nullopt;
  if (!parts) return std::nullopt;
  c.name = std::move(*name);
  c.other_parts = std::move(*parts);
  while (!from.empty()) {
    extent part;
    if (!take(from, part.offset) || !take(from, part.size)) return std::nullopt;
    c.extents.push_back(part);
  }
  return c;
}

}  // namespace tess::memd
