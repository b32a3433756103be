// absent: the error of a program that is not compiled for the simulated machine when places on tiles are wanted.
#include "fabric/choice.hpp"
#include "fabric/tile/tile.hpp"

namespace tess::detail {

namespace {

[[noreturn]] void absent() {
  throw error("--fabric tile", "this program is not compiled for a simulated machine",
              "tess run --machine nemesys-4x4 PROGRAM, which takes the program that is");
}

}  // namespace

bool on_machine() noexcept {
  return false;
}

bool on_tiles() noexcept {
  return false;
}

unsigned harts_of_tile() noexcept {
  return 1;
}

std::unique_ptr<wireup> make_tile_wireup() {
  absent();
}

std::unique_ptr<fabric> make_tile_fabric(thread_map const&, tile_options const&, std::unique_ptr<wireup>) {
  absent();
}

}  // namespace tess::detail
