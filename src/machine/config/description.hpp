// description: a machine as its file describes it: checked, complete, with units; nothing is built yet.
//
// Units     in the names; cycles are of the tiles' clock unless stated otherwise.
// Source    the numbers of machines/*.toml, each with its source behind it.
#pragma once

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "machine/cache/cache_array.hpp"
#include "machine/cache/stride_prefetcher.hpp"
#include "machine/config/toml_table.hpp"
#include "machine/dram/parameters.hpp"
#include "machine/hart/pipeline_parameters.hpp"
#include "machine/map/address_map.hpp"
#include "machine/mmu/parameters.hpp"
#include "machine/network/parameters.hpp"

namespace tess::machine {

/// Data of a packet, and so of a line that travels: transaction::data_max.
inline constexpr std::uint32_t packet_data_max = 64;

struct hart_description {
  std::uint32_t application = 4;  ///< Per compute tile.
  std::uint32_t application_in_memory_tiles = 0;
  std::uint32_t system = 1;  ///< Per tile.
  std::uint32_t quantum_cycles = 64;
  std::uint32_t multiply_cycles = 1;
  std::uint32_t divide_cycles = 1;
  std::uint32_t float_add_cycles = 1;
  std::uint32_t float_multiply_cycles = 1;
  std::uint32_t float_divide_cycles = 1;
  std::uint32_t branch_taken_cycles = 0;  ///< Beyond the first cycle, as the others.
  std::uint32_t load_use_cycles = 0;      ///< Extra, of an instruction that reads what the one before it loads.
  std::uint32_t system_call_cycles = 0;   ///< For each emulated call.
};

/// What the system's hart of each tile does: unless the run says otherwise, nothing, or run the system kernel.
enum class system_choice : std::uint8_t { polled, kernel };

/// A machine whose system harts can run an operating system. Its instructions are executed: no cost of it is here.
struct system_description {
  system_choice runs = system_choice::polled;
  std::uint32_t trap_cycles = 0;  ///< To refill the pipeline when a trap is entered or left.
};

/// The buffer of entries of the object table that each hart has for extended addresses.
struct lookaside_description {
  std::uint32_t entries = 1;  ///< A power of two; direct-mapped.
  std::uint32_t hit_cycles = 0;
  std::uint32_t miss_cycles = 0;  ///< Beyond those of a hit: to fetch the entry from the tile's table.
};

struct bus_description {
  std::uint32_t bytes = 8;  ///< Moved per cycle.
  std::uint32_t arbitration_cycles = 1;
};

struct memory_description {
  std::vector<std::uint32_t> tiles;
  std::uint64_t size_bytes = 0;      ///< Per memory.
  std::uint32_t port_bytes = 8;      ///< Moved per cycle of the memory's clock.
  std::uint32_t access_cycles = 20;  ///< Memory cycles of a single access, from request to its first word.
};

struct adapter_description {
  std::uint32_t request_cycles = 4;   ///< From the bus into the network.
  std::uint32_t response_cycles = 4;  ///< From the network onto the bus.
  std::uint32_t header_bytes = 8;     ///< Per packet, before its data.
  std::uint32_t outstanding = 16;     ///< Requests of a tile for words, and as many for lines.
  std::uint32_t dma_packet_bytes = 64;
  std::uint32_t dma_packets = 4;  ///< Packets of one transfer in flight.
  std::uint32_t task_queue_entries = 16;
};

/// The accelerator of every memory tile. Cycles are of the memory's clock.
struct nma_description {
  std::uint32_t state_cycles = 1;   ///< For each state of the copy machine.
  std::uint32_t burst_bytes = 64;   ///< Size of its line registers, and of an access to the port.
  std::uint32_t stream_bursts = 8;  ///< Read ahead where addresses are known: arrays, and the linear map.
  std::uint32_t posted_writes = 8;  ///< In flight to the memory.
  std::uint32_t queue_entries = 16;
  std::uint64_t map_bytes = 0;  ///< Size of its copy map, the first bytes of the memory tile's own partition.
};

/// The accelerator of every tile's cache. Cycles are of the tile's clock.
struct nca_description {
  std::uint32_t state_cycles = 1;
  std::uint32_t queue_entries = 4;
  std::uint32_t stack_entries = 1024;
  std::uint32_t range_line_cycles = 1;    ///< For each line that an operation on a range visits.
  std::uint32_t range_queue_entries = 4;  ///< Range operations that wait for their turn.
};

/// A machine whose tiles are clusters: a program has its data, stacks and buffers in the cluster's own memory, and its
/// text and constants in a separate memory behind it. Other clusters are reached by messages and by copies into the
/// receive windows that they open. Only tiles with DDR have a partition. There are no accelerators.
struct cluster_description {
  std::uint64_t image_bytes = 0;  ///< 0: this machine has no clusters.
  std::uint64_t scratchpad_bytes = 0;
  std::uint64_t stack_bytes = 0;      ///< Per thread.
  std::uint32_t receive_windows = 0;  ///< Windows that a cluster can have open.
};

/// A machine whose L2s can have scratchpad lines and lines with events (src/machine/cni).
struct cni_description {
  std::uint32_t region_entries = 16;    ///< In the region table of a tile.
  std::uint32_t jobs = 16;              ///< For commands, and as many for events, in a tile's list.
  std::uint32_t job_cycles = 4;         ///< From the head of the list to a packet in the adapter.
  std::uint32_t combine_cycles = 8;     ///< Idle time after which combined stores are sent.
  std::uint32_t posted_stores = 8;      ///< In flight from a tile to others.
  std::uint64_t scratchpad_stride = 0;  ///< From tile to tile; a power of two.

  /// Numbers of the list: as many again as those of commands and events are for acknowledgements.
  [[nodiscard]] std::uint32_t listed_jobs() const noexcept { return 4 * jobs; }
};

/// What a directory does with a request: waits until it is done, or forwards it to the line's owner and goes on.
enum class coherence_protocol : std::uint8_t { blocking, forwarding };
/// The tile that has a line's record: that of its memory; one of all that run programs, in turn by address; or that of
/// its partition.
enum class line_homes : std::uint8_t { memory, interleaved, partition };

/// A machine whose L2s are coherent: it has directories (memory/directory.hpp). There are no accelerators, which would
/// bypass them.
struct coherence_description {
  coherence_protocol protocol = coherence_protocol::forwarding;
  line_homes homes = line_homes::interleaved;
  std::uint64_t interleave_bytes = 64;  ///< Addresses of one home in a row, if homes are interleaved.
  /// From a request's arrival at the line's home until its record is available.
  std::uint32_t directory_cycles = 0;
  std::uint32_t probe_cycles = 0;  ///< From a probe's arrival at an L2 until its answer leaves.
};

/// What happens to a line at the end of its main entry.
enum class rae_policy : std::uint8_t { free_at_once, retain };

/// The position of an interface for remote atomics: beside the memory of a node, or beside the L2 of a tile.
enum class rae_place : std::uint8_t { memory, l2 };

/// A machine whose network interfaces perform remote atomics (src/machine/rae). Beside the memory: a node is a core and
/// its memory, and there are no accelerators, which would bypass the interface. Beside the L2: there is no interface
/// cache, and accelerators work as usual.
struct rae_description {
  rae_place beside = rae_place::memory;
  /// Size of the interface cache, direct-mapped, with lines as long as the L2's; 0: none.
  std::uint64_t cache_bytes = 0;
  std::uint32_t main_entries = 64;   ///< Extended MSHRs.
  std::uint32_t sub_entries = 64;    ///< Per main entry.
  std::uint32_t queue_entries = 64;  ///< Requests in the input queue; further ones are refused and sent again.
  std::uint32_t packet_cycles = 1;   ///< To decode a packet and map its operation.
  std::uint32_t look_up_cycles = 1;  ///< For interface cache, directory and extended MSHRs together.
  std::uint32_t operation_cycles = 1;
  std::uint32_t probe_cycles = 1;  ///< A turn on the coherence bus: a line from the core's caches.
  rae_policy policy = rae_policy::retain;
  bool merge = true;  ///< False: a request for a line that is being fetched waits until that is done.
};

class unit_file;
class rtl_library;

/// Hardware in the place of models (src/machine/rtl); null: the model.
struct hardware_description {
  std::shared_ptr<rtl_library const> rae;
  std::shared_ptr<rtl_library const> nma;
  std::shared_ptr<rtl_library const> nca;          ///< The graph write-back.
  std::shared_ptr<rtl_library const> nca_ranges;   ///< The range operations.
  std::shared_ptr<rtl_library const> cni;          ///< Responses of lines with events.
  std::shared_ptr<rtl_library const> cni_pieces;   ///< What cuts copies into packets,
  std::shared_ptr<rtl_library const> cni_aligner;  ///< and moves their bytes to their places in words,
  std::shared_ptr<rtl_library const> cni_jobs;     ///< and the list of jobs.
};

/// A unit of one's own (src/machine/own_unit).
struct unit_description {
  std::string name;
  std::string where;  ///< `file:line:column` of its table, for messages.
  std::shared_ptr<unit_file const> file;
  std::vector<std::uint32_t> tiles;
  std::vector<std::uint64_t> values;  ///< The parameters', in the order in which the unit declares them.
};

/// Energies of events, in femtojoules. A word has 64 bits.
struct energy_description {
  std::uint64_t instruction_fj = 0;  ///< With its L1s.
  std::uint64_t l2_word_fj = 0;      ///< A look-up counts as a word, a line that comes or goes as all of its own.
  std::uint64_t tlm_word_fj = 0;
  std::uint64_t bus_cycle_fj = 0;          ///< In which a tile's bus is held.
  std::uint64_t hop_byte_fj = 0;           ///< A byte of a flit over one link, and the router before it.
  std::uint64_t accelerator_cycle_fj = 0;  ///< In which an NMA or NCA works.
};

struct machine_description {
  std::string name;
  std::string summary;
  std::uint32_t width = 1;
  std::uint32_t height = 1;
  picoseconds tile_clock_ps = 20'000;
  picoseconds memory_clock_ps = 10'000;
  picoseconds network_clock_ps = 20'000;
  hart_description harts;
  std::optional<pipeline_parameters> pipeline;  ///< Without: an instruction waits for all before it.
  std::optional<branch_parameters> branches;    ///< Without: nothing is predicted.
  std::optional<mmu_parameters> mmu;            ///< Without: addresses of programs are those of the local window.
  std::optional<system_description> system;
  std::optional<lookaside_description> lookaside;  ///< Without: the translation of extended addresses takes no time.
  cache_shape l1_instruction;
  cache_shape l1_data;
  cache_shape l2;
  std::optional<prefetcher_parameters> prefetcher;  ///< Each hart's, into its tile's L2.
  std::uint32_t l2_hit_cycles = 20;
  std::uint32_t l2_miss_cycles = 4;  ///< Until a miss is detected.
  std::uint64_t tlm_bytes = 0;       ///< In a cluster: scratchpad and image memory.
  std::uint32_t tlm_access_cycles = 20;
  std::uint64_t local_tail_bytes = 0;  ///< The part of each partition that is in its tile's local window.
  bus_description bus;
  memory_description memory;
  dram_parameters dram;
  std::optional<energy_description> energy;
  network_parameters network;
  std::optional<network_parameters> mail_network;  ///< A second one, for invocations only.
  cluster_description cluster;
  std::optional<coherence_description> coherence;  ///< Without: software keeps L2s coherent.
  adapter_description adapter;
  bool accelerators = false;  ///< NMA and NCA.
  nma_description nma;
  nca_description nca;
  std::optional<cni_description> cni;
  std::optional<rae_description> rae;
  std::vector<region> regions;
  std::vector<unit_description> units;  ///< By number; they follow the built-in ones.

  /// What of an image is in the TLM although the rest is in memory; nothing: all of it is in the TLM, as usual.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> in_tlm;

  hardware_description hardware;  ///< Not from a file: as the run wants it.

  std::vector<explained_value> explained;  ///< In the file's order.

  [[nodiscard]] std::uint32_t tiles() const noexcept { return width * height; }
  [[nodiscard]] bool is_memory(std::uint32_t tile) const noexcept;
  [[nodiscard]] bool has_clusters() const noexcept { return cluster.image_bytes != 0; }
  [[nodiscard]] bool has_accelerators() const noexcept { return accelerators; }
  /// A tile is a core and its memory, with an interface for remote atomics between them.
  [[nodiscard]] bool has_nodes() const noexcept { return rae && rae->beside == rae_place::memory; }
  /// More cycles than a hart may have run ahead. It does not depend on the quantum, unless that is very long.
  [[nodiscard]] std::uint64_t beyond_quantum_cycles() const noexcept {
    return std::max<std::uint64_t>(2000, harts.quantum_cycles);
  }
  /// The least time from the issue of an operation until a tile, the same one included, can observe it by a packet.
  [[nodiscard]] picoseconds reach_ps() const noexcept;
  /// The least time that a packet takes to another tile.
  [[nodiscard]] picoseconds packet_reach_ps() const noexcept;
  /// Harts of a tile: application harts first, then the system's.
  [[nodiscard]] std::uint32_t harts_of(std::uint32_t tile) const noexcept {
    return (is_memory(tile) ? harts.application_in_memory_tiles : harts.application) + harts.system;
  }
  /// A program's image and heap lie in its tile's partition, but for the part [begin, end) of the image, whole pages.
  void place_image_in_memory(std::uint64_t begin, std::uint64_t end) noexcept { in_tlm = {begin, end}; }
  [[nodiscard]] local_window window(std::uint32_t tile) const;
  /// The same for units, which know physical addresses only: with [mmu] it has the tile's devices and no memory.
  [[nodiscard]] local_window window_of_units(std::uint32_t tile) const;
  /// How many bytes of the local window a program has.
  [[nodiscard]] std::uint64_t program_bytes() const noexcept {
    return in_tlm ? local_tail_bytes : tlm_bytes + local_tail_bytes;
  }
  /// How many bytes of the local window each of so many copies of a program in one tile has.
  [[nodiscard]] std::uint64_t share_bytes(std::uint32_t copies) const noexcept {
    constexpr std::uint64_t unit = std::uint64_t{1} << 16U;
    return (tlm_bytes + local_tail_bytes) / copies / unit * unit;
  }
};

/// Reads a file. Errors: config_error, naming file, line and column.
[[nodiscard]] machine_description read_machine(std::filesystem::path const& file);
/// The same from a text; `name` is used in messages.
[[nodiscard]] machine_description parse_machine(std::string text, std::string name);

}  // namespace tess::machine
