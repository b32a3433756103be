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

std::uint32_t grants::given_to(holder const& h) const {
  std::uint32_t rights = 0;
  for (auto i = entries_.lower_bound({h, {}}); i != entries_.end() && i->first.to == h; ++i) rights |= i->second;
  return rights;
}

std::uint32_t grants::held(caller const& who, std::uint32_t of_owner) const {
  std::uint32_t rights = who.is(owner_) ? of_owner : 0;
  if (rights == of_owner) return rights;
  if (who.user) rights |= given_to(holder::user(*who.user)) | given_to(holder::any_user());
  for (auto const& id : who.tokens) rights |= given_to(holder::of(id));
  return rights;
}

/// Cost: logarithmic in the grants for each holder that the caller is.
std::optional<holder> grants::grantor(caller const& who, std::uint32_t rights) const {
  if (who.is(owner_)) return owner_;
  std::uint32_t const needed = rights | right_grant;
  auto const can = [&](holder const& h) { return (given_to(h) & needed) == needed; };
  if (who.user)
    for (auto const& h : {holder::user(*who.user), holder::any_user()})
      if (can(h)) return h;
  for (auto const& id : who.tokens)
    if (can(holder::of(id))) return holder::of(id);
  return std::nullopt;
}

void grants::add(holder const& to, holder const& by, std::uint32_t rights) {
  entries_[{to, by}] |= rights;
}

/// Follows the grants from the owner. A holder's grants are looked at again when it has gained a right, which happens
/// once for each right at most.
std::map<grants::entry, std::uint32_t> grants::valid() const {
  std::map<holder, std::vector<std::pair<entry, std::uint32_t>>> by_grantor;
  for (auto const& e : entries_) by_grantor[e.first.by].push_back(e);
  std::map<entry, std::uint32_t> kept;
  std::map<holder, std::uint32_t> held;
  for (std::vector<holder> gained{owner_}; !gained.empty();) {
    holder const by = gained.back();
    gained.pop_back();
    for (auto const& [e, rights] : by_grantor[by]) {
      std::uint32_t const needed = rights | right_grant;
      if (by != owner_ && (held[by] & needed) != needed) continue;
      if (!kept.emplace(e, rights).second || (held[e.to] | rights) == held[e.to]) continue;
      held[e.to] |= rights;
      gained.push_back(e.to);
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
  auto const first = entries_.lower_bound({h, {}});
  return h == owner_ || (first != entries_.end() && first->first.to == h);
}

}  // namespace tess::memd
