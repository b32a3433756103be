// rights: what clients may do with a region: rights, the holders that can have them, and the grants between holders.
//
//   A grant says which rights a holder has and which holder gave them. It is valid as long as its grantor has the right
//   to grant and every right that was given: revoking a grant also ends all grants that depended on it, cycles
//   included.
//
// Cost   Questions: logarithmic in the grants, for each holder that the caller is. A revoke: n log n in the grants.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rmem/wire/token.hpp"

namespace tess::memd {

/// Bits of a set of rights.
inline constexpr std::uint32_t right_read = 1;
inline constexpr std::uint32_t right_write = 2;
inline constexpr std::uint32_t right_allocate = 4;  // on the server: to create regions
inline constexpr std::uint32_t right_grant = 8;
/// The rights that exist on a region, and on the server.
inline constexpr std::uint32_t rights_of_region = right_read | right_write | right_grant;
inline constexpr std::uint32_t rights_of_server = right_allocate | right_grant;

/// "read and write".
[[nodiscard]] std::string names_of(std::uint32_t rights);

struct holder {
  enum class kind : std::uint8_t { user, any_user, token };
  kind which = kind::user;
  token::identity id;  // of a user: the number, in `low`
  auto operator<=>(holder const&) const = default;

  [[nodiscard]] static holder user(std::uint32_t number) { return {kind::user, {0, number}}; }
  [[nodiscard]] static holder any_user() { return {kind::any_user, {}}; }
  [[nodiscard]] static holder of(token::identity id) { return {kind::token, id}; }
  /// "1000", "any user" or "token 0123456789abcdef…".
  [[nodiscard]] std::string text() const;
};

/// The client behind a request: what the transport knows for sure.
struct caller {
  std::optional<std::uint32_t> user;    // from the peer credentials of a local socket
  bool operates = false;                // is the user that runs the server
  bool is_server = false;               // has proved to be the other of two servers
  std::vector<token::identity> tokens;  // presented and verified
  [[nodiscard]] bool is(holder const& h) const;
};

class grants {
 public:
  static constexpr std::size_t entries_max = 1024;

  explicit grants(holder owner) : owner_(owner) {}

  [[nodiscard]] holder const& owner() const { return owner_; }
  /// The rights of `who`; `of_owner`: the rights of the owner.
  [[nodiscard]] std::uint32_t held(caller const& who, std::uint32_t of_owner) const;
  /// As which holder `who` may grant these rights: the owner, or one that has them and the right to grant.
  [[nodiscard]] std::optional<holder> grantor(caller const& who, std::uint32_t rights) const;

  [[nodiscard]] bool full() const { return entries_.size() >= entries_max; }
  void add(holder const& to, holder const& by, std::uint32_t rights);
  /// Removes the grants by `by`, or by anyone, and all that are invalid then. Returns the holders that lost a grant.
  std::vector<holder> revoke(holder const& from, std::optional<holder> const& by);
  /// Is the owner, or has a grant.
  [[nodiscard]] bool contains(holder const& h) const;

  struct entry {
    holder to;
    holder by;
    auto operator<=>(entry const&) const = default;
  };
  [[nodiscard]] std::map<entry, std::uint32_t> const& entries() const { return entries_; }

 private:
  /// The rights that grants give to this holder.
  [[nodiscard]] std::uint32_t given_to(holder const& h) const;
  [[nodiscard]] std::map<entry, std::uint32_t> valid() const;

  holder owner_;
  std::map<entry, std::uint32_t> entries_;
};

}  // namespace tess::memd
