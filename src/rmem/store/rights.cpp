// rights: a grant is valid if a chain of grantors leads to the owner.
#include "rmem/store/rights.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace tess::memd {

std::string names_of(std::uint32_t rights) {
  constexpr std::array<std::pair<std::uint32_t, std::string_view>, 4> all{
      {{right_read, "read"}, {right_write, "write"}, {right_allocate, "allocate"}, {right_grant, "grant"}}};
  std::string text;
  for (auto const& [bit, name] : all) {
    if ((rights & bit) == 0) continue;
    if (!text.empty()) text += " and ";
    text += name;
  }
  return text.empty() ? "nothing" : text;
}

std::string holder::text() const {
  if (which == kind::user) return std::to_string(id.low);
  if (which == kind::any_user) return "any user";
  return "token " + token{id, {}}.text().substr(0, 32);
}

bool caller::is(holder const& h) const {
  if (h.which == holder::kind::user) return user == h.id.low;
  if (h.which == holder::kind::any_user) return user.has_value();
  return std::ranges::find(tokens, h.id) != tokens.end();
}

std::uint32_t grants::held(caller const& who, std::uint32_t of_owner) const {
  std::uint32_t rights = who.is(owner_) ? of_owner : 0;
  if (rights == of_owner) return rights;
  auto const add = [&](holder const& h) {
    auto const least = holder{holder::kind::user, {}};
    for (auto i = entries_.lower_bound({h, least}); i != entries_.end() && i->first.to == h; ++i) rights |= i->second;
  };
  if (who.user) {
    add(holder::user(*who.user));
    add(holder::any_user());
  }
  for (auto const& id : who.tokens) add(holder::of(id));
  return rights;
}

std::optional<holder> grants::grantor(caller const& who, std::uint32_t rights) const {
  if (who.is(owner_)) return owner_;
  std::uint32_t const needed = rights | right_grant;
  std::map<holder, std::uint32_t> held;
  for (auto const& [e, given] : entries_)
    if (who.is(e.to)) held[e.to] |= given;
  for (auto const& [h, has] : held)
    if ((has & needed) == needed) return h;
  return std::nullopt;
}

void grants::add(holder const& to, holder const& by, std::uint32_t rights) {
  entries_[{to, by}] |= rights;
}

std::map<grants::entry, std::uint32_t> grants::valid() const {
  std::map<entry, std::uint32_t> kept;
  std::map<holder, std::uint32_t> held;
  for (bool more = true; more;) {
    more = false;
    for (auto const& [e, rights] : entries_) {
      if (kept.contains(e)) continue;
      std::uint32_t const needed = rights | right_grant;
      if (e.by != owner_ && (held[e.by] & needed) != needed) continue;
      kept.emplace(e, rights);
      held[e.to] |= rights;
      more = true;
    }
  }
  return kept;
}

std::vector<holder> grants::revoke(holder const& from, std::optional<holder> const& by) {
  std::vector<holder> lost;
  std::erase_if(entries_, [&](auto const& e) {
    bool const removed = e.first.to == from && (!by || e.first.by == *by);
    if (removed) lost.push_back(e.first.to);
    return removed;
  });
  auto kept = valid();
  for (auto const& [e, rights] : entries_)
    if (!kept.contains(e)) lost.push_back(e.to);
  entries_ = std::move(kept);
  return lost;
}

bool grants::contains(holder const& h) const {
  return h == owner_ || std::ranges::any_of(entries_, [&](auto const& e) { return e.first.to == h; });
}

}  // namespace tess::memd
