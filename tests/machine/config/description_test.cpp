// description_test: presets have the numbers of their papers, and every error in a machine file is reported with its
// position.
// Method: the presets are read, and their numbers compared with Table 2 of NEMESYS as published; then single lines of a
// preset are changed, and the message is compared: position, error, and what would be valid.
#include "machine/config/description.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "machine/config/comparison.hpp"

namespace {

using namespace tess::machine;  // NOLINT: a test of one namespace

/// A preset's text; of a variant, with all that it extends.
std::string preset(std::string const& name) {
  std::string const path = std::string(TESS_MACHINES) + "/" + name + ".toml";
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str().contains("\nextends = ") ? resolved_text(path) : text.str();
}

class every_preset : public testing::TestWithParam<std::string> {};

TEST_P(every_preset, is_complete_and_gives_a_source_for_every_number) {
  machine_description const made = read_machine(std::string(TESS_MACHINES) + "/" + GetParam() + ".toml");
  EXPECT_EQ(made.name, GetParam());
  EXPECT_GT(made.explained.size(), 80U);
  for (explained_value const& one : made.explained) {
    if (!one.path.starts_with("partition")) EXPECT_FALSE(one.source.empty()) << one.path << " has no source";
  }
  address_map const map(made.regions);
  for (std::uint32_t tile = 0; tile < made.tiles(); ++tile) {
    for (region_kind const kind :
         {region_kind::tlm, region_kind::partition, region_kind::partition_uncached, region_kind::device}) {
      region const* const one = map.of(kind, tile);
      bool const in_memory = kind == region_kind::partition || kind == region_kind::partition_uncached;
      if (in_memory && made.has_clusters() && !made.is_memory(tile)) {
        EXPECT_EQ(one, nullptr);
        continue;
      }
      ASSERT_NE(one, nullptr);
      EXPECT_EQ(map.find(one->base), one);
      EXPECT_EQ(map.find(one->end() - 1), one);
    }
    local_window const window = made.window(tile);
    EXPECT_EQ(map.find(*window.global(0))->kind, region_kind::tlm);
    std::uint64_t const last = window.tlm_bytes + window.tail_bytes - 1;
    EXPECT_EQ(map.find(*window.global(last))->tile, tile);
    region_kind const holds_last = made.has_clusters() ? region_kind::tlm : region_kind::partition;
    EXPECT_EQ(*window.global(last), map.of(holds_last, tile)->end() - 1);
    EXPECT_EQ(window.global(last + 1), std::nullopt);
    EXPECT_EQ(window.local(*window.global(last)), last);
  }
}

INSTANTIATE_TEST_SUITE_P(all, every_preset,
                         testing::Values("nemesys-4x4", "nemesys-4x4-single", "nemesys-2x2", "single-tile", "mppa-256",
                                         "cni-4", "cni-16", "cni-32", "cni-64", "cni-128", "cni-256", "cni-512",
                                         "cni-1024", "dir-4", "dir-16", "dir-32", "dir-64", "dir-128", "dir-256",
                                         "dir-512", "dir-1024", "rae-6", "rae-16", "rae-64", "tessera-2x2",
                                         "tessera-2x2-coherent", "tessera-4x4", "sifive-u54", "sifive-u74",
                                         "sifive-u74-mmu"));

TEST(mppa_256, has_the_numbers_of_its_paper) {
  machine_description const made = parse_machine(preset("mppa-256"), "mppa-256.toml");
  EXPECT_EQ(made.tile_clock_ps, 2'500U);
  std::uint32_t compute = 0;
  for (std::uint32_t tile = 0; tile < made.tiles(); ++tile) {
    if (!made.is_memory(tile)) {
      ++compute;
      EXPECT_EQ(made.harts_of(tile), 17U);
    }
  }
  EXPECT_EQ(compute, 16U);
  EXPECT_EQ(made.memory.tiles.size(), 4U);
  EXPECT_EQ(made.l1_data.size_bytes(), 8U * 1024);
  EXPECT_EQ(made.l1_instruction.size_bytes(), 8U * 1024);
  EXPECT_EQ(made.cluster.scratchpad_bytes, 2U << 20U);
  EXPECT_EQ(made.tlm_bytes, made.cluster.scratchpad_bytes + made.cluster.image_bytes);
  ASSERT_TRUE(made.mail_network.has_value());
  for (network_parameters const& one : {made.network, *made.mail_network}) {
    EXPECT_EQ(one.topology, topology_kind::torus);
    EXPECT_EQ(one.link_bytes * 1'000'000 / made.network_clock_ps, 1600U) << "MB/s a link";
  }
}

/// The message for a preset with one text replaced by another.
std::string said_of(std::string const& name, std::string const& old_text, std::string const& new_text) {
  std::string text = preset(name);
  std::size_t const at = text.find(old_text);
  EXPECT_NE(at, std::string::npos) << old_text;
  text.replace(at, old_text.size(), new_text);
  try {
    (void)parse_machine(text, "m.toml");
  } catch (config_error const& wrong) {
    return wrong.what();
  }
  return "no error";
}

TEST(a_machine_with_clusters, has_partitions_where_its_memories_are_and_nothing_of_other_machines) {
  auto const said = [](std::string const& old_text, std::string const& new_text) {
    return said_of("mppa-256", old_text, new_text);
  };
  EXPECT_NE(said("tile = [4, 1]", "tile = [3, 1]").find("cluster (3, 1) cannot have its partition elsewhere"),
            std::string::npos);
  EXPECT_NE(
      said("[[partition]]\ntile = [4, 0]\nmemory = [4, 0]   # its own\nbase = 0x20000000000\nsize_bytes = 1073741824",
           "")
          .find("3 partitions for 4 tiles; expected one for each of memory.tiles"),
      std::string::npos);
  EXPECT_NE(said("stack_bytes = 16384", "stack_bytes = 20000").find("no multiple of a page"), std::string::npos);
  EXPECT_NE(said("local_tail_bytes = 0", "local_tail_bytes = 4096").find("a cluster has no tail in DDR"),
            std::string::npos);
  EXPECT_NE(said("[adapter]", "[nma]\nstate_cycles = 1\n[adapter]").find("unknown key \"nma\""), std::string::npos);
  EXPECT_NE(said("[mail_network]\ntopology = \"torus\"", "[mail_network]\ntopology = \"ring\"").find("is unknown"),
            std::string::npos);
}

TEST(partitions_of_all_tiles, lie_in_the_nearest_memory_one_behind_the_other) {
  machine_description const made = parse_machine(preset("cni-128"), "cni-128.toml");
  address_map const map(made.regions);
  std::vector<std::uint64_t> used(made.tiles());
  for (std::uint32_t tile = 0; tile < made.tiles(); ++tile) {
    region const& one = *map.of(region_kind::partition, tile);
    EXPECT_EQ(one.base, 0x200'0000'0000U + std::uint64_t{tile} * 0x1000'0000U);
    EXPECT_EQ(one.size_bytes, 67'108'864U);
    // A quarter of the mesh, 16 tiles wide and 8 high, for each corner.
    EXPECT_EQ(one.memory_tile, (tile % 16 < 8 ? 0U : 15U) + (tile / 16 < 4 ? 0U : 7U * 16));
    EXPECT_EQ(one.memory_offset, used[one.memory_tile]);
    used[one.memory_tile] += one.size_bytes;
    EXPECT_EQ(map.of(region_kind::partition_uncached, tile)->base, one.base + 0x1000'0000'0000U);
  }
  auto const said = [](std::string const& old_text, std::string const& new_text) {
    return said_of("cni-128", old_text, new_text);
  };
  EXPECT_NE(said("stride = 0x1000_0000 ", "stride = 0x1000 ").find("stride = 4096 is impossible"), std::string::npos);
  EXPECT_NE(said("base = 0x200_0000_0000 ", "base = 0x100_0000_0000 ").find("overlaps"), std::string::npos);
  EXPECT_NE(said("rows = 32768", "rows = 1024").find("the partitions of memory (0, 0) need"), std::string::npos);
  EXPECT_NE(said("[partitions]", "[[partition]]\ntile = [0, 0]\n[partitions]").find("unknown key \"partition\""),
            std::string::npos);
}

TEST(a_machine_with_interfaces, has_room_for_their_lines_and_one_mask_for_all_scratchpads) {
  machine_description const made = parse_machine(preset("cni-128"), "cni-128.toml");
  ASSERT_TRUE(made.cni.has_value());
  address_map const map(made.regions);
  for (std::uint32_t tile = 0; tile < made.tiles(); ++tile) {
    region const* const one = map.of(region_kind::scratchpad, tile);
    ASSERT_NE(one, nullptr);
    EXPECT_EQ(one->size_bytes, made.l2.way_bytes * 3);
  }
  EXPECT_EQ(map.of(region_kind::scratchpad, 0)->base % (made.cni->scratchpad_stride * made.tiles()), 0U);
  auto const said = [](std::string const& old_text, std::string const& new_text) {
    return said_of("cni-4", old_text, new_text);
  };
  EXPECT_NE(said("line_bytes = 64 ", "line_bytes = 32 ").find("the lines of [l2] have 32 bytes; expected lines of 64"),
            std::string::npos);
  EXPECT_NE(said("ways = 4 ", "ways = 1 ").find("the L2 has one way"), std::string::npos);
  EXPECT_NE(said("scratchpad_stride = 0x1_0000 ", "scratchpad_stride = 0x8000 ").find("32768 bytes for scratchpads of"),
            std::string::npos);
  EXPECT_NE(said("scratchpad_base = 0x400_0000_0000", "scratchpad_base = 0x400_0001_0000").find("no common mask"),
            std::string::npos);
  EXPECT_NE(said("scratchpad_base = 0x400_0000_0000", "scratchpad_base = 0x100_0000_0000").find("overlaps"),
            std::string::npos);
  EXPECT_NE(said("posted_stores = 8", "posted = 8").find("posted"), std::string::npos);
}

TEST(a_machine_with_directories, has_whole_lines_and_an_order_to_keep) {
  auto const said = [](std::string const& old_text, std::string const& new_text) {
    return said_of("dir-16", old_text, new_text);
  };
  EXPECT_NE(said("[adapter]", "[nma]\nstate_cycles = 1\n[adapter]").find("burst_bytes"), std::string::npos);
  EXPECT_FALSE(parse_machine(preset("dir-16"), "dir-16.toml").has_accelerators());
  EXPECT_NE(
      said("[l2]\nway_bytes = 16384  # CNI: 64 KB; chosen: four ways\nways = 4  # chosen: three may be scratchpad, "
           "one stays the cache's\nline_bytes = 64",
           "[l2]\nway_bytes = 16384\nways = 4\nline_bytes = 32")
          .find("a packet of DMA has 64 bytes, a line of the L2 32"),
      std::string::npos);
  EXPECT_NE(said("protocol = \"forwarding\"", "protocol = \"snooping\"").find("expected"), std::string::npos);
  EXPECT_NE(said("protocol = \"forwarding\"", "protocol = \"blocking\"").find("passes all data, so it is beside"),
            std::string::npos);
  EXPECT_NE(said("interleave_bytes = 64", "interleave_bytes = 96").find("power of two"), std::string::npos);
  EXPECT_NE(said("requests.channels = 1 ", "requests.channels = 2 ").find("must stay in order"), std::string::npos);
  EXPECT_NE(said("probe_cycles = 8", "probes = 8").find("probe_cycles"), std::string::npos);
}

TEST(a_machine_with_rae, has_nodes_with_their_own_memory_and_nothing_that_goes_behind_the_interface) {
  auto const said = [](std::string const& old_text, std::string const& new_text) {
    return said_of("rae-6", old_text, new_text);
  };
  EXPECT_NE(said("[adapter]", "[nca]\nstate_cycles = 1\n[adapter]").find("[rae] beside the memory has no [nca]"),
            std::string::npos);
  EXPECT_NE(said("memory = [1, 0] ", "memory = [0, 0] ").find("node (1, 0) has its memory elsewhere"),
            std::string::npos);
  EXPECT_NE(said("policy = \"retain\"", "policy = \"free\"").find("free-at-once"), std::string::npos);
  EXPECT_NE(said("cache_bytes = 65536", "cache_bytes = 65535").find("cache_bytes"), std::string::npos);
  EXPECT_NE(said("sub_entries = 64", "sub_entries = 0").find("sub_entries"), std::string::npos);
  EXPECT_NE(said("merge = true", "merges = true").find("merge"), std::string::npos);
}

TEST(a_machine_with_a_look_aside_buffer, has_entries_by_a_power_of_two_and_words_of_other_tiles) {
  machine_description const made = parse_machine(preset("rae-6"), "rae-6.toml");
  ASSERT_TRUE(made.lookaside.has_value());
  EXPECT_EQ(made.lookaside->entries, 64U);
  EXPECT_EQ(made.lookaside->hit_cycles, 1U);
  EXPECT_EQ(made.lookaside->miss_cycles, made.tlm_access_cycles);
  auto const said = [](std::string const& old_text, std::string const& new_text) {
    return said_of("rae-6", "[lookaside]\n" + old_text, "[lookaside]\n" + new_text);
  };
  EXPECT_NE(said("entries = 64", "entries = 48").find("power of two"), std::string::npos);
  EXPECT_NE(said("entries = 64", "entries = 131072").find("entries"), std::string::npos);
  EXPECT_NE(said("entries = 64", "entries = 64\nways = 2").find("unknown key \"lookaside.ways\""), std::string::npos);
  EXPECT_NE(said("entries = 64      #", "# ").find("entries"), std::string::npos);
  EXPECT_NE(said_of("mppa-256", "[adapter]", "[lookaside]\nentries = 1\n[adapter]")
                .find("clusters have no words of other tiles"),
            std::string::npos);
}

TEST(a_machine_with_rae_beside_its_l2s, has_accelerators_and_no_lines_that_stay) {
  auto const said = [](std::string const& old_text, std::string const& new_text) {
    return said_of("tessera-2x2", old_text, new_text);
  };
  machine_description const made = parse_machine(preset("tessera-2x2"), "tessera-2x2.toml");
  ASSERT_TRUE(made.rae && made.cni);
  EXPECT_TRUE(made.has_accelerators());
  EXPECT_FALSE(made.has_nodes());
  EXPECT_NE(said("policy = \"free-at-once\"", "policy = \"retain\"")
                .find("a line that stays beside the L2 would be old when a hart of the tile has written it"),
            std::string::npos);
  EXPECT_NE(said("merge = true", "merge = true\ncache_bytes = 65536").find("neither an interface cache"),
            std::string::npos);
  EXPECT_NE(said("merge = true", "merge = true\nprobe_cycles = 1").find("nor a coherence bus"), std::string::npos);
  EXPECT_NE(
      said("beside = \"l2\"", "beside = \"memory\"").find("[rae] beside the memory has no [cni]; expected \"l2\""),
      std::string::npos);
  EXPECT_NE(said_of("dir-4", "[addresses]", "[rae]\nbeside = \"memory\"\n[addresses]")
                .find("[rae] beside the memory has no [coherence]"),
            std::string::npos);
}

TEST(rae_6, has_the_numbers_of_table_i) {
  machine_description const made = parse_machine(preset("rae-6"), "rae-6.toml");
  EXPECT_EQ(made.tiles(), 6U);
  EXPECT_EQ(made.tile_clock_ps, 500U);
  EXPECT_EQ(made.harts.application_in_memory_tiles, 1U);
  for (cache_shape const& l1 : {made.l1_instruction, made.l1_data}) {
    EXPECT_EQ(l1.size_bytes(), 16U * 1024);
    EXPECT_EQ(l1.ways, 8U);
  }
  EXPECT_EQ(made.l2.size_bytes(), 8U << 20U);
  EXPECT_EQ(made.memory.size_bytes, 2ULL << 30U);
  EXPECT_EQ(made.network.topology, topology_kind::mesh);
  EXPECT_EQ(made.network.link_bytes, 4U);
  ASSERT_TRUE(made.rae);
  EXPECT_EQ(made.rae->cache_bytes / made.l2.line_bytes, 1024U);
  EXPECT_EQ(made.rae->main_entries, 64U);
  EXPECT_EQ(made.rae->sub_entries, 64U);
}

TEST(nemesys_4x4, has_the_numbers_of_table_2) {
  machine_description const made = parse_machine(preset("nemesys-4x4"), "nemesys-4x4.toml");
  EXPECT_EQ(made.tile_clock_ps, 20'000U);
  EXPECT_EQ(made.memory_clock_ps, 10'000U);
  EXPECT_EQ(made.l1_instruction.size_bytes(), 2U * 16 * 1024);
  EXPECT_EQ(made.l1_instruction.line_bytes, 32U);
  EXPECT_EQ(made.l1_data.line_bytes, 16U);
  EXPECT_EQ(made.l2.size_bytes(), 4U * 128 * 1024);
  EXPECT_EQ(made.l2_hit_cycles, 20U);
  EXPECT_EQ(made.tlm_bytes, 8U << 20U);
  EXPECT_EQ(made.memory.size_bytes, 1U << 30U);
  std::uint32_t application = 0;
  for (std::uint32_t tile = 0; tile < made.tiles(); ++tile) application += made.harts_of(tile) - 1;
  EXPECT_EQ(application, 56U);
}

TEST(nemesys_4x4, gives_each_memory_seven_compute_tiles) {
  for (std::string const name : {"nemesys-4x4", "nemesys-4x4-single"}) {
    machine_description const made = parse_machine(preset(name), name);
    std::vector<std::uint32_t> const tiles{5, 15};
    EXPECT_EQ(made.memory.tiles, tiles);
    std::array<int, 2> clients{};
    for (region const& one : made.regions) {
      if (one.kind == region_kind::partition && !made.is_memory(one.tile)) ++clients[one.memory_tile == 5 ? 0 : 1];
    }
    EXPECT_EQ(clients, (name == "nemesys-4x4" ? std::array{7, 7} : std::array{14, 0}));
  }
}

/// The message of parsing the preset with one text replaced by another.
std::string message(std::string const& old_text, std::string const& new_text) {
  return said_of("nemesys-4x4", old_text, new_text);
}

/// `m.toml:line:column` of a text in the preset.
std::string position(std::string const& of, std::size_t further = 0) {
  std::string const text = preset("nemesys-4x4");
  std::size_t const at = text.find(of) + further;
  auto const line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1;
  std::size_t const start = text.rfind('\n', at) + 1;
  return "m.toml:" + std::to_string(line) + ":" + std::to_string(at - start + 1) + ": ";
}

TEST(a_machine_file, names_an_unknown_key_and_those_there_are) {
  std::string const said = message("hit_cycles = 20", "hit_cycles = 20\nhit_cyles = 20");
  EXPECT_TRUE(said.find("unknown key \"l2.hit_cyles\"; expected one of line_bytes, way_bytes") != std::string::npos)
      << said;
  EXPECT_TRUE(said.starts_with("m.toml:")) << said;
}

TEST(a_machine_file, names_each_key_that_there_is_once) {
  std::string const said = message("[grid]", "foo = 1\n[grid]");
  std::size_t const list = said.find("unknown key \"foo\"; expected one of ");
  ASSERT_NE(list, std::string::npos) << said;
  std::size_t const first = said.find(" system,", list);
  EXPECT_NE(first, std::string::npos) << said;
  EXPECT_EQ(said.find(" system,", first + 1), std::string::npos) << said;
}

TEST(a_machine_file, has_the_size_of_a_cache_as_ways_and_their_bytes) {
  std::string const said = message("hit_cycles = 20", "kib = 64\nhit_cycles = 20");
  EXPECT_NE(said.find("no cache has the key kib in a file; expected way_bytes and ways, whose product is the size"),
            std::string::npos)
      << said;
}

TEST(a_machine_file, names_a_missing_key) {
  std::string const said = message("hit_cycles = 20 ", "# ");
  EXPECT_NE(said.find("no key \"l2.hit_cycles\"; expected 1 to 10000 cycles"), std::string::npos) << said;
}

TEST(a_machine_file, places_impossible_sizes) {
  EXPECT_EQ(message("way_bytes = 131072", "way_bytes = 131073"),
            position("way_bytes = 131072", 12) + "way_bytes = 131073 is no power of two; expected 131072 or 262144");
  EXPECT_EQ(message("ways = 4 ", "ways = 17 "),
            position("ways = 4 ", 7) + "ways = 17 is impossible; expected 1 to 16 ways");
  EXPECT_EQ(
      message("tile_mhz = 50", "tile_mhz = 51"),
      position("tile_mhz = 50", 11) + "51 MHz have no period of whole picoseconds; expected a divisor of 1000000");
  EXPECT_EQ(message("ways = 4 ", "ways = \"4\" "),
            position("ways = 4 ", 7) + "ways is no integer; expected 1 to 16 ways");
  EXPECT_EQ(
      message("topology = \"mesh\"", "topology = \"torsu\""),
      position("topology = \"mesh\"", 11) + "topology = \"torsu\" is unknown; expected one of mesh, torus, crossbar");
}

TEST(a_machine_file, has_links_of_rings_on_a_torus_only) {
  EXPECT_NE(message("topology = \"mesh\"", "ring_link_cycles = 2\ntopology = \"mesh\"").find("only a torus has rings"),
            std::string::npos);
}

TEST(a_machine_file, has_classes_of_channels_on_a_torus_only) {
  std::string const torus = "topology = \"torus\"\nring_classes = ";
  EXPECT_NE(
      message("topology = \"mesh\"", "ring_classes = \"route\"\ntopology = \"mesh\"").find("only a torus has rings"),
      std::string::npos);
  EXPECT_NE(message("topology = \"mesh\"", torus + "\"best\"")
                .find("ring_classes = \"best\" is unknown; expected one of dateline, route, balanced"),
            std::string::npos);
  // Accepted, so the next thing that is wrong is found.
  EXPECT_NE(message("topology = \"mesh\"", torus + "\"balanced\"").find("1 channels on a torus"), std::string::npos);
}

TEST(a_machine_file, needs_what_a_torus_needs) {
  std::string const said = message("topology = \"mesh\"", "topology = \"torus\"");
  EXPECT_NE(said.find("1 channels on a torus; expected an even number, for the dateline"), std::string::npos) << said;
}

TEST(a_machine_file, finds_addresses_that_overlap) {
  std::string const said = message("base = 0x20010000000", "base = 0x20007ffe000");
  EXPECT_NE(said.find("partition of tile 1 [0x20007ffe000, 0x2000fffe000) overlaps partition of tile 0 "
                      "[0x20000000000, 0x20008000000); expected a base of at least 0x20008000000"),
            std::string::npos)
      << said;
  EXPECT_TRUE(said.starts_with(position("base = 0x20010000000", 7))) << said;
  EXPECT_NE(message("base = 0x20010000000", "base = 0x1000").find("is impossible"), std::string::npos);
}

TEST(a_machine_file, finds_partitions_that_do_not_fit_or_have_no_memory) {
  EXPECT_NE(message("rows = 16384", "rows = 8192").find("need"), std::string::npos);
  EXPECT_NE(message("memory = [1, 1]", "memory = [0, 1]").find("(0, 1) is no memory tile"), std::string::npos);
  EXPECT_NE(message("tile = [1, 0]", "tile = [0, 0]").find("tile (0, 0) has two partitions"), std::string::npos);
  EXPECT_NE(
      message("tile = [1, 0]", "tile = [4, 0]").find("tile is no tile of the grid; expected [x, y] with x below 4"),
      std::string::npos);
}

TEST(a_machine_file, is_refused_if_refreshes_leave_no_time_for_accesses) {
  // rp + rfc + the longest of a row and of a column, by hand: 11 + 88 + max(28 + 11, 24) + 11 + (8 + 4 + 12).
  std::string const said = "a refresh every 173 cycles leaves no time for accesses: with rfc = 88, one can take 173";
  EXPECT_EQ(message("refi = 6240 ", "refi = 173 "),
            position("refi = 6240", 7) + said + "; expected more than 173, or shorter times");
  EXPECT_EQ(message("refi = 6240 ", "refi = 174 "), "no error");
  EXPECT_NE(message("rfc = 88 ", "rfc = 6240 ").find("one can take 6325; expected"), std::string::npos);
  EXPECT_NE(message("rrd = 5 ", "rrd = 7000 ").find("leaves no time"), std::string::npos);
}

TEST(a_machine_file, has_a_pipeline_if_it_predicts_branches) {
  machine_description const made = parse_machine(preset("sifive-u74"), "sifive-u74.toml");
  ASSERT_TRUE(made.pipeline && made.branches);
  EXPECT_EQ(made.pipeline->issue_width, 2U);
  EXPECT_EQ(made.pipeline->late_cycles, 2U);
  EXPECT_EQ(made.branches->direction, branch_direction::gshare);
  EXPECT_EQ(made.branches->counters, 16384U);
  EXPECT_FALSE(parse_machine(preset("nemesys-4x4"), "m.toml").pipeline);
  auto const said = [](std::string const& old_text, std::string const& new_text) {
    return said_of("sifive-u74", old_text, new_text);
  };
  EXPECT_NE(said("issue_width = 2 ", "issue_width = 3 ").find("issue_width = 3 is impossible; expected 1 to 2"),
            std::string::npos);
  EXPECT_NE(said("counters = 16384 ", "counters = 512 ").find("longer than the index of a counter; expected"),
            std::string::npos);
  EXPECT_NE(said("counters = 16384 ", "counters = 16383 ").find("counters = 16383"), std::string::npos);
  EXPECT_NE(said("direction = \"gshare\"", "direction = \"bimodal\"").find("history_bits"), std::string::npos)
      << "which has no history";
  std::string const pipeline = "[pipeline]\n";
  EXPECT_NE(said(pipeline, "[other]\n").find("a hart that predicts branches has a pipeline; expected a table"),
            std::string::npos);
}

TEST(a_machine_file, translates_addresses_where_nobody_else_must_know_them) {
  machine_description const made = parse_machine(preset("sifive-u74-mmu"), "sifive-u74-mmu.toml");
  ASSERT_TRUE(made.mmu);
  EXPECT_EQ(made.mmu->dtlb_entries, 40U);
  EXPECT_EQ(made.mmu->l2_tlb_entries, 512U);
  EXPECT_FALSE(parse_machine(preset("sifive-u74"), "m.toml").mmu);
  auto const said = [](std::string const& old_text, std::string const& new_text) {
    return said_of("sifive-u74-mmu", old_text, new_text);
  };
  EXPECT_NE(said("dtlb_entries = 40 ", "dtlb_entries = 1 ").find("dtlb_entries = 1 is impossible; expected 2 to 1024"),
            std::string::npos);
  EXPECT_NE(said("l2_tlb_ways = 1 ", "l2_tlb_ways = 3 ").find("512 entries of 3 ways; expected a power of two of sets"),
            std::string::npos);
  EXPECT_NE(said("l2_tlb_entries = 512 ", "l2_tlb_entries = 0 ").find("unknown key \"mmu.l2_tlb_"), std::string::npos)
      << "they are of what is not there";
  std::string const table =
      "[mmu]\nitlb_entries = 2\ndtlb_entries = 2\nl2_tlb_entries = 0\nwalk_cache_entries = 0\n"
      "page_fault_cycles = 0\n";
  EXPECT_EQ(said_of("nemesys-4x4", "[l2]\n", table + "[l2]\n"), "no error");
  EXPECT_EQ(said_of("dir-4", "[l2]\n", table + "[l2]\n"), "no error");
  for (auto const& [machine, other] : {std::pair{"cni-4", "[cni]"}, {"mppa-256", "[clusters]"}, {"rae-6", "[rae]"}}) {
    std::string const refused = said_of(machine, "[l2]\n", table + "[l2]\n");
    EXPECT_NE(refused.find("no [mmu] on a machine with"), std::string::npos) << refused;
    EXPECT_NE(refused.find(machine == std::string("rae-6") ? "beside the memory" : other), std::string::npos);
  }
}

TEST(a_machine_file, has_a_prefetcher_where_nobody_takes_lines_back) {
  std::string const table = "[prefetcher]\nentries = 16\ndegree = 4\noutstanding = 8\n[l2]\n";
  EXPECT_EQ(said_of("nemesys-4x4", "[l2]\n", table), "no error");
  EXPECT_EQ(said_of("tessera-4x4", "[l2]\n", table), "no error");
  EXPECT_NE(said_of("dir-4", "[l2]\n", table).find("no [prefetcher] beside [coherence]"), std::string::npos);
  EXPECT_NE(said_of("rae-6", "[l2]\n", table).find("no [prefetcher] beside"), std::string::npos);
  EXPECT_NE(said_of("nemesys-4x4", "[l2]\n", "[prefetcher]\nentries = 3\n[l2]\n").find("entries = 3"),
            std::string::npos);
}

TEST(a_machine_file, has_as_many_harts_as_an_l2_tells_apart) {
  EXPECT_EQ(message("application = 4 ", "application = 31 "), "no error");
  EXPECT_EQ(message("application = 4 ", "application = 32 "),
            position("application = 4", 14) + "application = 32 is impossible; expected 0 to 31 harts");
  EXPECT_EQ(said_of("rae-6", "application = 1 ", "application = 32 "), "no error") << "without [system]";
  EXPECT_NE(said_of("rae-6", "application = 1 ", "application = 33 ").find("expected 0 to 32 harts"),
            std::string::npos);
}

TEST(a_machine_file, has_sizes_and_addresses_of_whole_pages_and_room_for_programs) {
  EXPECT_EQ(message("tlm_bytes = 8388608 ", "tlm_bytes = 8388609 "),
            position("tlm_bytes = 8388608", 12) +
                "tlm_bytes = 8388609 is no multiple of a page; expected 8388608 or 8392704");
  EXPECT_NE(message("tlm_bytes = 8388608 ", "tlm_bytes = 0 ").find("expected 4096 to 1073741824 bytes"),
            std::string::npos);
  EXPECT_EQ(
      message("local_tail_bytes = 100663296", "local_tail_bytes = 1"),
      position("local_tail_bytes = 100663296", 19) + "local_tail_bytes = 1 is no multiple of a page; expected 4096");
  EXPECT_EQ(message("local_tail_bytes = 100663296", "local_tail_bytes = 0"),
            position("local_tail_bytes = 100663296", 19) +
                "with tlm_bytes = 8388608, programs have 8388608 bytes, and 8 MiB of stack; expected at least 8388608");
  EXPECT_EQ(message("local_tail_bytes = 100663296", "local_tail_bytes = 8388608"), "no error");
  for (std::string const key : {"tlm_base = 0x100_0000_0000", "device_base = 0x300_0000_0000",
                                "uncached_offset = 0x1000_0000_0000", "tlm_stride = 0x1_0000_0000"}) {
    EXPECT_NE(message(key, key.substr(0, key.size() - 1) + "1").find("expected a multiple of 4096"), std::string::npos)
        << key;
  }
}

TEST(a_machine_file, has_lines_and_transfers_that_fit_into_packets_and_memories_that_can_be_mapped) {
  EXPECT_EQ(message("dma_packet_bytes = 64", "dma_packet_bytes = 128"),
            position("dma_packet_bytes = 64", 19) + "dma_packet_bytes = 128 is impossible; expected 32 to 64 bytes");
  EXPECT_NE(said_of("tessera-2x2", "line_bytes = 64", "line_bytes = 128")
                .find("do not fit into a packet; expected at "
                      "most 64"),
            std::string::npos);
  EXPECT_NE(said_of("nemesys-2x2", "row_bytes = 8192 ", "row_bytes = 65536 ").find("no error"), std::string::npos);
  std::string text = preset("nemesys-2x2");
  for (auto const& [one, other] : {std::pair{"row_bytes = 8192 ", "row_bytes = 65536 "}, {"banks = 8 ", "banks = 64 "}})
    text.replace(text.find(one), std::string(one).size(), other);
  text.replace(text.find("rows = 16384 "), 12, "rows = 1048576");
  EXPECT_NO_THROW((void)parse_machine(text, "m.toml")) << "4 TiB";
  text.replace(text.find("ranks = 1 "), 9, "ranks = 8");
  text.replace(text.find("banks = 64"), 10, "banks = 8");
  EXPECT_NO_THROW((void)parse_machine(text, "m.toml")) << "4 TiB, too";
  text = preset("rae-6");  // six memories
  for (auto const& [one, other] : {std::pair{"row_bytes = 8192", "row_bytes = 65536"}, {"banks = 16", "banks = 64"}})
    text.replace(text.find(one), std::string(one).size(), other);
  text.replace(text.find("rows = 16384 "), 12, "rows = 1048576");
  try {
    (void)parse_machine(text, "m.toml");
    ADD_FAILURE() << "24 TiB are mapped";
  } catch (config_error const& wrong) {
    EXPECT_NE(std::string(wrong.what()).find("6 memories of 4398046511104 bytes, and tile-local ones, are too large"),
              std::string::npos)
        << wrong.what();
  }
}

TEST(a_machine_file, is_refused_at_its_first_toml_error) {
  std::string const said = message("[l2]", "[l2");
  EXPECT_TRUE(said.starts_with("m.toml:")) << said;
  EXPECT_NE(said.find("expected TOML 1.0"), std::string::npos) << said;
  EXPECT_THROW((void)read_machine("no/such/file.toml"), config_error);
}

TEST(a_machine_file, never_crashes_the_reader_when_a_byte_is_wrong) {
  std::string const text = preset("nemesys-2x2");
  int refused = 0;
  for (std::size_t at = 0; at < text.size(); at += 7) {
    for (char const wrong : {'\0', '"', '[', '9', '-', '\n'}) {
      std::string changed = text;
      changed[at] = wrong;
      try {
        (void)parse_machine(changed, "changed");
      } catch (config_error const& said) {
        ++refused;
        EXPECT_TRUE(std::string_view(said.what()).starts_with("changed:")) << said.what();
      }
    }
  }
  EXPECT_GT(refused, 500);
}

}  // namespace
