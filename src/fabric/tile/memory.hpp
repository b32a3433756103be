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

namespace tess::detail {

struct tile_memory {
  static constexpr std::size_t line_bytes = 64;  ///< no cache has longer lines
  static constexpr std::size_t chunk_bytes = 4096 + 128;
  static constexpr unsigned chunks_max = 31;
  static constexpr unsigned dma_buffers = 8;

  /// A command's counter (registers.hpp).
  struct alignas(32) unit_counter {
    std::uint64_t volatile value = 0;
    std::uint64_t volatile error = 0;
    std::uint64_t volatile notify = 0;
    std::uint64_t volatile cookie = 0;
  };

  /// Messages to other tiles, which fetch them and then set the word below to 0.
  alignas(line_bytes) std::byte chunks[chunks_max][chunk_bytes];
  alignas(line_bytes) std::atomic<std::uint64_t> chunk_used[chunks_max];
  /// Targets of DMA from other tiles, in whole lines.
  alignas(line_bytes) std::byte dma_buffer[dma_buffers][chunk_bytes + line_bytes];
  alignas(line_bytes) std::atomic<std::uint64_t> dma_buffer_used[dma_buffers];
  unit_counter dma;
  unit_counter write_back;
  /// Words of a cell's metadata. The NCA writes the first two.
  enum cell_word : std::uint8_t { cell_objects, cell_bytes, cell_message, cell_arrival, cell_root };
  static constexpr std::size_t call_bytes = 448;
  /// A command to the accelerators for graphs; for a call it is M of NEMESYS.
  struct alignas(line_bytes) graph_cell {
    std::uint64_t volatile metadata[line_bytes / sizeof(std::uint64_t)];  ///< a whole line
    std::byte message[call_bytes];                                        ///< of a call
    unit_counter read;                                                    ///< the graph has been traversed, or copied
    unit_counter moved;                                                   ///< its copy has arrived
    unit_counter traversed;                                               ///< of a call: its writeback
    std::atomic<std::uint64_t> held;                                      ///< the target still needs M
    std::atomic<void*> staging;                                           ///< owner of the intermediate copy
  };
  static constexpr unsigned graph_cells_max = 16;
  graph_cell graph_cells[graph_cells_max];
  /// Targets of the DMA that fetches M of incoming calls.
  static constexpr unsigned arrivals_max = 64;
  alignas(line_bytes) std::byte arrivals[arrivals_max][line_bytes + call_bytes];
  /// Ranges under way, by the hart that requested them.
  static constexpr unsigned harts_max = 64;
  unit_counter ranges[harts_max];
  /// Harts of this tile sleep on it; it changes when there is something for them.
  alignas(line_bytes) std::atomic<std::uint64_t> calls;

  /// For messages that the runtime composes in place.
  static constexpr std::size_t buffers_bytes = std::size_t{2} << 20U;

  [[nodiscard]] static tile_memory& own() noexcept;
  [[nodiscard]] static std::span<std::byte> own_buffers() noexcept;  ///< buffers_bytes
};

}  // namespace tess::detail
