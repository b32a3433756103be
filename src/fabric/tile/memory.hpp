// memory: the part of a place's state in tile-local memory, which other tiles access by DMA and words past all caches.
//
//   It is a section of the program's image, at the same address in every tile. The image begins in the tile-local
//   memory; with `tess run --image memory` only this section is there.
//
// Threads  as each part says.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tess/machine/system_place.hpp"

namespace tess::detail {

struct tile_memory {
  static constexpr std::size_t line_bytes = machine::system::line_bytes;
  static constexpr std::size_t chunk_bytes = 4096 + 128;
  static constexpr unsigned chunks_max = 31;
  static constexpr unsigned dma_buffers = 8;

  using unit_counter = machine::system::unit_counter;

  /// Messages to other tiles, which fetch them and then set the word below to 0.
  alignas(line_bytes) std::byte chunks[chunks_max][chunk_bytes];
  alignas(line_bytes) std::atomic<std::uint64_t> chunk_used[chunks_max];
  /// Targets of DMA from other tiles, in whole lines.
  alignas(line_bytes) std::byte dma_buffer[dma_buffers][chunk_bytes + line_bytes];
  alignas(line_bytes) std::atomic<std::uint64_t> dma_buffer_used[dma_buffers];
  unit_counter dma;
  unit_counter write_back;
  /// Commands to the accelerators for graphs.
  using graph_cell = machine::system::graph_cell;
  using arrival = machine::system::arrival;
  static constexpr std::size_t call_bytes = machine::system::call_bytes;
  static constexpr unsigned graph_cells_max = 16;
  graph_cell graph_cells[graph_cells_max];
  /// M of incoming calls. If the system kernel serves them, some belong to each caller.
  static constexpr unsigned arrivals_max = 256;
  arrival arrivals[arrivals_max];
  /// Ranges under way, by the hart that requested them.
  static constexpr unsigned harts_max = 64;
  unit_counter ranges[harts_max];
  /// Harts of this tile sleep on it; it changes when there is something for them.
  alignas(line_bytes) std::atomic<std::uint64_t> calls;
  /// What the system kernel and this program share; and whether it serves this program.
  machine::system::place_block system;
  std::atomic<bool> by_kernel;

  /// For messages that the runtime composes in place.
  static constexpr std::size_t buffers_bytes = std::size_t{2} << 20U;

  [[nodiscard]] static tile_memory& own() noexcept;
  [[nodiscard]] static std::span<std::byte> own_buffers() noexcept;  ///< buffers_bytes
};

}  // namespace tess::detail
