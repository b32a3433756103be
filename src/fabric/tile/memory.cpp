// memory: the section of the image that must be in the tile-local memory, wherever the rest of the image is.
#include "fabric/tile/memory.hpp"

#include <new>
#include <type_traits>

namespace tess::detail {

namespace {

static_assert(std::is_trivially_destructible_v<tile_memory>);

/// Whole pages of zeros, as the loader places pages; without contents in the file, which an attribute cannot say.
[[gnu::noinline, gnu::used]] void reserve() noexcept {
  asm volatile(
      ".pushsection tess_tlm, \"aw\", @nobits\n"
      ".balign 4096\n"
      "tess_tile_memory:\n.skip %0\n"
      ".balign 4096\n"
      "tess_tile_buffers:\n.skip %1\n"
      ".balign 4096\n"
      ".popsection"
      :
      : "i"(sizeof(tile_memory)), "i"(tile_memory::buffers_bytes));
}

}  // namespace

tile_memory& tile_memory::own() noexcept {
  // All its members start as zeros.
  tile_memory* memory;
  asm("lla %0, tess_tile_memory" : "=r"(memory));
  return *std::launder(memory);
}

std::span<std::byte> tile_memory::own_buffers() noexcept {
  std::byte* buffers;
  asm("lla %0, tess_tile_buffers" : "=r"(buffers));
  return {buffers, buffers_bytes};
}

}  // namespace tess::detail
