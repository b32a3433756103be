// server_set: the servers of one client, chosen by the top bits of an address, and regions spread over several.
//
//   A region of several servers has the addresses of its first part's server from its first to its last byte; that
//   server, the first of the fleet, has its name and knows where the other parts are. Who meets an address for the
//   first time asks for that, and remembers it: addresses are not used twice.
//
// Threads  any.
// Errors   refused, lost. A transfer that leaves the region moves nothing; one that meets a lost server may have moved
//          the bytes before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "rmem/client/remote_server.hpp"
#include "rmem/wire/message.hpp"
#include "tess/rmem.hpp"

namespace tess::rmem {

/// Where a region's bytes are: its parts in order.
struct layout {
  address base = 0;
  std::uint64_t size = 0;
  std::vector<wire::part> parts;
};

class fleet {
 public:
  /// Servers with `+` between; each is one or, with a comma between, a pair.
  explicit fleet(std::string const& where);

  /// The first one must be there; what cannot be reached of the others is an error to who wants it.
  void meet();
  [[nodiscard]] bool is_one() const { return servers_.size() == 1; }
  [[nodiscard]] std::vector<std::unique_ptr<one_server>> const& servers() const { return servers_; }
  /// Has the names.
  [[nodiscard]] one_server& first() const { return *servers_.front(); }
  [[nodiscard]] one_server& of(address a) const;
  [[nodiscard]] std::shared_ptr<layout const> layout_at(address a);
  /// Null: it was not asked for yet.
  [[nodiscard]] std::shared_ptr<layout const> known_layout(address a) const;
  void forget(address of);
  std::shared_ptr<layout const> remember(wire::message const& opened, std::span<std::byte const> others);

  /// Regions that are larger than this for each server have a part on each.
  static constexpr std::uint64_t part_bytes_min = std::uint64_t{1} << 20;
  /// The message is for the first server, which is the last that is asked.
  connection::answer create(wire::message const& m, std::string_view name, std::vector<std::string>& owners);

  struct step {
    one_server* at;
    address from;
    std::size_t offset;
    std::size_t bytes;
  };
  /// The steps of a transfer. Throws before the first if it leaves the region.
  [[nodiscard]] std::vector<step> steps(layout const& of, address from, std::size_t bytes) const;
  void prepare();
  void move(bool reads, address from, std::byte* memory, std::size_t bytes);
  void start(transfer& t) noexcept;
  [[nodiscard]] bool move_mapped(bool reads, address from, std::byte* memory, std::size_t bytes);

 private:
  [[nodiscard]] std::uint8_t number_of(one_server& s) const;
  void start_known(transfer& t, layout const& of) noexcept;

  std::vector<std::unique_ptr<one_server>> servers_;
  mutable std::shared_mutex mutex_;
  std::map<address, std::shared_ptr<layout const>> known_;
};

}  // namespace tess::rmem
