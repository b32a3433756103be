// server: one I/O cluster's DDR as named, protected regions, served by one hart that never waits for a client.
//
//   Bounds and rights are checked for every request before a window is opened or a byte is sent. The rights are those
//   of `tess memd` (src/rmem/store/rights.hpp), with clusters as users; the network says which cluster sent a message.
//   A window is for one write and closes with it, so a permission is used once.
//
// Threads   one hart of the cluster.
// Errors    every refusal is a response (status); data that a client does not accept are counted in `lost`.
#pragma once

#include <optional>
#include <vector>

#include "ipc.hpp"
#include "protocol.hpp"
#include "rmem/store/rights.hpp"

namespace mppa {

class rmem_server {
 public:
  rmem_server();

  /// Executes a request; false if the message is not one of this file's operations.
  bool serve(mailbox::message const& came);
  [[nodiscard]] std::uint64_t lost() const noexcept { return lost_; }

 private:
  struct region {
    std::array<std::uint64_t, 2> name;
    std::uint64_t begin;  ///< offset in the DDR
    std::uint64_t bytes;
    tess::memd::grants granted;
  };
  struct found {
    status how = status::no_region;
    std::uint64_t where = 0;  ///< global address
  };
  static constexpr std::size_t regions_max = 64;

  [[nodiscard]] region* at(std::uint64_t address);
  /// Bounds and rights; `lines`: whole lines are needed.
  [[nodiscard]] found check(mailbox::message const& came, std::uint32_t needed, bool lines = true);
  mailbox::words create(mailbox::message const& came);
  mailbox::words open(mailbox::message const& came);
  status grant(mailbox::message const& came);
  mailbox::words write(mailbox::message const& came);
  std::optional<status> read(mailbox::message const& came);
  status write_bytes(mailbox::message const& came);

  std::uint64_t own_;
  std::uint64_t number_;  ///< the server's number in addresses
  std::uint64_t memory_;  ///< global address of the DDR
  std::uint64_t memory_bytes_;
  std::uint64_t scratchpad_bytes_;          ///< of every cluster
  std::vector<std::uint64_t> scratchpads_;  ///< by cluster: begin of its memory
  std::vector<region> regions_;             ///< ordered by begin, without gaps
  portal_sender sender_;
  std::uint64_t lost_ = 0;
};

}  // namespace mppa
