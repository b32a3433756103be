// rmem_task: remote memory for tasks: a transfer suspends the task, and its worker runs others.
//
//     auto const r = co_await tess::rmem::open("matrix", tess::rmem::rights::read_write);
//     co_await tess::rmem::memread(local.data(), r + offset, bytes);
//
//   Transfers have any size: they are cut into chunks that overlap, and transfers of several tasks share a connection.
//   If a local server lends its memory, the task itself copies, and yields to others in between. The first form of each
//   function uses the client of the server that TESS_RMEM names, or of the program's private server (tess/rmem.hpp).
//
// Units    bytes.
// Threads  tasks of any place; each process has its own connections. Memory must stay valid until the co_await ends.
// Errors   as in tess/rmem.hpp: refused, lost. A server that is silent for TESS_FAILURE_TIMEOUT seconds is lost, too.
//          A task that is asked to stop still waits for its transfer, because the memory is in use.
// Cost     mapped: the copy, and a frame. Through the socket: two thread wake-ups and a round trip, which tasks share.
// Source   RMem (MultiProg 2019), section 4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tess/rmem.hpp"
#include "tess/task.hpp"

namespace tess::rmem {

/// Finds the region of this name; throws refused unless all of `wanted` is held.
[[nodiscard]] task<region> open(std::string name, rights wanted);
[[nodiscard]] task<region> open(client& with, std::string name, rights wanted);

/// Creates a region of zeros. `for_users`: the rights of every user of the server's host.
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

/// default_client(), whose first call may start a server, without blocking the worker.
[[nodiscard]] task<client*> find_client();

}  // namespace tess::rmem
