// variants_test: a machine file that extends others is what they are when merged; errors name file, line and the chain.
//
// Method: files are written to a folder of their own and read; values, comments, positions and whole messages are
// compared with what the rule says by hand.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "machine/config/comparison.hpp"
#include "machine/config/description.hpp"

namespace {

namespace fs = std::filesystem;
using namespace tess::machine;  // NOLINT: a test of one namespace

struct variants : testing::Test {
  fs::path folder = fs::temp_directory_path() / ("variants_test." + std::to_string(::getpid()));
  variants() {
    fs::create_directories(folder / "deep");
    for (std::string const name : {"nemesys-4x4", "cni-4", "rae-6"})
      fs::copy_file(std::string(TESS_MACHINES) + "/" + name + ".toml", folder / (name + ".toml"),
                    fs::copy_options::overwrite_existing);
  }
  ~variants() override { fs::remove_all(folder); }

  std::string file(std::string const& name, std::string const& text) {
    std::ofstream(folder / name) << text;
    return (folder / name).string();
  }
  machine_description read(std::string const& text) { return read_machine(file("mine.toml", text)); }
  /// The message, with the folder's name left out.
  std::string said(std::string const& name) const {
    try {
      (void)read_machine(folder / name);
    } catch (config_error const& wrong) {
      std::string text = wrong.what();
      std::string const gone = folder.string() + "/";
      for (std::size_t at = text.find(gone); at != std::string::npos; at = text.find(gone)) text.erase(at, gone.size());
      return text;
    }
    return "no error";
  }
};

TEST_F(variants, of_nodes_with_interfaces_beside_their_memories_have_no_fewer_memories) {
  file("few.toml", R"(
extends = "rae-6"
without = ["partition"]
[memory]
tiles = [[0, 0]]
[partitions]
base = 0x20000000000
stride = 0x10000000
size_bytes = 268435456
[dram]
rows = 262144
)");
  EXPECT_NE(said("few.toml").find("node (1, 0) has its memory elsewhere, but [rae] is beside it"), std::string::npos)
      << said("few.toml");
}

TEST_F(variants, have_the_lines_that_differ_and_all_others_of_their_base) {
  machine_description const made = read(R"(
extends = "nemesys-4x4"
[l2]
hit_cycles = 7  # mine: a faster one
[network]
requests.channels = 3
)");
  machine_description const base = read_machine(folder / "nemesys-4x4.toml");
  EXPECT_EQ(made.name, "mine");
  EXPECT_EQ(made.summary, "a variant of nemesys-4x4");
  EXPECT_EQ(made.l2_hit_cycles, 7U);
  EXPECT_EQ(made.l2_miss_cycles, base.l2_miss_cycles);
  EXPECT_EQ(made.l2.way_bytes, base.l2.way_bytes);
  EXPECT_EQ(made.network.virtual_networks[0].channels, 3U);
  EXPECT_EQ(made.network.virtual_networks[0].priority, base.network.virtual_networks[0].priority);
  EXPECT_EQ(made.network.virtual_networks[1].channels, base.network.virtual_networks[1].channels);
  EXPECT_EQ(made.regions.size(), base.regions.size());
  ASSERT_EQ(made.explained.size(), base.explained.size());
  for (std::size_t i = 0; i < made.explained.size(); ++i) {
    explained_value const& one = made.explained[i];
    EXPECT_EQ(one.path, base.explained[i].path);
    if (one.path == "l2.hit_cycles") {
      EXPECT_EQ(one.source, "mine: a faster one");
    } else if (one.path != "network.requests.channels") {
      EXPECT_EQ(one.value, base.explained[i].value);
      EXPECT_EQ(one.source, base.explained[i].source) << one.path;
    }
  }
}

TEST_F(variants, extend_variants_by_paths_relative_to_each_file) {
  file("deep/second.toml", "extends = \"../nemesys-4x4.toml\"\nname = \"second\"\nl2.hit_cycles = 7\nl2.ways = 8\n");
  machine_description const made = read("extends = \"deep/second.toml\"\nsummary = \"third\"\n[l2]\nways = 2\n");
  EXPECT_EQ(made.name, "mine") << "names are not inherited";
  EXPECT_EQ(made.summary, "third");
  EXPECT_EQ(made.l2_hit_cycles, 7U);
  EXPECT_EQ(made.l2.ways, 2U);
}

TEST_F(variants, replace_lists_and_lists_of_tables_as_a_whole) {
  machine_description const made = read(R"(
extends = "cni-4"
without = ["partitions"]
[grid]
width = 1
[memory]
tiles = [[0, 0]]
[harts]
application_in_memory_tiles = 1
[[partition]]
tile = [0, 0]
memory = [0, 0]
base = 0x20000000000
size_bytes = 134217728
)");
  EXPECT_EQ(made.memory.tiles, std::vector<std::uint32_t>{0});
  EXPECT_EQ(std::ranges::count(made.regions, region_kind::partition, &region::kind), 1);
  file("other.toml", R"(
extends = "mine.toml"
[[partition]]
tile = [0, 0]
memory = [0, 0]
base = 0x20010000000
size_bytes = 134217728
)");
  machine_description const other = read_machine(folder / "other.toml");
  auto const one = std::ranges::find(other.regions, region_kind::partition, &region::kind);
  EXPECT_EQ(one->base, 0x200'1000'0000U);
  EXPECT_EQ(std::ranges::count(other.regions, region_kind::partition, &region::kind), 1);
}

TEST_F(variants, leave_out_tables_and_keys) {
  machine_description const made = read(R"(
extends = "cni-4"
without = ["cni", "addresses.scratchpad_base", "addresses.scratchpad_stride", "lookaside"]
)");
  EXPECT_FALSE(made.cni);
  EXPECT_FALSE(made.lookaside);
}

TEST_F(variants, are_refused_with_file_line_column_and_chain) {
  file("mine.toml", "# one\nextends = \"mine.toml\"\n");
  EXPECT_EQ(said("mine.toml"),
            "mine.toml:2:11: a machine extends itself; expected a base that does not need this file (mine.toml "
            "extends mine.toml)");
  file("a.toml", "extends = \"b.toml\"\n");
  file("b.toml", "\nextends = \"deep/../c.toml\"\n");
  file("c.toml", "\n\n  extends = \"a.toml\"\n");
  EXPECT_EQ(said("a.toml"),
            "c.toml:3:13: machines extend each other in a circle; expected a base that does not need this file (a.toml "
            "extends b.toml extends c.toml extends a.toml)");
  file("c.toml", "extends = \"none.toml\"\n");
  EXPECT_EQ(said("a.toml"),
            "c.toml:1:11: the base none.toml: cannot be read; expected a machine's name, or the path of a file that "
            "ends in .toml (a.toml extends b.toml extends c.toml extends none.toml)");
  file("c.toml", "extends = \"nemesys-5x5\"\n");
  EXPECT_TRUE(said("c.toml").starts_with("c.toml:1:11: there is no machine \"nemesys-5x5\"; expected "))
      << said("c.toml");
  file("c.toml", "extends = 4\n");
  EXPECT_TRUE(said("c.toml").starts_with("c.toml:1:11: extends is no text")) << said("c.toml");
  file("c.toml", "extends = \"../" + folder.filename().string() + "/deep.toml\"\n");
  fs::create_directory(folder / "deep.toml");
  EXPECT_NE(said("c.toml").find("is no regular file"), std::string::npos) << said("c.toml");
  file("c.toml", "extends = \"cni-4\"\nwithout = [\"cni\", \"l2.way\"]\n");
  EXPECT_TRUE(said("c.toml").starts_with("c.toml:2:19: the base has no \"l2.way\" to leave out; expected a key or a "))
      << said("c.toml");
  file("c.toml", "extends = \"cni-4\"\nwithout = [\"cni\", 3]\n");
  EXPECT_TRUE(said("c.toml").starts_with("c.toml:2:19: an element of without is no text")) << said("c.toml");
  file("c.toml", "without = [\"cni\"]\n");
  EXPECT_TRUE(said("c.toml").starts_with("c.toml:1:11: without what it extends, nothing is left out"))
      << said("c.toml");
}

TEST_F(variants, say_in_which_file_a_value_is_wrong) {
  file("base.toml", "extends = \"nemesys-4x4\"\n\n[l2]\nways = 99\n");
  file("mine.toml", "extends = \"base.toml\"\n[l2]\nhit_cycles = 3\n");
  EXPECT_EQ(said("mine.toml"),
            "base.toml:4:8: ways = 99 is impossible; expected 1 to 16 ways (mine.toml extends base.toml)");
  file("base.toml", "extends = \"nemesys-4x4\"\n[l2]\nway = 2\n");
  EXPECT_TRUE(said("mine.toml").starts_with("base.toml:3:1: unknown key \"l2.way\"; expected one of "))
      << said("mine.toml");
  file("base.toml", "extends = \"nemesys-4x4\"\n[l2\n");
  EXPECT_TRUE(said("mine.toml").starts_with("base.toml:2:4: ")) << said("mine.toml");
  EXPECT_TRUE(said("mine.toml").ends_with("(mine.toml extends base.toml)")) << said("mine.toml");
  file("mine.toml", "extends = \"nemesys-4x4\"\nl2 = 5\n");
  EXPECT_EQ(said("mine.toml"), "mine.toml:2:6: l2 is no table; expected a table [l2]");
}

TEST_F(variants, may_not_be_nested_or_chained_without_end) {
  std::string deep;
  for (int i = 0; i < 200'000; ++i) deep += "a.";
  file("mine.toml", deep + "a = 1\n");
  EXPECT_EQ(said("mine.toml"), "mine.toml:1:1: the line has too many dots; expected at most 1000");
  for (int i = 0; i < 40; ++i)
    file("x" + std::to_string(i) + ".toml", "extends = \"x" + std::to_string(i + 1) + ".toml\"\n");
  EXPECT_TRUE(said("x0.toml").starts_with("x31.toml:1:11: too many machines extend each other; expected at most 32"))
      << said("x0.toml");
}

TEST_F(variants, are_shown_as_one_file_that_reads_the_same) {
  std::string const mine = file("mine.toml", "extends = \"cni-4\"\nwithout = [\"lookaside\"]\nl2.ways = 3 # mine\n");
  std::string const text = resolved_text(mine);
  EXPECT_NE(text.find("\n[l2]\nway_bytes = 16384  # CNI"), std::string::npos) << text;
  EXPECT_NE(text.find("\nways = 3  # mine\n"), std::string::npos) << text;
  EXPECT_NE(text.find("base = 0x200_0000_0000  #"), std::string::npos) << "numbers stay as they were written";
  EXPECT_EQ(text.find("extends"), std::string::npos);
  machine_description const one = read_machine(mine);
  machine_description const other = parse_machine(text, "shown.toml");
  EXPECT_EQ(one.name, other.name);
  EXPECT_EQ(one.regions.size(), other.regions.size());
  ASSERT_EQ(one.explained.size(), other.explained.size());
  for (std::size_t i = 0; i < one.explained.size(); ++i) {
    EXPECT_EQ(one.explained[i].path, other.explained[i].path);
    EXPECT_EQ(one.explained[i].value, other.explained[i].value);
    EXPECT_EQ(one.explained[i].source, other.explained[i].source);
  }
}

TEST_F(variants, differ_in_the_keys_that_they_change) {
  std::string const base = (folder / "nemesys-4x4.toml").string();
  std::string const mine =
      file("mine.toml",
           "extends = \"nemesys-4x4\"\nwithout = [\"lookaside\"]\n[l2]\nhit_cycles = 20\nways = 8\n"
           "[memory]\ntiles = [[1, 1], [3, 3], [0, 0]]\n[clocks]\ntile_mhz = 0x64\n");
  auto const found = differences_of(base, mine);
  std::vector<std::string> keys;
  for (difference const& one : found) keys.push_back(one.key);
  EXPECT_EQ(keys, (std::vector<std::string>{"clocks.tile_mhz", "l2.ways", "lookaside.entries", "lookaside.hit_cycles",
                                            "lookaside.miss_cycles", "memory.tiles"}));
  EXPECT_EQ(found[0].written, (std::pair<std::string, std::string>{"50", "0x64"}));
  EXPECT_EQ(found[0].json, (std::pair<std::string, std::string>{"50", "100"}));
  EXPECT_EQ(found[2].json, (std::pair<std::string, std::string>{"64", ""}));
  EXPECT_EQ(found[5].written, (std::pair<std::string, std::string>{"[[1, 1], [3, 3]]", "[[1, 1], [3, 3], [0, 0]]"}));
  EXPECT_TRUE(differences_of(base, base).empty());
}

TEST(presets, differ_by_tables_in_lists_key_by_key_or_as_a_whole) {
  std::string const folder = std::string(TESS_MACHINES) + "/";
  auto const grids = differences_of(folder + "nemesys-4x4.toml", folder + "nemesys-4x4-single.toml");
  ASSERT_EQ(grids.size(), 1U + 16 + 7);
  EXPECT_EQ(grids[4].key, "partition[3].memory");
  EXPECT_EQ(grids[4].json, (std::pair<std::string, std::string>{"[3, 3]", "[1, 1]"}));
  auto const nodes = differences_of(folder + "rae-6.toml", folder + "rae-16.toml");
  EXPECT_EQ(nodes.back().key, "partition[15]");
  EXPECT_EQ(nodes.back().written.second,
            "{ tile = [3, 3], memory = [3, 3], base = 0x20780000000, size_bytes = 2147483648 }");
}

}  // namespace
