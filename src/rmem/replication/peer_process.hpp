// peer_process: the process at the other end of a local socket; the kernel says when it has ended.
#pragma once

#include "rmem/wire/descriptor.hpp"
#include "rmem/wire/stream.hpp"

namespace tess::memd::replication {

class peer_process {
 public:
  peer_process() = default;
  /// Of an open connection. Of one by TCP nothing is known.
  explicit peer_process(rmem::stream const& of);

  [[nodiscard]] bool has_ended() const;

 private:
  rmem::descriptor process_;  // as of pidfd_open(2)
};

}  // namespace tess::memd::replication
