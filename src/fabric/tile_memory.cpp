// tile_memory: one object of the program's image.
#include "fabric/tile_memory.hpp"

namespace tess::detail {

tile_memory& tile_memory::own() noexcept {
  static constinit tile_memory memory{};
  return memory;
}

}  // namespace tess::detail
