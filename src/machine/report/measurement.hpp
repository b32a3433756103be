// measurement: the counters of a run with time, by part: harts, tiles, links, memories.
//
//   A load is the share of the whole run in which the part was busy: for a link the cycles with a flit, for a bus those
//   with a transfer, for a memory those in which its port moved words.
// Units     cycles of the tiles' clock unless said otherwise; loads and rates from 0 to 1.
// Threads   one. At any time between two events of the kernel.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "machine/timed/timed_machine.hpp"

namespace tess::machine {

struct hart_measured {
  std::uint32_t tile = 0;
  std::uint32_t number = 0;
  std::uint64_t instructions = 0;
  std::uint64_t cycles = 0;  ///< Its local time; 0 if it never ran.
  hart_memory::statistics memory;
  pipeline::statistics issued;  ///< Zeros without a pipeline.
};

struct link_measured {
  std::uint32_t from = 0;  ///< Tile.
  std::uint32_t to = 0;    ///< Tile; equal to `from`: the exit from the network.
  std::uint64_t flits = 0;
  double load = 0;
};

/// The link from a tile into the network.
struct injection_measured {
  std::uint32_t tile = 0;
  network::source_statistics counted;
  double load = 0;
  double waiting = 0;  ///< Packets that wait in the tile, mean over the run.
};

struct nma_measured {
  nma::statistics counted;
  double load = 0;  ///< Share of the run in which it copied.
};

struct nca_measured {
  graph_writeback::statistics counted;
  double load = 0;  ///< Share of the run in which it traversed.
};

struct memory_measured {
  memory_port::statistics port;
  dram::statistics dram;
  double load = 0;      ///< The port's.
  double bus_load = 0;  ///< The DRAM data bus's.
  nma_measured accelerator;
};

struct tile_measured {
  std::uint32_t number = 0;
  bool has_memory = false;
  double bus_load = 0;
  std::uint64_t bus_wait_cycles = 0;  ///< Sum over all accesses.
  l2_private::statistics l2;
  adapter::statistics adapter;
  double adapter_latency_cycles = 0;  ///< Mean over requests, from the adapter to the answer.
  double adapter_load = 0;            ///< Share of the run with a transaction in flight.
  nca_measured accelerator;
  object_lookaside::statistics objects;
  std::uint64_t system_cycles = 0;          ///< In which the system's hart did not sleep; 0 if it runs nothing.
  atomics_interface::statistics atomics;    ///< Zero if there is none.
  network_interface::statistics interface;  ///< The same.
  directory::statistics lines;              ///< Those whose home is the tile.
  memory_measured memory;
  energy_counts energy;  ///< Zeros without [energy].
};

/// A unit of one's own in a tile, with what it counts.
struct own_unit_measured {
  std::string name;
  std::uint32_t tile = 0;
  std::vector<std::pair<std::string, std::uint64_t>> counted;  ///< In the order of its first tile.
};

struct measurement {
  std::uint64_t simulated_ps = 0;
  std::uint64_t cycles = 0;
  std::uint64_t instructions = 0;
  std::uint64_t fast_forwarded = 0;  ///< Instructions before, without time; in no other number.
  std::uint64_t events = 0;
  machine_counts part;  ///< The measured part
  energy_counts part_energy;
  bool part_is_marked = false;  ///< if the program marked one, otherwise the run.
  std::uint32_t program_tiles = 0;
  std::vector<hart_measured> harts;  ///< Harts that may run the program.
  std::vector<tile_measured> tiles;
  std::vector<link_measured> links;
  std::vector<injection_measured> injections;
  std::vector<region_total> regions;         ///< That the program has marked.
  std::vector<own_unit_measured> own_units;  ///< By the order of the machine file, then by tile.

  /// Sums over all harts and tiles.
  [[nodiscard]] hart_memory::statistics hart_memory_sum() const;
  [[nodiscard]] pipeline::statistics issued_sum() const;
  /// Each unit of one's own once, with what all of its tiles counted together; `tile` is how many they are.
  [[nodiscard]] std::vector<own_unit_measured> own_unit_sums() const;
  [[nodiscard]] energy_counts energy_sum() const;
  [[nodiscard]] l2_private::statistics l2_sum() const;
  [[nodiscard]] memory_measured memory_sum() const;  ///< Loads are means over the memories.
  /// The busiest link between tiles; null: there is none.
  [[nodiscard]] link_measured const* busiest_link() const;
  [[nodiscard]] double mean_link_load() const;
};

/// The part of the machine that was busy for the largest share of the run.
struct bottleneck {
  enum class kind : std::uint8_t { none, bus, memory_port, dram_bus, nma, nca, link, exit, injection };
  kind is = kind::none;
  std::uint32_t from = 0;  ///< Its tile; of a link between tiles, where it begins
  std::uint32_t to = 0;    ///< and where it ends.
  double load = 0;         ///< An injection link with packets that wait all the time counts as busy all the time.
};
[[nodiscard]] bottleneck bottleneck_of(measurement const& run);

[[nodiscard]] measurement measure(timed_machine const& of);

/// Share of column commands; a row that was closed before its command was opened in vain.
[[nodiscard]] double row_hit_rate(dram::statistics const& counted) noexcept;

/// 0 of 0 is 0.
[[nodiscard]] constexpr double share(std::uint64_t part, std::uint64_t whole) noexcept {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace tess::machine
