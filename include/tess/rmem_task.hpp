// rmem_task: remote memory for tasks: the task waits, its worker does not.
//
//     auto const r = co_await tess::rmem::open("matrix", tess::rmem::rights::read_write);
//     co_await tess::rmem::memread(local.data(), r + offset, bytes);
//
//   Transfers have any size: they are cut into pieces that overlap, and those of several tasks share a connection.
//   Where a local server lends its memory, a transfer is a copy by the task itself, which lets others have their turns
//   in between. The first form of each uses the client of TESS_RMEM, or of the program's own server (tess/rmem.hpp).
//
// Units    bytes.
// Threads  tasks of any place; each process has its own connections. Memory must stay until the co_await ends.
// Errors   as in tess/rmem.hpp: refused, lost. Nothing coming for TESS_FAILURE_TIMEOUT seconds is lost, too.
//          A task that is asked to stop meanwhile still waits for its transfer, for the memory is in use.
// Cost     mapped: the copy, and a frame. By the socket: two wake-ups of threads and a round trip, which tasks share.
// Source   RMem (MultiProg 2019), section 4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tess/rmem.hpp"
#include "tess/task.hpp"

namespace tess::rmem {

/// The region of this name; throws refused unless all of `wanted` is held.
[[nodiscard]] task<region> open(std::string name, rights wanted);
[[nodiscard]] task<region> open(client& with, std::string name, rights wanted);

/// Of zeros. `for_users`: what every user of the server's host may do.
[[nodiscard]] task<region> create(std::string name, std::uint64_t size, rights for_users = rights::none);
[[nodiscard]] task<region> create(client& with, std::string name, std::uint64_t size, rights for_users = rights::none);

/// Removes the region.
[[nodiscard]] task<void> remove(region of);
[[nodiscard]] task<void> remove(client& with, region of);

/// Copies bytes from a region.
[[nodiscard]] task<void> memread(void* to, address from, std::size_t bytes);
[[nodiscard]] task<void> memread(client& with, void* to, address from, std::size_t bytes);

/// Copies bytes to a region.
[[nodiscard]] task<void> memwrite(address to, void const* from, std::size_t bytes);
[[nodiscard]] task<void> memwrite(client& with, address to, void const* from, std::size_t bytes);

/// default_client(), which at its first call may start a server.
[[nodiscard]] task<client*> find_client();

}  // namespace tess::rmem
