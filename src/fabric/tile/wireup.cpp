// wireup: the tile table says who there is; all meet at a counter in the first place's tile-local memory.
#include <malloc.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string_view>

#include "fabric/choice.hpp"
#include "fabric/tile/places.hpp"
#include "fabric/tile/tile.hpp"
#include "tess/detail/platform.hpp"

// Says in the program's file that it has a place on every tile: a note (SHT_NOTE) of name "Tessera" and type 2.
asm(".pushsection .note.tessera, \"a\", @note\n"
    ".p2align 2\n"
    ".4byte 8, 0, 2\n"
    ".asciz \"Tessera\"\n"
    ".popsection\n");

namespace tess::detail {

namespace hw = tile_registers;

namespace {

/// Of all places that of the first: the program's image lies at the same address in every tile-local memory.
constinit std::atomic<std::uint64_t> arrivals{0};

class tile_wireup final : public wireup {
 public:
  [[nodiscard]] place_id place() const noexcept override { return places_.own(); }
  [[nodiscard]] place_id places() const noexcept override { return places_.places(); }
  [[nodiscard]] unsigned processes_here() const noexcept override { return 1; }

  bool meet(std::chrono::milliseconds most) noexcept override {
    // One after the other of the same program count on.
    static std::uint64_t rounds = 0;
    auto& all =
        *reinterpret_cast<std::atomic<std::uint64_t>*>(places_.word(0, reinterpret_cast<std::uint64_t>(&arrivals)));
    all.fetch_add(1);
    std::uint64_t const wanted = ++rounds * places_.places();
    auto const until = std::chrono::steady_clock::now() + most;
    for (unsigned looks = 1; all.load() < wanted; ++looks) {
      spin_pause();
      // Asking for the time is a system call.
      if (looks % 64 == 0 && std::chrono::steady_clock::now() > until) return false;
    }
    return true;
  }

 private:
  tile_places places_;
};

}  // namespace

bool on_machine() noexcept {
  // The simulator says it to all its programs; nobody else does.
  return std::getenv("TESS_TIMING") != nullptr;
}

bool on_tiles() noexcept {
  char const* const timing = std::getenv("TESS_TIMING");
  return timing != nullptr && std::string_view(timing) == "on";
}

unsigned harts_of_tile() noexcept {
  return static_cast<unsigned>(hw::inform(hw::information::harts));
}

std::unique_ptr<wireup> make_tile_wireup() {
  if (!on_tiles())
    throw error("--fabric tile", "there are no tiles", "a machine with time: tess run --machine nemesys-4x4 PROGRAM");
  // One arena: another thread's own would be 64 MiB of addresses, which no local window has, and each of its
  // allocations would first try to get them and then be a mapping of its own.
  mallopt(M_ARENA_MAX, 1);
  return std::make_unique<tile_wireup>();
}

}  // namespace tess::detail
