// memory: what of a place lies in its tile-local memory, where other tiles' DMA and words meet no caches.
//
//   The program's image begins there, so an object of static storage lies there, at the same address in every tile.
//
// Threads  as each part says.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tess::detail {

struct tile_memory {
  static constexpr std::size_t line_bytes = 64;  ///< No cache has longer ones.
  static constexpr std::size_t chunk_bytes = 4096 + 128;
  static constexpr unsigned chunks_max = 31;
  static constexpr unsigned landings = 8;

  /// A command's counter (registers.hpp).
  struct alignas(32) unit_counter {
    std::uint64_t volatile value = 0;
    std::uint64_t volatile error = 0;
    std::uint64_t volatile notify = 0;
    std::uint64_t volatile cookie = 0;
  };

  /// Messages on their way to other tiles, which fetch them from here and then set the word below to 0.
  alignas(line_bytes) std::byte chunks[chunks_max][chunk_bytes];
  alignas(line_bytes) std::atomic<std::uint64_t> chunk_used[chunks_max];
  /// Where DMA brings what others have: whole lines.
  alignas(line_bytes) std::byte landing[landings][chunk_bytes + line_bytes];
  alignas(line_bytes) std::atomic<std::uint64_t> landing_used[landings];
  unit_counter dma;
  unit_counter write_back;
  /// Words of a cell's metadata: the NCA writes the first two.
  enum cell_word : std::uint8_t { cell_objects, cell_bytes, cell_message, cell_arrival, cell_root };
  static constexpr std::size_t call_bytes = 448;
  /// Commands to the accelerators for graphs; of a call it is M.
  struct alignas(line_bytes) graph_cell {
    std::uint64_t volatile metadata[line_bytes / sizeof(std::uint64_t)];  ///< A whole line.
    std::byte message[call_bytes];                                        ///< Of a call.
    unit_counter read;                                                    ///< The graph has been traversed, or copied;
    unit_counter moved;                                                   ///< and its copy is where it belongs.
    unit_counter traversed;                                               ///< Of a call: its writeback.
    std::atomic<std::uint64_t> held;                                      ///< The target still needs M.
    std::atomic<void*> staging;                                           ///< Owner of the intermediate copy.
  };
  static constexpr unsigned graph_cells_max = 16;
  graph_cell graph_cells[graph_cells_max];
  /// Where DMA brings M of calls that come.
  static constexpr unsigned arrivals_max = 64;
  alignas(line_bytes) std::byte arrivals[arrivals_max][line_bytes + call_bytes];
  /// Ranges that a hart has asked for.
  static constexpr unsigned harts_max = 64;
  unit_counter ranges[harts_max];
  /// Changed by whoever has something for the harts of this tile: they sleep on it.
  alignas(line_bytes) std::atomic<std::uint64_t> calls;

  /// For messages that the runtime writes itself.
  static constexpr std::size_t buffers_bytes = std::size_t{2} << 20U;

  [[nodiscard]] static tile_memory& own() noexcept;
  [[nodiscard]] static std::span<std::byte> own_buffers() noexcept;
};

}  // namespace tess::detail
