// store: the regions of a memory server, their names, and the rights on them; it checks every request. No transport.
//
//   Every request is checked here before a byte moves. A change that passes is written to the journal (of a server with
//   a file) and then applied, so a restart replays exactly what was acknowledged. Addresses are flat and never used
//   twice: the top 8 bits are the server's number, and a stale address finds nothing. A page between two regions
//   belongs to neither. To a remote client a region without a right to it does not exist.
//
// Units    bytes; time in ms on a clock that never goes back.
// Threads  one.
// Errors   a refusal names the right and the region, or says what else was wrong; nothing has changed then.
// Source   RMem (MultiProg 2019), section 4: RMem server, name server, allocator.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rmem/store/change.hpp"
#include "rmem/store/page_allocator.hpp"
#include "rmem/store/region_memory.hpp"
#include "rmem/store/rights.hpp"
#include "rmem/wire/message.hpp"
#include "rmem/wire/token.hpp"

namespace tess::memd {

struct refusal {
  wire::status why = wire::status::ok;
  std::string text;
};
template <class T>
using checked = std::expected<T, refusal>;

/// The address in grants on the server itself.
inline constexpr std::uint64_t server_address = 0;

struct region {
  std::uint64_t base = 0;
  std::uint64_t size = 0;                 // of the part on this server
  std::uint64_t total_size = 0;           // with the parts on other servers; the addresses up to there are the region's
  std::vector<wire::part> other_parts{};  // in order, after the part on this server
  grants rights;
  region_memory memory;
  std::vector<std::string> names{};
};

class store {
 public:
  static constexpr std::size_t regions_max = std::size_t{1} << 20;
  static constexpr std::size_t names_of_region_max = 64;
  static constexpr std::size_t tokens_max = std::size_t{1} << 20;

  /// Writes a change to the journal; false if that is not possible (the disk is full): then the request is refused.
  using journal_writer = std::function<bool(change const&)>;
  using write_listener = std::function<void(std::uint64_t address, std::uint64_t size)>;

  store(page_allocator& pages, std::uint8_t server, std::uint32_t operating_user);

  /// How many regions may be lent at a time; each takes two descriptors.
  void set_lent_max(std::size_t regions) { lent_max_ = regions; }
  /// Before the first region: the offset of its address from the first address of the server.
  void offset_addresses(std::uint64_t offset) { next_address_ += offset; }
  void journal_to(journal_writer to) { journal_ = std::move(to); }
  /// Is called for all bytes that a session wrote.
  void on_write(write_listener to) { on_write_ = std::move(to); }
  void written(std::uint64_t address, std::uint64_t size) const {
    if (on_write_) on_write_(address, size);
  }
  /// Applies a change that the primary made. False if it is not possible here.
  [[nodiscard]] bool apply_replicated(change c);
  [[nodiscard]] region const* find(std::uint64_t address) const;
  /// Applies a change of an earlier run. False if it is not possible: the journal is damaged.
  [[nodiscard]] bool replay(change const& c);
  /// The changes that turn a new store into a copy of this one.
  [[nodiscard]] std::vector<change> snapshot() const;

  /// `for_users`: the rights of every local user. A remote creator owns the region by the token that is returned.
  struct created {
    region const* made;
    std::optional<token> owner;
  };
  [[nodiscard]] checked<created> create(caller const& who, std::uint64_t size, std::string_view name,
                                        std::uint32_t for_users, std::uint64_t now,
                                        std::vector<wire::part> other_parts = {});
  [[nodiscard]] checked<void> remove(caller const& who, std::uint64_t address);
  /// `for_ms` 0: until it is unlinked.
  [[nodiscard]] checked<void> link(caller const& who, std::uint64_t address, std::string_view name,
                                   std::uint64_t for_ms, std::uint64_t now);
  [[nodiscard]] checked<void> unlink(caller const& who, std::string_view name, std::uint64_t now);
  /// The region of this name, if `who` has all of `wanted`.
  [[nodiscard]] checked<region const*> open(caller const& who, std::string_view name, std::uint32_t wanted,
                                            std::uint64_t now);
  /// The region to which this address belongs.
  [[nodiscard]] checked<region const*> open_at(caller const& who, std::uint64_t address, std::uint32_t wanted);
  /// The region that contains all of these bytes, if `who` has all of `wanted`. Cost: logarithmic in the regions.
  [[nodiscard]] checked<region*> check(caller const& who, std::uint64_t address, std::uint64_t size,
                                       std::uint32_t wanted);

  [[nodiscard]] checked<void> grant(caller const& who, std::uint64_t address, std::uint32_t rights, holder const& to);
  [[nodiscard]] checked<token> grant_token(caller const& who, std::uint64_t address, std::uint32_t rights);
  [[nodiscard]] checked<void> revoke(caller const& who, std::uint64_t address, holder const& from);
  /// Its identity is known and its secret is right.
  [[nodiscard]] bool is_valid(token const& t) const;
  /// The region that a valid token is for; null: the server, or the token is not valid any more.
  [[nodiscard]] region const* region_of(token::identity const& id) const;

  /// Lends the region to a local client; null if it must not be lent, or the system has no memory for it.
  [[nodiscard]] leased_memory* lend(region& r);

  [[nodiscard]] std::uint32_t held(caller const& who, region const& r) const;
  [[nodiscard]] std::map<std::uint64_t, region> const& regions() const { return regions_; }
  [[nodiscard]] page_allocator const& pages() const { return pages_; }
  /// The top bits of its addresses.
  [[nodiscard]] std::uint32_t number() const { return static_cast<std::uint32_t>(last_address_ >> wire::server_shift); }
  /// Its name or its address, for messages.
  [[nodiscard]] static std::string describe(region const& r);

 private:
  struct link_target {
    std::uint64_t address;
    std::uint64_t until;  // 0: until unlinked
    holder by;
  };
  struct known_token {
    token::proof secret;
    std::uint64_t address;
  };

  [[nodiscard]] checked<void> commit(change const& c);
  void apply(change const& c);
  void apply_create(change const& c);
  void apply_remove(std::uint64_t address);
  void apply_revoke(change const& c);
  void erase_name(std::string const& name);
  void erase_token(holder const& h, std::uint64_t address);
  [[nodiscard]] bool is_possible(change const& c) const;
  /// Ends the leases of the region: a client that has it mapped sees the end, and nothing of the region after that.
  void recall(region& r);
  [[nodiscard]] checked<grants*> grants_of(caller const& who, std::uint64_t address);
  [[nodiscard]] grants& grants_at(std::uint64_t address);
  [[nodiscard]] checked<change> checked_grant(caller const& who, std::uint64_t address, std::uint32_t rights);
  [[nodiscard]] checked<void> check_name(std::string_view name, std::uint64_t now);
  [[nodiscard]] region* region_at(std::uint64_t address);
  /// Null also if the region is hidden from `who`.
  [[nodiscard]] region* region_at(caller const& who, std::uint64_t address);
  [[nodiscard]] bool is_hidden(caller const& who, region const& r) const;
  [[nodiscard]] static std::string missing_text(std::uint32_t missing, region const& r);
  [[nodiscard]] static std::optional<std::uint64_t> total_size(std::uint64_t size,
                                                               std::span<wire::part const> other_parts);

  page_allocator& pages_;
  std::uint64_t next_address_;
  std::uint64_t last_address_;
  std::uint32_t operating_user_;
  grants server_grants_;
  std::map<std::uint64_t, region> regions_;
  std::unordered_map<std::string, link_target> names_;
  std::map<token::identity, known_token> tokens_;
  journal_writer journal_;
  write_listener on_write_;
  std::size_t lent_ = 0;
  std::size_t lent_max_ = 256;
};

}  // namespace tess::memd
