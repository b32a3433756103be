// choice: the names of the fabrics, and what distinguishes them before they exist.
#include "fabric/choice.hpp"

#include <utility>

#include "fabric/tile/tile.hpp"
#include "fabric/ucx/ucx.hpp"

namespace tess::detail {

namespace {

/// If several places are wanted of a program that runs on one tile only, they are in its process.
bool spreads_over_tiles(unsigned places) {
  return on_tiles() && (places <= 1 || make_tile_wireup()->places() > 1);
}

bool is_known(std::string const& name) {
  return name == "smp" || name == "ucx" || name == "tile" || name == "checked" || name == "hostile";
}

}  // namespace

fabric_choice::fabric_choice(fabric_options options) : options_(std::move(options)) {
  // A wrong value is an error on every fabric.
  static_cast<void>(read_tile_options());
  std::string& name = options_.name;
  if (name.empty()) name = spreads_over_tiles(options_.places) ? "tile" : "smp";
  if (!is_known(name)) throw error("TESS_FABRIC", "`" + name + "`", "smp, ucx, tile, checked or hostile");
  if (name == "ucx") processes_ = make_wireup(options_.failure_timeout);
  if (name == "tile") tiles_ = make_tile_wireup();
  wireup const* const all = programs();
  unsigned const wanted = options_.places;
  if (all == nullptr || wanted == 0 || wanted == all->places()) return;
  // A launcher passes on the messages of every process. On tiles one program reports the error for all.
  if (name == "tile" && all->place() != 0) throw reported_by_place_0();
  std::string const found = std::to_string(wanted) + ", but " + std::to_string(all->places());
  if (name == "tile")
    throw error("TESS_PLACES", found + " tiles run the program, and with the fabric tile each is one place",
                "at most as many as the machine has tiles for programs");
  throw error("TESS_PLACES", found + " processes were started, and with the fabric ucx each is one place",
              "a launcher: mpirun -n " + std::to_string(wanted) + " PROGRAM (apt-get install openmpi-bin)");
}

fabric_choice::~fabric_choice() = default;

wireup* fabric_choice::programs() const noexcept {
  return processes_ != nullptr ? processes_.get() : tiles_.get();
}

unsigned fabric_choice::harts() const noexcept {
  return options_.name == "tile" ? harts_of_tile() : 1;
}

bool fabric_choice::idle_threads_may_spin() const noexcept {
  // A hart of a tile sleeps and wakes within few cycles; spinning would load the bus that the others use.
  return options_.name != "tile";
}

std::unique_ptr<fabric> fabric_choice::make(thread_map const& threads, std::string identity) {
  fabric_options const& o = options_;
  std::unique_ptr<fabric> made;
  if (o.name == "ucx")
    made = make_ucx_fabric(threads, {o.windows, o.progress_thread, o.failure_timeout, std::move(identity)},
                           std::move(processes_));
  else if (o.name == "tile")
    made = make_tile_fabric(threads, read_tile_options(), std::move(tiles_));
  else if (o.name == "hostile")
    made = make_hostile_fabric(threads, o.seed);
  else
    made = make_smp_fabric(threads);
  if (o.delay.any()) made = make_delayed_fabric(std::move(made), threads, o.delay, o.seed);
  if (o.name == "checked" || o.name == "hostile") made = make_checked_fabric(std::move(made), threads);
  return made;
}

}  // namespace tess::detail
