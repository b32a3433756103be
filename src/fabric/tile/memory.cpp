// memory: two objects of the program's image.
#include "fabric/tile/memory.hpp"

namespace tess::detail {

tile_memory& tile_memory::own() noexcept {
  static constinit tile_memory memory{};
  return memory;
}

std::span<std::byte> tile_memory::own_buffers() noexcept {
  alignas(line_bytes) static constinit std::byte buffers[buffers_bytes]{};
  return buffers;
}

}  // namespace tess::detail
