// peer_process: the process at the other end of a local socket; the kernel says when it has ended.
#pragma once

#include "rmem/wire/descriptor.hpp"
#include "rmem/wire/stream.hpp"

namespace tess::memd::replication {

class peer_process {
 public:
  peer_process() = default;
  /// Takes the other end of this open connection; nothing is known of one by TCP.
  explicit peer_process(rmem::stream const& of);

  [[nodiscard]] bool has_ended() const;

 private:
  rmem::descriptor process_;  // as of pidfd_open(2)
};

}  // namespace tess::memd::replication
