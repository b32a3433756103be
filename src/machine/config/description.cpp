// description: the keys of a machine file, their ranges, and their consistency.
#include "machine/config/description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>

#include "machine/config/merged_file.hpp"
#include "machine/config/regions.hpp"
#include "machine/config/unit_tables.hpp"
#include "machine/kernel/units.hpp"
#include "machine/mmu/sv39.hpp"

namespace tess::machine {
namespace {

using std::string_view;

constexpr std::uint64_t kib = 1024;
constexpr std::uint64_t page_bytes = 4096;

/// Rights and copies of memory are by pages.
void check_pages(toml_table const& from, string_view key, std::uint64_t bytes) {
  if (bytes % page_bytes == 0) return;
  std::uint64_t const below = bytes / page_bytes * page_bytes;
  from.fail(key, fmt::format("{} = {} is no multiple of a page", key, bytes),
            below == 0 ? fmt::format("{}", page_bytes) : fmt::format("{} or {}", below, below + page_bytes));
}

picoseconds clock_of(toml_table& from, string_view key) {
  constexpr std::uint64_t ps_at_1_mhz = 1'000'000;
  std::uint64_t const mhz = from.number(key, {1, 10'000}, "MHz");
  if (ps_at_1_mhz % mhz != 0) {
    from.fail(key, fmt::format("{} MHz have no period of whole picoseconds", mhz), "a divisor of 1000000");
  }
  return ps_at_1_mhz / mhz;
}

cache_shape read_cache(toml_table& from) {
  // Sweeps have it, and make these two of it.
  if (std::ranges::count(from.keys(), "kib") != 0)
    from.fail("kib", "no cache has the key kib in a file", "way_bytes and ways, whose product is the size");
  cache_shape shape;
  shape.line_bytes = static_cast<std::uint32_t>(from.power_of_two("line_bytes", {8, 256}, "bytes"));
  shape.way_bytes = from.power_of_two("way_bytes", {shape.line_bytes, 64 * kib * kib}, "bytes");
  shape.ways = from.small_number("ways", {1, cache_array::ways_max}, "ways");
  return shape;
}

void read_caches(toml_table& root, machine_description& made) {
  toml_table instructions = root.table("l1_instruction");
  made.l1_instruction = read_cache(instructions);
  instructions.finish();
  toml_table data = root.table("l1_data");
  made.l1_data = read_cache(data);
  data.finish();
  toml_table l2 = root.table("l2");
  made.l2 = read_cache(l2);
  made.l2_hit_cycles = l2.small_number("hit_cycles", {1, 10'000}, "cycles");
  made.l2_miss_cycles = l2.small_number("miss_cycles", {1, 10'000}, "cycles");
  if (made.l2.line_bytes > packet_data_max) {
    l2.fail("line_bytes", fmt::format("lines of {} bytes do not fit into a packet", made.l2.line_bytes),
            fmt::format("at most {}", packet_data_max));
  }
  for (cache_shape const& l1 : {made.l1_instruction, made.l1_data}) {
    if (l1.line_bytes > made.l2.line_bytes) {
      l2.fail("line_bytes", fmt::format("lines of {} bytes are shorter than those of an L1", made.l2.line_bytes),
              fmt::format("at least {}", l1.line_bytes));
    }
  }
  l2.finish();
}

void read_harts(toml_table from, bool system_runs, hart_description& harts) {
  // An L2 tells 64 L1s apart, two of each hart.
  std::uint32_t const most = system_runs ? 31 : 32;
  harts.application = from.small_number("application", {0, most}, "harts");
  harts.application_in_memory_tiles = from.small_number("application_in_memory_tiles", {0, most}, "harts");
  harts.system = from.small_number("system", {1, 1}, "harts");
  harts.quantum_cycles = from.small_number("quantum_cycles", {1, 1'000'000}, "cycles");
  for (auto const& [key, cycles] : {std::pair{"multiply_cycles", &harts.multiply_cycles},
                                    {"divide_cycles", &harts.divide_cycles},
                                    {"float_add_cycles", &harts.float_add_cycles},
                                    {"float_multiply_cycles", &harts.float_multiply_cycles},
                                    {"float_divide_cycles", &harts.float_divide_cycles}}) {
    *cycles = from.small_number(key, {1, 255}, "cycles");
  }
  harts.branch_taken_cycles = from.small_number("branch_taken_cycles", {0, 255}, "cycles more");
  harts.load_use_cycles = from.small_number("load_use_cycles", {0, 255}, "cycles more");
  harts.system_call_cycles = from.small_number("system_call_cycles", {0, 1'000'000}, "cycles");
  from.finish();
}

void read_pipeline(toml_table from, machine_description& made) {
  pipeline_parameters& pipeline = made.pipeline.emplace();
  pipeline.issue_width = from.small_number("issue_width", {1, 2}, "instructions a cycle");
  pipeline.multiplies_overlap = from.flag("multiplies_overlap");
  pipeline.late_cycles = from.small_number("late_cycles", {0, 16}, "cycles");
  pipeline.narrow_load_cycles = from.small_number("narrow_load_cycles", {0, 16}, "cycles more");
  from.finish();
}

void read_branch_predictor(toml_table from, machine_description& made) {
  static constexpr std::array<string_view, 3> directions{"static", "bimodal", "gshare"};
  branch_parameters& branches = made.branches.emplace();
  branches.direction = static_cast<branch_direction>(from.choice("direction", directions));
  if (!made.pipeline) from.fail("direction", "a hart that predicts branches has a pipeline", "a table [pipeline]");
  if (branches.direction != branch_direction::fixed) {
    branches.counters = static_cast<std::uint32_t>(from.power_of_two("counters", {2, 1U << 20U}, "branches"));
    branches.counter_bits = from.small_number("counter_bits", {1, 2}, "bits");
  }
  if (branches.direction == branch_direction::gshare)
    branches.history_bits = from.small_number("history_bits", {1, 20}, "outcomes");
  branches.target_entries = from.small_number("target_entries", {0, 512}, "jumps");
  branches.return_entries = from.small_number("return_entries", {0, 64}, "calls");
  branches.mispredicted_cycles = from.small_number("mispredicted_cycles", {0, 64}, "cycles more");
  branches.untargeted_cycles = from.small_number("untargeted_cycles", {0, 64}, "cycles more");
  if (branches.direction == branch_direction::gshare && (std::uint64_t{1} << branches.history_bits) > branches.counters)
    from.fail("history_bits", "the history is longer than the index of a counter", "at most the bits of its index");
  from.finish();
}

void read_prefetcher(toml_table from, machine_description& made) {
  prefetcher_parameters& prefetcher = made.prefetcher.emplace();
  prefetcher.entries = static_cast<std::uint32_t>(from.power_of_two("entries", {1, 4096}, "loads of a hart"));
  prefetcher.degree = from.small_number("degree", {1, stride_prefetcher::degree_max}, "lines ahead of a load");
  prefetcher.outstanding = from.small_number("outstanding", {1, 64}, "lines of a tile on their way");
  if (made.coherence || made.has_nodes()) {
    from.fail("entries", "a line that a directory or an interface may take back is used when it comes",
              "no [prefetcher] beside [coherence], nor [rae] beside the memory");
  }
  from.finish();
}

void read_mmu(toml_table& root, machine_description& made) {
  toml_table from = root.table("mmu");
  mmu_parameters& mmu = made.mmu.emplace();
  // An instruction, and what it accesses, may be in two pages at a time.
  mmu.itlb_entries = from.small_number("itlb_entries", {2, 1024}, "pages, fully associative");
  mmu.dtlb_entries = from.small_number("dtlb_entries", {2, 1024}, "pages, fully associative");
  mmu.l2_tlb_entries = from.small_number("l2_tlb_entries", {0, 1U << 16U}, "pages of both; 0: there is none");
  if (mmu.l2_tlb_entries != 0) {
    mmu.l2_tlb_ways = from.small_number("l2_tlb_ways", {1, mmu.l2_tlb_entries}, "ways");
    std::uint32_t const sets = mmu.l2_tlb_entries / mmu.l2_tlb_ways;
    if (sets * mmu.l2_tlb_ways != mmu.l2_tlb_entries || !std::has_single_bit(sets)) {
      from.fail("l2_tlb_ways", fmt::format("{} entries of {} ways", mmu.l2_tlb_entries, mmu.l2_tlb_ways),
                "a power of two of sets");
    }
    mmu.l2_tlb_cycles = from.small_number("l2_tlb_cycles", {0, 1000}, "cycles of a look-up");
  }
  mmu.walk_cache_entries = from.small_number("walk_cache_entries", {0, 1024}, "upper entries of page tables");
  mmu.page_fault_cycles = from.small_number("page_fault_cycles", {0, 1'000'000}, "cycles of the system");
  for (string_view const other : {"clusters", "cni"}) {
    if (root.has(other))
      from.fail("itlb_entries", fmt::format("[{}] knows programs by their physical addresses", other),
                "no [mmu] on a machine with it");
  }
  if (made.has_nodes())
    from.fail("itlb_entries", "words beside the memory are known by their physical addresses",
              "no [mmu] on a machine with [rae] beside the memory");
  if (made.tlm_bytes + made.local_tail_bytes > sv39::user_end)
    from.fail("itlb_entries", "a tile has more memory than Sv39 has addresses for programs",
              fmt::format("at most {} bytes", sv39::user_end));
  from.finish();
}

void read_system(toml_table from, system_description& system) {
  static constexpr std::array<string_view, 2> choices{"polled", "kernel"};
  system.runs = static_cast<system_choice>(from.choice("runs", choices));
  system.trap_cycles = from.small_number("trap_cycles", {0, 255}, "cycles more");
  from.finish();
}

void read_lookaside(toml_table from, machine_description& made) {
  if (made.has_clusters())
    from.fail("entries", "clusters have no words of other tiles", "no [lookaside] on a machine with [clusters]");
  lookaside_description& lookaside = made.lookaside.emplace();
  lookaside.entries = static_cast<std::uint32_t>(
      from.power_of_two("entries", {1, registers::extended::objects_max}, "objects that a hart finds at once"));
  lookaside.hit_cycles = from.small_number("hit_cycles", {0, 1000}, "cycles");
  lookaside.miss_cycles = from.small_number("miss_cycles", {0, 10'000}, "cycles more");
  from.finish();
}

void read_network(toml_table from, machine_description const& made, network_parameters& network) {
  static constexpr std::array<string_view, 3> topologies{"mesh", "torus", "crossbar"};
  network.width = made.width;
  network.height = made.height;
  network.topology = static_cast<topology_kind>(from.choice("topology", topologies));
  if (network.topology == topology_kind::crossbar && network.nodes() > 64) {
    from.fail("topology", fmt::format("a crossbar of {} tiles", network.nodes()), "at most 64 tiles, or a mesh");
  }
  network.link_bytes = static_cast<std::uint32_t>(from.power_of_two("link_bytes", {1, 256}, "bytes"));
  network.buffer_flits = from.small_number("buffer_flits", {1, 255}, "flits");
  network.routing_cycles = from.small_number("routing_cycles", {0, 8}, "cycles");
  network.traversal_cycles = from.small_number("traversal_cycles", {1, 8}, "cycles");
  network.link_cycles = from.small_number("link_cycles", {1, 16}, "cycles");
  network.credit_cycles = from.small_number("credit_cycles", {0, 8}, "cycles");
  if (from.has("ring_link_cycles")) {
    network.ring_link_cycles = from.small_number("ring_link_cycles", {1, 16}, "cycles");
    if (network.topology != topology_kind::torus)
      from.fail("ring_link_cycles", "only a torus has rings", "a torus, or link_cycles alone");
  }
  if (from.has("ring_classes")) {
    static constexpr std::array<string_view, 3> classes{"dateline", "route", "balanced"};
    network.classes = static_cast<ring_classes>(from.choice("ring_classes", classes));
    if (network.topology != topology_kind::torus)
      from.fail("ring_classes", "only a torus has rings", "a torus, or no classes");
  }
  network.speculative = from.flag("speculative");
  network.virtual_networks.clear();
  for (string_view const name : {"requests", "responses", "control"}) {
    toml_table one = from.table(name);
    virtual_network added;
    added.channels = one.small_number("channels", {1, 10}, "virtual channels");
    added.priority = one.small_number("priority", {0, 7}, "");
    if (network.topology == topology_kind::torus && added.channels % 2 != 0) {
      one.fail("channels", fmt::format("{} channels on a torus", added.channels), "an even number, for the dateline");
    }
    one.finish();
    network.virtual_networks.push_back(added);
  }
  from.finish();
}

/// Between two refreshes of a rank, an access that waits for all that it can wait for must end: otherwise none ends.
void check_refreshes(toml_table const& from, dram_timing const& t) {
  std::uint64_t const row = std::max<std::uint64_t>({std::uint64_t{t.ras} + t.rp, t.rrd, t.rrd_l, t.faw});
  std::uint64_t const column =
      std::max({std::uint64_t{std::max({t.ccd, t.ccd_l, t.ccd_l_write, t.rtp})}, std::uint64_t{t.cl} + t.burst + t.rtrs,
                std::uint64_t{t.cwl} + t.burst + std::max({t.wr, t.wtr, t.wtr_l, t.rtrs})});
  std::uint64_t const needed = std::uint64_t{std::max(t.rp, t.rp_all)} + t.rfc + row + t.rcd + column;
  if (needed < t.refi) return;
  from.fail("refi",
            fmt::format("a refresh every {} cycles leaves no time for accesses: with rfc = {}, one can take {}", t.refi,
                        t.rfc, needed),
            fmt::format("more than {}, or shorter times", needed));
}

void read_dram(toml_table from, machine_description& made) {
  static constexpr std::array<string_view, 4> fields{"column", "bank", "rank", "row"};
  dram_parameters& dram = made.dram;
  dram_timing& timing = dram.timing;
  timing.clock_ps = from.number("clock_ps", {100, 100'000}, "ps");
  for (auto const& [key, cycles] : {std::pair{"cl", &timing.cl},
                                    {"cwl", &timing.cwl},
                                    {"burst", &timing.burst},
                                    {"rcd", &timing.rcd},
                                    {"rp", &timing.rp},
                                    {"ras", &timing.ras},
                                    {"ccd", &timing.ccd},
                                    {"rrd", &timing.rrd},
                                    {"faw", &timing.faw},
                                    {"rtp", &timing.rtp},
                                    {"wr", &timing.wr},
                                    {"wtr", &timing.wtr},
                                    {"rtrs", &timing.rtrs},
                                    {"rfc", &timing.rfc},
                                    {"refi", &timing.refi}}) {
    *cycles = from.small_number(key, {1, 100'000}, "DRAM cycles");
  }
  dram.ranks = from.small_number("ranks", {1, 8}, "");
  dram.banks = from.small_number("banks", {1, 64 / dram.ranks}, "banks of a rank");
  dram.rows = from.small_number("rows", {1, 1U << 20U}, "rows of a bank");
  dram.access_bytes = from.power_of_two("access_bytes", {8, 256}, "bytes");
  dram.row_bytes = from.power_of_two("row_bytes", {dram.access_bytes, 64 * kib}, "bytes");
  if (from.has("bank_groups")) {
    dram.groups = from.small_number("bank_groups", {2, dram.banks}, "groups of banks");
    if (dram.banks % dram.groups != 0) {
      from.fail("bank_groups", fmt::format("{} banks are not in {} equal groups", dram.banks, dram.groups),
                "a divisor of banks");
    }
    for (auto const& [key, cycles, least] : {std::tuple{"ccd_l", &timing.ccd_l, timing.ccd},
                                             {"ccd_l_write", &timing.ccd_l_write, timing.ccd},
                                             {"rrd_l", &timing.rrd_l, timing.rrd},
                                             {"wtr_l", &timing.wtr_l, timing.wtr},
                                             {"rp_all", &timing.rp_all, timing.rp}}) {
      *cycles = from.small_number(key, {least, 100'000}, "DRAM cycles");
    }
  }
  if (from.has("idd0_ma")) {
    dram_currents& currents = dram.currents;
    currents.chips = from.small_number("chips", {1, 64}, "chips of a rank");
    currents.vdd_mv = from.small_number("vdd_mv", {1, 10'000}, "mV");
    for (auto const& [key, current] : {std::pair{"idd0_ma", &currents.idd0_ma},
                                       {"idd2n_ma", &currents.idd2n_ma},
                                       {"idd3n_ma", &currents.idd3n_ma},
                                       {"idd4r_ma", &currents.idd4r_ma},
                                       {"idd4w_ma", &currents.idd4w_ma},
                                       {"idd5_ma", &currents.idd5_ma}}) {
      *current = from.small_number(key, {1, 10'000}, "mA of a chip");
    }
    std::uint32_t const idle = std::max(currents.idd2n_ma, currents.idd3n_ma);
    if (std::min(currents.idd4r_ma, currents.idd4w_ma) < idle || currents.idd5_ma < currents.idd2n_ma)
      from.fail("idd3n_ma", "a chip that works draws less than one that waits", "less than idd4r_ma and idd4w_ma");
  }
  dram.queue_entries = from.small_number("queue_entries", {1, 1024}, "reads, and as many writes");
  auto const order = from.choices("mapping", fields);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (order.size() != fields.size() || std::ranges::count(order, i) != 1) {
      from.fail("mapping", "the mapping does not name each field once",
                "column, bank, rank and row, lowest bits first");
    }
    dram.mapping[i] = static_cast<dram_field>(order[i]);
  }
  made.memory.size_bytes = dram.size_bytes();
  check_refreshes(from, timing);
  from.finish();
}

void read_energy(toml_table from, machine_description& made) {
  energy_description& energy = made.energy.emplace();
  constexpr std::uint64_t most = 1'000'000'000;
  for (auto const& [key, each, unit] : {std::tuple{"instruction_fj", &energy.instruction_fj, "fJ an instruction"},
                                        {"l2_word_fj", &energy.l2_word_fj, "fJ for 64 bits"},
                                        {"tlm_word_fj", &energy.tlm_word_fj, "fJ for 64 bits"},
                                        {"bus_cycle_fj", &energy.bus_cycle_fj, "fJ a cycle"},
                                        {"hop_byte_fj", &energy.hop_byte_fj, "fJ a byte and hop"},
                                        {"accelerator_cycle_fj", &energy.accelerator_cycle_fj, "fJ a cycle"}}) {
    *each = from.number(key, {0, most}, unit);
  }
  from.finish();
}

void read_memory(toml_table from, machine_description& made) {
  for (auto const& [x, y] : from.coordinate_list("tiles", made.width, made.height)) {
    made.memory.tiles.push_back(y * made.width + x);
  }
  made.memory.port_bytes = static_cast<std::uint32_t>(from.power_of_two("port_bytes", {1, 64}, "bytes a cycle"));
  made.memory.access_cycles = from.small_number("access_cycles", {1, 10'000}, "cycles of the memory's clock");
  from.finish();
}

void read_adapter(toml_table from, machine_description& made) {
  adapter_description& adapter = made.adapter;
  adapter.request_cycles = from.small_number("request_cycles", {0, 10'000}, "cycles");
  adapter.response_cycles = from.small_number("response_cycles", {0, 10'000}, "cycles");
  adapter.header_bytes = from.small_number("header_bytes", {1, 64}, "bytes");
  adapter.outstanding = from.small_number("outstanding", {1, 1024}, "requests of a tile");
  adapter.dma_packet_bytes =
      static_cast<std::uint32_t>(from.power_of_two("dma_packet_bytes", {made.l2.line_bytes, packet_data_max}, "bytes"));
  adapter.dma_packets = from.small_number("dma_packets", {1, 64}, "packets of a transfer on their way");
  adapter.task_queue_entries = from.small_number("task_queue_entries", {1, 65'536}, "tasks");
  from.finish();
}

void read_accelerators(toml_table& root, machine_description& made) {
  toml_table accelerator_memory = root.table("nma");
  nma_description& nma = made.nma;
  nma.state_cycles = accelerator_memory.small_number("state_cycles", {1, 1000}, "cycles of the memory's clock");
  nma.burst_bytes = static_cast<std::uint32_t>(accelerator_memory.power_of_two("burst_bytes", {16, 128}, "bytes"));
  nma.stream_bursts = accelerator_memory.small_number("stream_bursts", {1, 64}, "bursts");
  nma.posted_writes = accelerator_memory.small_number("posted_writes", {1, 64}, "writes");
  nma.queue_entries = accelerator_memory.small_number("queue_entries", {1, 65'536}, "requests");
  nma.map_bytes = accelerator_memory.number("map_bytes", {4096, 512 * gib}, "bytes of the memory tile's partition");
  check_pages(accelerator_memory, "map_bytes", nma.map_bytes);
  accelerator_memory.finish();
  toml_table near_cache = root.table("nca");
  made.nca.state_cycles = near_cache.small_number("state_cycles", {1, 1000}, "cycles");
  made.nca.queue_entries = near_cache.small_number("queue_entries", {1, 1024}, "graphs");
  made.nca.stack_entries = near_cache.small_number("stack_entries", {1, 1U << 28U}, "objects");
  made.nca.range_line_cycles = near_cache.small_number("range_line_cycles", {1, 1000}, "cycles for each line");
  made.nca.range_queue_entries = near_cache.small_number("range_queue_entries", {1, 1024}, "operations");
  near_cache.finish();
}

void read_tile(toml_table from, bool clusters, machine_description& made) {
  made.tlm_bytes = from.number("tlm_bytes", {page_bytes, gib}, "bytes");
  check_pages(from, "tlm_bytes", made.tlm_bytes);
  made.tlm_access_cycles = from.small_number("tlm_access_cycles", {1, 10'000}, "cycles");
  made.local_tail_bytes = from.number("local_tail_bytes", {0, 512 * gib}, "bytes of the own partition");
  check_pages(from, "local_tail_bytes", made.local_tail_bytes);
  // The stack is the end of the local window, with a page behind it; below it begin programs, and their heap.
  constexpr std::uint64_t least = 16 * kib * kib;
  if (!clusters && made.tlm_bytes + made.local_tail_bytes < least) {
    from.fail("local_tail_bytes",
              fmt::format("with tlm_bytes = {}, programs have {} bytes, and 8 MiB of stack", made.tlm_bytes,
                          made.tlm_bytes + made.local_tail_bytes),
              fmt::format("at least {}", least - std::min(made.tlm_bytes, least)));
  }
  made.bus.bytes = static_cast<std::uint32_t>(from.power_of_two("bus_bytes", {1, 64}, "bytes a cycle"));
  made.bus.arbitration_cycles = from.small_number("bus_arbitration_cycles", {0, 100}, "cycles");
  from.finish();
}

void read_clusters(toml_table from, machine_description& made) {
  constexpr std::uint64_t page = page_bytes;
  cluster_description& cluster = made.cluster;
  cluster.image_bytes = from.number("image_bytes", {page, gib}, "bytes of text and constants, besides the TLM");
  cluster.stack_bytes = from.number("stack_bytes", {4 * page, made.tlm_bytes / 2}, "bytes a thread");
  cluster.receive_windows =
      from.small_number("receive_windows", {1, registers::portals::windows_max}, "open at a time");
  for (string_view const key : {"image_bytes", "stack_bytes"}) {
    check_pages(from, key, key == "image_bytes" ? cluster.image_bytes : cluster.stack_bytes);
  }
  if (made.local_tail_bytes != 0) from.fail("image_bytes", "a cluster has no tail in DDR", "tile.local_tail_bytes = 0");
  cluster.scratchpad_bytes = made.tlm_bytes;
  made.tlm_bytes += cluster.image_bytes;
  from.finish();
}

void read_coherence(toml_table& root, machine_description& made) {
  static constexpr std::array<string_view, 2> protocols{"blocking", "forwarding"};
  static constexpr std::array<string_view, 3> homes{"memory", "interleaved", "partition"};
  toml_table from = root.table("coherence");
  coherence_description& coherence = made.coherence.emplace();
  coherence.protocol = static_cast<coherence_protocol>(from.choice("protocol", protocols));
  coherence.homes = static_cast<line_homes>(from.choice("homes", homes));
  if (coherence.protocol == coherence_protocol::blocking && coherence.homes != line_homes::memory)
    from.fail("homes", "a blocking directory passes all data, so it is beside the memory", "\"memory\"");
  coherence.interleave_bytes = from.power_of_two("interleave_bytes", {made.l2.line_bytes, gib}, "bytes of one home");
  if (coherence.homes != line_homes::memory && made.network.virtual_networks.front().channels != 1) {
    from.fail("homes", "what a home writes and reads in another tile's memory must stay in order",
              "network.requests.channels = 1");
  }
  coherence.directory_cycles = from.small_number("directory_cycles", {0, 1000}, "cycles");
  coherence.probe_cycles = from.small_number("probe_cycles", {0, 1000}, "cycles");
  if (root.has("clusters")) from.fail("protocol", "a machine with directories has no [clusters]", "one of the two");
  if (made.l2.line_bytes != made.adapter.dma_packet_bytes) {
    from.fail("protocol",
              fmt::format("a packet of DMA has {} bytes, a line of the L2 {}", made.adapter.dma_packet_bytes,
                          made.l2.line_bytes),
              "l2.line_bytes = adapter.dma_packet_bytes, as a directory knows lines");
  }
  from.finish();
}

void read_rae(toml_table& root, machine_description& made) {
  static constexpr std::array<string_view, 2> places{"memory", "l2"};
  static constexpr std::array<string_view, 2> policies{"free-at-once", "retain"};
  toml_table from = root.table("rae");
  rae_description& rae = made.rae.emplace();
  rae.beside = static_cast<rae_place>(from.choice("beside", places));
  bool const beside_memory = made.has_nodes();
  if (root.has("clusters")) from.fail("beside", "a machine with [rae] has no [clusters]", "one of the two");
  for (string_view const other : {"coherence", "cni", "nma", "nca"}) {
    if (!root.has(other) || !beside_memory) continue;
    from.fail("beside", fmt::format("a machine with [rae] beside the memory has no [{}]", other),
              "\"l2\": beside the memory caches know of one agent more, and this would be another");
  }
  rae.main_entries = from.small_number("main_entries", {1, 4096}, "lines on their way");
  rae.sub_entries = from.small_number("sub_entries", {1, 4096}, "requests for each");
  rae.queue_entries = from.small_number("queue_entries", {1, 65'536}, "requests");
  // Beside the memory it is clocked hardware, whose memories are synchronous: queue and tags are read before a look-up,
  // and a line in one cycle and written in another.
  rae.packet_cycles = from.small_number("packet_cycles", {beside_memory ? 2U : 0U, 1000}, "cycles");
  rae.look_up_cycles = from.small_number("look_up_cycles", {1, 1000}, "cycles");
  rae.operation_cycles = from.small_number("operation_cycles", {beside_memory ? 2U : 1U, 1000}, "cycles");
  rae.policy = static_cast<rae_policy>(from.choice("policy", policies));
  rae.merge = from.flag("merge");
  if (beside_memory) {
    rae.cache_bytes = from.power_of_two("cache_bytes", {made.l2.line_bytes, 64 * kib * kib}, "bytes");
    rae.probe_cycles = from.small_number("probe_cycles", {1, 1000}, "cycles");
  } else if (rae.policy == rae_policy::retain) {
    from.fail("policy", "a line that stays beside the L2 would be old when a hart of the tile has written it",
              "\"free-at-once\": there is no directory");
  }
  for (string_view const key : {"cache_bytes", "probe_cycles"}) {
    if (!beside_memory && from.has(key))
      from.fail(key, "beside the L2 there is neither an interface cache nor a coherence bus", "no such key");
  }
  from.finish();
}

void read_interfaces(toml_table from, machine_description& made) {
  if (made.has_clusters()) from.fail("jobs", "a machine with clusters has no cache-integrated interfaces", "no [cni]");
  if (made.l2.line_bytes != registers::cni::line_bytes) {
    from.fail("jobs", fmt::format("the lines of [l2] have {} bytes", made.l2.line_bytes), "lines of 64 bytes");
  }
  if (made.l2.ways < 2) from.fail("jobs", "the L2 has one way, and one stays the cache's", "at least two ways");
  cni_description& interfaces = made.cni.emplace();
  interfaces.region_entries = from.small_number("region_entries", {4, registers::cni::region_entries_max}, "entries");
  interfaces.jobs = from.small_number("jobs", {1, 1024}, "jobs of commands, and as many of events");
  interfaces.job_cycles = from.small_number("job_cycles", {1, 1000}, "cycles");
  interfaces.combine_cycles = from.small_number("combine_cycles", {1, 1000}, "cycles");
  interfaces.posted_stores = from.small_number("posted_stores", {1, 1024}, "stores of a tile");
  from.finish();
}

}  // namespace

bool machine_description::is_memory(std::uint32_t tile) const noexcept {
  return std::ranges::count(memory.tiles, tile) != 0;
}

local_window machine_description::window(std::uint32_t tile) const {
  auto const of = [&](region_kind kind) {
    return *std::ranges::find_if(regions, [&](region const& one) { return one.kind == kind && one.tile == tile; });
  };
  // Without a tail in the local window, a tile need not have a partition.
  return {.tlm_base = of(region_kind::tlm).base,
          .tlm_bytes = in_tlm ? in_tlm->second : tlm_bytes,
          .tail_base = local_tail_bytes == 0 ? 0 : of(region_kind::partition).end() - local_tail_bytes,
          .tail_bytes = local_tail_bytes,
          .device_base = of(region_kind::device).base,
          .tlm_first = in_tlm ? in_tlm->first : 0,
          .in_memory = in_tlm.has_value()};
}

local_window machine_description::window_of_units(std::uint32_t tile) const {
  local_window made = window(tile);
  if (mmu) made.tlm_bytes = made.tail_bytes = 0;
  return made;
}

picoseconds machine_description::reach_ps() const noexcept {
  std::uint64_t cycles = network.zero_load_cycles(0, 1);
  if (mail_network) cycles = std::min(cycles, mail_network->zero_load_cycles(0, 1));
  return adapter.request_cycles * tile_clock_ps + cycles * network_clock_ps;
}

picoseconds machine_description::packet_reach_ps() const noexcept {
  std::uint64_t cycles = network.to_another_node_cycles();
  if (mail_network) cycles = std::min(cycles, mail_network->to_another_node_cycles());
  return cycles * network_clock_ps;
}

namespace {

/// The simulator maps all memories of a machine at once.
void check_memories(toml_table& root, machine_description const& made) {
  constexpr std::uint64_t most = 16 * 1024 * gib;
  std::uint64_t const memories = made.memory.tiles.size();
  if (made.memory.size_bytes <= most && memories * made.memory.size_bytes + made.tiles() * made.tlm_bytes <= most)
    return;
  root.table("dram").fail(
      "rows",
      fmt::format("{} memories of {} bytes, and tile-local ones, are too large", memories, made.memory.size_bytes),
      fmt::format("{} bytes for all at most; a memory has ranks x banks x rows x row_bytes", most));
}

}  // namespace

machine_description parse_machine(std::string text, std::string name) {
  toml_document const document(std::move(text), std::move(name));
  toml_table root = document.root();
  machine_description made;
  made.name = root.text("name");
  made.summary = root.text("summary");
  toml_table grid = root.table("grid");
  made.width = grid.small_number("width", {1, 64}, "tiles");
  made.height = grid.small_number("height", {1, 64}, "tiles");
  grid.finish();
  toml_table clocks = root.table("clocks");
  made.tile_clock_ps = clock_of(clocks, "tile_mhz");
  made.memory_clock_ps = clock_of(clocks, "memory_mhz");
  made.network_clock_ps = clock_of(clocks, "network_mhz");
  clocks.finish();
  read_harts(root.table("harts"), root.has("system"), made.harts);
  if (root.has("pipeline")) read_pipeline(root.table("pipeline"), made);
  if (root.has("branch_predictor")) read_branch_predictor(root.table("branch_predictor"), made);
  if (root.has("system")) read_system(root.table("system"), made.system.emplace());
  read_caches(root, made);
  read_tile(root.table("tile"), root.has("clusters"), made);
  if (root.has("clusters")) read_clusters(root.table("clusters"), made);
  if (root.has("lookaside")) read_lookaside(root.table("lookaside"), made);
  read_dram(root.table("dram"), made);
  read_memory(root.table("memory"), made);
  if (root.has("energy")) read_energy(root.table("energy"), made);
  check_memories(root, made);
  read_network(root.table("network"), made, made.network);
  if (root.has("mail_network")) read_network(root.table("mail_network"), made, made.mail_network.emplace());
  read_adapter(root.table("adapter"), made);
  if (root.has("coherence")) read_coherence(root, made);
  if (root.has("rae")) read_rae(root, made);
  if (root.has("mmu")) read_mmu(root, made);
  if (root.has("prefetcher")) read_prefetcher(root.table("prefetcher"), made);
  made.accelerators =
      !made.has_clusters() && !made.has_nodes() && (!made.coherence || root.has("nma") || root.has("nca"));
  if (made.accelerators) read_accelerators(root, made);
  if (root.has("cni")) read_interfaces(root.table("cni"), made);
  std::uint64_t uncached_offset = 0;
  read_addresses(root.table("addresses"), made, uncached_offset);
  std::vector<std::uint64_t> used(made.tiles());
  bool const alike = root.has("partitions");
  if (alike) read_partitions(root.table("partitions"), made, uncached_offset, used);
  for (toml_table& partition : alike ? std::vector<toml_table>{} : root.tables("partition"))
    read_partition(partition, made, uncached_offset, used);
  check_partitions(root, made);
  if (root.has("unit")) read_units(root.table("unit"), made);
  root.finish();
  made.explained = document.explained();
  return made;
}

machine_description read_machine(std::filesystem::path const& file) {
  return parse_machine(content_of_file(file), file.string());
}

}  // namespace tess::machine
