// wireup: the copies of the program, from the tile table, and their barrier: a counter in the first tile's memory, and
// a word in each, to which the one that comes last writes.
#include <malloc.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string_view>

#include "fabric/choice.hpp"
#include "fabric/tile/places.hpp"
#include "fabric/tile/tile.hpp"
#include "tess/detail/platform.hpp"

// Marks the program's file as one with a place on every tile: a note (SHT_NOTE) of name "Tessera" and type 2.
asm(".pushsection .note.tessera, \"a\", @note\n"
    ".p2align 2\n"
    ".4byte 8, 0, 2\n"
    ".asciz \"Tessera\"\n"
    ".popsection\n");

namespace tess::detail {

namespace hw = tile_registers;

namespace {

/// All use the first place's: the program's image is at the same address in every tile-local memory.
constinit std::atomic<std::uint64_t> arrivals{0};
/// Each its own: the last round in which all have come.
constinit std::atomic<std::uint64_t> met{0};

class tile_wireup final : public wireup {
 public:
  [[nodiscard]] place_id place() const noexcept override { return places_.own(); }
  [[nodiscard]] place_id places() const noexcept override { return places_.places(); }
  [[nodiscard]] unsigned processes_here() const noexcept override { return 1; }

  bool meet(std::chrono::milliseconds most) noexcept override {
    // Later jobs of the same program continue to count.
    static std::uint64_t rounds = 0;
    std::uint64_t const round = ++rounds;
    if (word_of(0, arrivals).fetch_add(1) + 1 == round * places_.places()) {
      for (unsigned p = 0; p < places_.places(); ++p) word_of(static_cast<place_id>(p), met).store(round);
      return true;
    }
    // Looks at the first tile's word would fill its link: from some forty places on, what that tile itself asks for
    // would not get out, and its place would never come.
    auto const until = std::chrono::steady_clock::now() + most;
    for (unsigned looks = 1; met.load() < round; ++looks) {
      spin_pause();
      // Reading the clock is a system call.
      if (looks % 64 == 0 && std::chrono::steady_clock::now() > until) return false;
    }
    return true;
  }

 private:
  std::atomic<std::uint64_t>& word_of(place_id p, std::atomic<std::uint64_t>& own) noexcept {
    return *reinterpret_cast<std::atomic<std::uint64_t>*>(places_.word(p, reinterpret_cast<std::uint64_t>(&own)));
  }

  tile_places places_;
};

}  // namespace

bool on_machine() noexcept {
  // The simulator sets it for all of its programs.
  return std::getenv("TESS_TIMING") != nullptr;
}

bool on_tiles() noexcept {
  char const* const timing = std::getenv("TESS_TIMING");
  return timing != nullptr && std::string_view(timing) == "on";
}

unsigned harts_of_tile() noexcept {
  return static_cast<unsigned>(hw::information_field(hw::information::harts));
}

std::unique_ptr<wireup> make_tile_wireup() {
  if (!on_tiles())
    throw error("--fabric tile", "there are no tiles", "a machine with time: tess run --machine nemesys-4x4 PROGRAM");
  // One arena: a thread's own would need 64 MiB of addresses, which a local window does not have. Each of its
  // allocations would fail to reserve them and then become a mapping of its own.
  mallopt(M_ARENA_MAX, 1);
  return std::make_unique<tile_wireup>();
}

}  // namespace tess::detail
