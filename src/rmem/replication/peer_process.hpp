// peer_process: the process at the other end of a local socket; the kernel says when it has ended.
//
//   That process may be a proxy, whose end says nothing of the server behind it. So the server says over the connection
//   which process it is, and only if that is the one that the kernel names, its end counts.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "rmem/wire/descriptor.hpp"
#include "rmem/wire/stream.hpp"

namespace tess::memd::replication {

/// A process's number, and the namespace in which it has that; zeros: unknown.
struct process_name {
  std::uint64_t number = 0;
  std::uint64_t space = 0;
  bool operator==(process_name const&) const = default;
  [[nodiscard]] static process_name own();
};

class peer_process {
 public:
  peer_process() = default;
  /// Takes the other end of this open connection; nothing is known of one by TCP.
  explicit peer_process(rmem::stream const& of);

  /// What the server at the other end says of itself.
  void says(process_name const& name) { said_ = name; }
  [[nodiscard]] bool has_ended() const;

 private:
  rmem::descriptor process_;  // as of pidfd_open(2)
  process_name name_{};       // as the kernel says
  process_name said_{};
};

}  // namespace tess::memd::replication
