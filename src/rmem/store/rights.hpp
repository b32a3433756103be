// rights: what one may do with a region, who may have them, and who has been given which by whom.
//
//   A grant says that a holder has rights and who gave them. It stands as long as its giver has the right to grant and
//   every right that he gave: a revoked grant takes with it what was granted on its strength, also in a circle.
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
inline constexpr std::uint32_t right_allocate = 4;  // of the server: to create regions
inline constexpr std::uint32_t right_grant = 8;
/// Those that a region can have.
inline constexpr std::uint32_t rights_of_region = right_read | right_write | right_grant;
inline constexpr std::uint32_t rights_of_server = right_allocate | right_grant;

/// "read and write".
[[nodiscard]] std::string names_of(std::uint32_t rights);

struct holder {
  enum class kind : std::uint8_t { user, any_user, token };
  kind which = kind::user;
  token::identity id;  // a user's number in `low`
  auto operator<=>(holder const&) const = default;

  [[nodiscard]] static holder user(std::uint32_t number) { return {kind::user, {0, number}}; }
  [[nodiscard]] static holder any_user() { return {kind::any_user, {}}; }
  [[nodiscard]] static holder of(token::identity id) { return {kind::token, id}; }
  /// "1000", "any user" or "token 0123456789abcdef…".
  [[nodiscard]] std::string text() const;
};

/// Who asks: what the transport knows for sure of the other side.
struct caller {
  std::optional<std::uint32_t> user;    // by the peer credentials of a local socket
  bool operates = false;                // the user who runs the server
  std::vector<token::identity> tokens;  // presented, and proved
  [[nodiscard]] bool is(holder const& h) const;
};

class grants {
 public:
  static constexpr std::size_t entries_max = 1024;

  explicit grants(holder owner) : owner_(owner) {}

  [[nodiscard]] holder const& owner() const { return owner_; }
  /// `of_owner`: what the owner has.
  [[nodiscard]] std::uint32_t held(caller const& who, std::uint32_t of_owner) const;
  /// In whose name `who` may grant these rights: as the owner, or as one holder who has them and the right to grant.
  [[nodiscard]] std::optional<holder> giver(caller const& who, std::uint32_t rights) const;

  [[nodiscard]] bool full() const { return entries_.size() >= entries_max; }
  void give(holder const& to, holder const& by, std::uint32_t rights);
  /// Takes what `by` gave, or whatever anybody gave, and all that no longer stands then. The holders that lost a grant.
  std::vector<holder> take(holder const& from, std::optional<holder> const& by);
  [[nodiscard]] bool names(holder const& h) const;

  struct entry {
    holder to;
    holder by;
    auto operator<=>(entry const&) const = default;
  };
  [[nodiscard]] std::map<entry, std::uint32_t> const& entries() const { return entries_; }

 private:
  [[nodiscard]] std::map<entry, std::uint32_t> standing() const;

  holder owner_;
  std::map<entry, std::uint32_t> entries_;
};

}  // namespace tess::memd
