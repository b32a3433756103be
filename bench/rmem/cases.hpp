// cases: the rows of `tess bench rmem`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/suite.hpp"
#include "other_processes.hpp"
#include "tess/rmem.hpp"

namespace bench {

/// A client by TCP, which gets no mapping, with all rights on `r`.
inline std::unique_ptr<tess::rmem::client> by_tcp(memory_server const& server, tess::rmem::region const& r) {
  tess::rmem::client owner(server.local());
  std::vector<std::string> const tokens{owner.grant_token(r.base, tess::rmem::rights::read_write)};
  return std::make_unique<tess::rmem::client>(server.remote(), tokens);
}

/// memread and memwrite of 1 KiB to 64 MiB through a mapping, against memcpy across a shared mapping.
void mapped_transfers(suite& to, memory_server const& server);
/// A memread of 64 bytes by the socket, against an empty call over TCP.
void round_trip(suite& to, memory_server const& server, echo& empty);
/// Several clients at once, against one; the slowest of them, against its share; and their processor time.
void several_clients(suite& to, memory_server const& server);
/// Writes to a primary with a backup, against those to one server. By TCP.
void replicated_writes(suite& to, memory_server const& server);
/// An array of 8 times its cache, by tasks, item by item and by tiles, against raw reads, and reads with the same loop.
void scans(suite& to, memory_server const& server);
/// Random items by many tasks, against one task.
void random_access(suite& to, memory_server const& server);

}  // namespace bench
