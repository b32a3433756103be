// blocks: copies between a PE's own memory and that of others.
//
//   By the network interface where the machine has one: through the caches of both tiles, wherever the bytes are. By
//   DMA from and to tile-local memories, of which no cache has a copy that could be stale; bytes that do not lie alike
//   in a line go through a buffer, and edges by words. Otherwise word by word: a get has 32 of them under way, a put
//   does not wait for its words.
//
// Units     bytes; `address` is what the other PE calls it.
// Threads   any; each hart has its own buffer and devices.
// Cost      complete() waits for what a put has under way.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tess::shmem::blocks {

/// All PEs, before they use it; after another meeting of all the others may.
void open();
/// The source may change when it returns.
void put(int pe, std::uint64_t address, std::byte const* source, std::size_t bytes);
void get(int pe, std::uint64_t address, std::byte* target, std::size_t bytes);
void complete();

}  // namespace tess::shmem::blocks
