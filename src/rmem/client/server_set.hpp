// server_set: the servers of one client, chosen by the top bits of an address, and the regions that span several.
//
//   All addresses of a region that spans several servers are those of the server of its first part. That server, the
//   first of the set, has the region's name and knows where the other parts are. A client that sees an address for the
//   first time asks for this, and caches it: addresses are never used twice.
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
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rmem/client/remote_server.hpp"
#include "rmem/wire/message.hpp"
#include "tess/rmem.hpp"

namespace tess::rmem {

/// Where the bytes of a region are: its parts in order.
struct layout {
  address base = 0;
  std::uint64_t size = 0;
  std::vector<wire::part> parts;
};

/// A name as it is sent. A longer one than a server takes is refused here: a server would end the connection.
[[nodiscard]] std::span<std::byte const> bytes_of_name(std::string_view name);

class server_set {
 public:
  /// Servers separated by `+`; each is one address, or a replicated pair separated by a comma.
  explicit server_set(std::string const& where);

  /// Connects to all. The first must be up; another that is lost is an error when it is used.
  void connect();
  [[nodiscard]] bool is_single() const { return servers_.size() == 1; }
  [[nodiscard]] std::vector<std::unique_ptr<remote_server>> const& servers() const { return servers_; }
  /// The server that has the names.
  [[nodiscard]] remote_server& first() const { return *servers_.front(); }
  [[nodiscard]] remote_server& server_of(address a) const;
  [[nodiscard]] std::shared_ptr<layout const> layout_at(address a);
  /// Null: it was not asked for yet.
  [[nodiscard]] std::shared_ptr<layout const> cached_layout(address a) const;
  void drop_layout(address base);
  std::shared_ptr<layout const> cache_layout(wire::message const& opened, std::span<std::byte const> others);

  /// A region with more bytes than this for each server gets a part on each.
  static constexpr std::uint64_t part_bytes_min = std::uint64_t{1} << 20;
  /// `m` is the request for the whole region. The first server, which has the name, is asked last.
  connection::answer create(wire::message const& m, std::string_view name, std::vector<std::string>& owners);

  struct step {
    remote_server* server;
    address from;
    std::size_t offset;
    std::size_t bytes;
  };
  /// The steps of a transfer. Throws if it leaves the region.
  [[nodiscard]] std::vector<step> steps(layout const& of, address from, std::size_t bytes) const;
  void prepare();
  void move(bool reads, address from, std::byte* memory, std::size_t bytes);
  void start(transfer& t) noexcept;
  [[nodiscard]] bool move_mapped(bool reads, address from, std::byte* memory, std::size_t bytes);

 private:
  [[nodiscard]] std::uint8_t number_of(remote_server& s) const;
  void start_steps(transfer& t, layout const& of) noexcept;

  std::vector<std::unique_ptr<remote_server>> servers_;
  mutable std::shared_mutex mutex_;
  std::map<address, std::shared_ptr<layout const>> layouts_;
};

}  // namespace tess::rmem
