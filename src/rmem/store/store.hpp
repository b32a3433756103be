// store: what a memory server knows and decides: regions, their names, and who may do what with them. No transport.
//
//   Every request is checked here before a byte moves; what passes is recorded (for a server with a file) and then
//   applied, so that a restart replays exactly what was acknowledged. Addresses are flat and never used twice: the top
//   8 bits are the server's number, and a stale address finds nothing. Between two regions is a page that is nobody's.
//
// Units    bytes; time in ms on a clock that never goes back.
// Threads  one.
// Errors   a refusal says which right on which region was missing, or what else was wrong; nothing has changed then.
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
#include "rmem/store/leased_memory.hpp"
#include "rmem/store/page_allocator.hpp"
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

/// What grants on the server itself are given for.
inline constexpr std::uint64_t server_address = 0;

struct region {
  std::uint64_t base = 0;
  std::uint64_t size = 0;            // of what is here
  std::uint64_t whole = 0;           // with the parts on other servers; addresses up to there are its
  std::vector<wire::part> others{};  // in their order, behind what is here
  grants rights;
  std::vector<piece> pieces{};           // in the server's pages, unless leased
  std::vector<std::uint64_t> starts{};   // of each piece within the region
  std::unique_ptr<leased_memory> own{};  // in a descriptor of its own, which local clients may map
  std::vector<std::string> names{};
  std::uint64_t changes = 0;  // of rights: a transfer under way that sees another number asks again
};

class store {
 public:
  static constexpr std::size_t regions_max = std::size_t{1} << 20;
  static constexpr std::size_t names_of_region_max = 64;
  static constexpr std::size_t tokens_max = std::size_t{1} << 20;

  /// Writes a change down; false if it cannot (a full disk): then the request is refused.
  using recorder = std::function<bool(change const&)>;

  store(pages& memory, std::uint8_t server, std::uint32_t operating_user);

  /// So many regions are lent at a time: each takes two descriptors.
  void lend_at_most(std::size_t regions) { lent_max_ = regions; }
  /// Before the first region: so far from the beginning of the server's addresses.
  void begin_addresses_at(std::uint64_t offset) { next_address_ += offset; }
  void record_with(recorder to) { record_ = std::move(to); }
  /// Hears of every byte that a session wrote.
  using listener = std::function<void(std::uint64_t address, std::uint64_t size)>;
  void tell_written(listener to) { written_ = std::move(to); }
  void written(std::uint64_t address, std::uint64_t size) const {
    if (written_) written_(address, size);
  }
  /// As another server did it. False if it cannot be done here.
  [[nodiscard]] bool follow(change c);
  [[nodiscard]] region const* find(std::uint64_t address) const;
  /// As recorded by an earlier run. False if it cannot be: the record is damaged.
  [[nodiscard]] bool replay(change const& c);
  /// The changes that make a new store what this one is.
  [[nodiscard]] std::vector<change> snapshot() const;

  /// `for_users`: rights that every local user gets. A remote creator owns by the token that is returned.
  struct created {
    region const* made;
    std::optional<token> owner;
  };
  [[nodiscard]] checked<created> create(caller const& who, std::uint64_t size, std::string_view name,
                                        std::uint32_t for_users, std::uint64_t now,
                                        std::vector<wire::part> others = {});
  [[nodiscard]] checked<void> remove(caller const& who, std::uint64_t address);
  /// `for_ms` 0: until it is unlinked.
  [[nodiscard]] checked<void> link(caller const& who, std::uint64_t address, std::string_view name,
                                   std::uint64_t for_ms, std::uint64_t now);
  [[nodiscard]] checked<void> unlink(caller const& who, std::string_view name, std::uint64_t now);
  /// The region of this name, if all of `wanted` is held.
  [[nodiscard]] checked<region const*> open(caller const& who, std::string_view name, std::uint32_t wanted,
                                            std::uint64_t now);
  /// The region that this address belongs to.
  [[nodiscard]] checked<region const*> open_at(caller const& who, std::uint64_t address, std::uint32_t wanted);
  /// The region in which all of these bytes lie, if all of `wanted` is held. Cost: logarithmic in the regions.
  [[nodiscard]] checked<region*> check(caller const& who, std::uint64_t address, std::uint64_t size,
                                       std::uint32_t wanted);

  [[nodiscard]] checked<void> grant(caller const& who, std::uint64_t address, std::uint32_t rights, holder const& to);
  [[nodiscard]] checked<token> grant_token(caller const& who, std::uint64_t address, std::uint32_t rights);
  [[nodiscard]] checked<void> revoke(caller const& who, std::uint64_t address, holder const& from);
  /// Known, and proved.
  [[nodiscard]] bool knows(token const& t) const;

  /// The bytes from `offset` of the region on that lie together, `size` at most.
  [[nodiscard]] std::span<std::byte> bytes(region const& r, std::uint64_t offset, std::uint64_t size) const;
  /// Moves the region to a descriptor of its own, if it is not there yet; nothing if the system gives none.
  [[nodiscard]] leased_memory* lend(region& r);

  [[nodiscard]] std::uint32_t held(caller const& who, region const& r) const;
  [[nodiscard]] std::map<std::uint64_t, region> const& regions() const { return regions_; }
  [[nodiscard]] pages const& memory() const { return memory_; }
  /// The top bits of its addresses.
  [[nodiscard]] std::uint32_t number() const { return static_cast<std::uint32_t>(last_address_ >> wire::server_shift); }
  /// 'name' or its address, for messages.
  [[nodiscard]] static std::string describe(region const& r);

 private:
  struct link_target {
    std::uint64_t address;
    std::uint64_t until;  // 0: for ever
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
  void forget(std::string const& name);
  [[nodiscard]] bool is_possible(change const& c) const;
  /// Ends the lease of the region's memory: whoever has it mapped sees it end, and nothing of the region after that.
  void recall(region& r);
  [[nodiscard]] checked<grants*> grants_of(std::uint64_t address);
  [[nodiscard]] checked<change> checked_grant(caller const& who, std::uint64_t address, std::uint32_t rights);
  [[nodiscard]] checked<void> check_name(std::string_view name, std::uint64_t now);
  [[nodiscard]] region* region_at(std::uint64_t address);
  [[nodiscard]] static std::string without(std::uint32_t missing, region const& r);
  [[nodiscard]] static std::optional<std::uint64_t> size_of_all(std::uint64_t size, std::span<wire::part const> others);

  pages& memory_;
  std::uint64_t next_address_;
  std::uint64_t last_address_;
  std::uint32_t operating_user_;
  grants of_server_;
  std::map<std::uint64_t, region> regions_;
  std::unordered_map<std::string, link_target> names_;
  std::map<token::identity, known_token> tokens_;
  recorder record_;
  listener written_;
  std::size_t lent_ = 0;
  std::size_t lent_max_ = 256;
};

}  // namespace tess::memd
