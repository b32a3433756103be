// machine_test: programs on tiles with directory coherence see only outcomes that RVWMO allows and lose no update.
// Method: litmus programs on words of four partitions and on words of one line, at several quanta and on two networks;
// locks and barriers that check themselves; accesses through the adapter and by DMA next to cached ones; each kind of
// directory and home.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "child.hpp"
#include "machine/config/comparison.hpp"

namespace tess::machine {
namespace {

std::string const programs = TESS_MACHINE_PROGRAMS;

/// A preset with some texts changed, as mine.toml in the folder.
using changes = std::vector<std::pair<std::string, std::string>>;
void describe(work_folder const& folder, std::string const& machine, changes const& all) {
  std::string text = resolved_text(TESS_MACHINES "/" + machine + ".toml");
  for (auto const& [from, to] : all) {
    std::size_t const at = text.find("\n" + from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at + 1, from.size(), to);
  }
  std::ofstream{folder.path() / "mine.toml"} << text;
}

changes const beside_memory{{"homes = \"partition\"", "homes = \"memory\""}};
changes const interleaved{{"homes = \"partition\"", "homes = \"interleaved\""}};
changes const blocking{beside_memory.front(), {"protocol = \"forwarding\"", "protocol = \"blocking\""}};

struct machine_with {
  std::string name;
  int quantum = 2;
  changes changed;
};
void PrintTo(machine_with const& m, std::ostream* out) {
  *out << m.name << ", quantum " << m.quantum << (m.changed.empty() ? "" : ", " + m.changed.back().second);
}

class coherent_tiles : public testing::TestWithParam<machine_with> {
 protected:
  void SetUp() override {
    changes all = GetParam().changed;
    all.emplace_back("quantum_cycles = 2 ", "quantum_cycles = " + std::to_string(GetParam().quantum) + " ");
    all.emplace_back("tlm_bytes = 4096 ", "tlm_bytes = 65536 ");  // swapping wants words there, too
    describe(folder_, GetParam().name, all);
  }
  outcome run(int copies, std::string const& words) const {
    return folder_.run(TESS_MACHINE " --quiet --machine mine.toml --copies " + std::to_string(copies) + " -- '" +
                       programs + "/" + words);
  }
  work_folder folder_;
};

TEST_P(coherent_tiles, see_only_what_rvwmo_allows_and_wake_each_other) {
  for (std::string const where : {"lines", "line"}) {
    outcome const result = run(4, "litmus_tiles' " + where);
    EXPECT_EQ(result.output,
              "MP: 0 of 200\nSB: 0 of 200\nLB: 0 of 200\nIRIW: 0 of 200\nCoRR: 0 of 200\n2+2W: 0 of 200\n"
              "LR/SC: 800\nacross lines: 0 of 800\nturns: 200\n tile 1\nzeros: 0\nstores: 1\n")
        << where << result.error;
  }
}

TEST_P(coherent_tiles, lose_no_amo_of_all_tiles_no_compare_and_swap_at_the_home_and_no_dma) {
  if (GetParam().name == "dir-4") GTEST_SKIP() << "five copies";
  outcome const swapped = run(5, "swapping' 20");
  EXPECT_EQ(swapped.output, "300 300\n300 300\ncopies 0 0, 0 words wrong, 3969 there\nrefused: 3 3 3 3 3\n")
      << swapped.error;
}
INSTANTIATE_TEST_SUITE_P(machines, coherent_tiles,
                         testing::Values(machine_with{"dir-4", 8, {}}, machine_with{"dir-16", 1, {}},
                                         machine_with{"dir-16", 256, {}}, machine_with{"dir-4", 8, blocking},
                                         machine_with{"dir-16", 2, blocking}, machine_with{"dir-16", 2, beside_memory},
                                         machine_with{"dir-16", 2, interleaved}));

/// Another preset, with directories beside everything that it has.
struct directories_beside {
  std::string name;
  std::string protocol;
  std::string homes;
};
void PrintTo(directories_beside const& m, std::ostream* out) {
  *out << m.name << ", " << m.protocol << ", " << m.homes;
}

class coherent_units : public testing::TestWithParam<directories_beside> {
 protected:
  void SetUp() override {
    auto const& [name, protocol, homes] = GetParam();
    std::ofstream{folder_.path() / "mine.toml"} << "extends = \"" << name << "\"\n[l2]\nline_bytes = 64\n"
                                                << "[network]\nrequests.channels = 1\n"
                                                << "[coherence]\nprotocol = \"" << protocol << "\"\nhomes = \"" << homes
                                                << "\"\ninterleave_bytes = 64\ndirectory_cycles = 4\n"
                                                << "probe_cycles = 8\n";
  }
  outcome run(std::string const& machine, int copies, std::string const& words) const {
    return folder_.run(TESS_MACHINE " --quiet --machine " + machine + " --copies " + std::to_string(copies) + " -- '" +
                       programs + "/" + words);
  }
  work_folder folder_;
};

std::string first_line(outcome const& of) {
  return of.output.substr(0, of.output.find('\n'));
}

class coherent_interfaces : public coherent_units {};

TEST_P(coherent_interfaces, copy_what_caches_have_and_programs_read_what_they_wrote) {
  EXPECT_EQ(first_line(run("mine.toml", 4, "coherent_interfaces'")), "18504 of 18504");
  EXPECT_EQ(first_line(run("mine.toml", 4, "interfaces'")), first_line(run(GetParam().name, 4, "interfaces'")));
}

TEST_P(coherent_units, do_what_they_do_without_directories) {
  for (std::string const words : {"invoking'", "swapping' 10", "extended' 20 mapped"}) {
    outcome const result = run("mine.toml", 5, words);
    EXPECT_EQ(result.code, 0) << words << result.error;
    EXPECT_EQ(result.output, run(GetParam().name, 5, words).output) << words;
  }
  // Its part with system calls wants an image in DDR.
  std::string const seen = run("mine.toml", 4, "litmus_tiles' lines").output;
  EXPECT_EQ(seen.substr(0, seen.find("turns")),
            "MP: 0 of 200\nSB: 0 of 200\nLB: 0 of 200\nIRIW: 0 of 200\nCoRR: 0 of 200\n2+2W: 0 of 200\n"
            "LR/SC: 800\nacross lines: 0 of 800\n");
}
INSTANTIATE_TEST_SUITE_P(machines, coherent_interfaces,
                         testing::Values(directories_beside{"cni-4", "forwarding", "partition"},
                                         directories_beside{"cni-4", "forwarding", "interleaved"},
                                         directories_beside{"cni-4", "forwarding", "memory"},
                                         directories_beside{"cni-4", "blocking", "memory"}));
INSTANTIATE_TEST_SUITE_P(machines, coherent_units,
                         testing::Values(directories_beside{"nemesys-4x4", "forwarding", "memory"},
                                         directories_beside{"tessera-4x4", "forwarding", "partition"},
                                         directories_beside{"tessera-4x4", "forwarding", "interleaved"},
                                         directories_beside{"tessera-4x4", "blocking", "memory"}));

TEST(caches_without_directories, have_old_bytes_after_copies) {
  work_folder const folder;
  outcome const result =
      folder.run(TESS_MACHINE " --quiet --machine cni-4 --copies 4 -- '" + programs + "/coherent_interfaces'");
  EXPECT_NE(first_line(result), "18504 of 18504");
}

TEST(coherent_caches, have_locks_that_exclude_and_barriers_that_hold) {
  work_folder const folder;
  for (std::string const number : {"4", "16"}) {
    for (std::string const program : {"dir-mcs", "dir-tree"}) {
      outcome const result = folder.run(TESS_MACHINE " --quiet --machine dir-" + number + " --copies " + number +
                                        " -- '" + programs + "/" + program + "' 8");
      EXPECT_EQ(result.code, 0) << result.error;
      EXPECT_EQ(std::to_string(std::ranges::count(result.output, '\n')), number) << result.output;
    }
  }
}

TEST(coherent_caches, have_directories_that_count_what_tiles_count) {
  work_folder const folder;
  outcome const result =
      folder.run(TESS_MACHINE " --quiet --machine dir-16 --copies 16 --stats s.json -- '" + programs + "/dir-mcs' 8");
  ASSERT_EQ(result.code, 0) << result.error;
  nlohmann::json const all = nlohmann::json::parse(text_of(folder.path() / "s.json"));
  auto const sum = [&](char const* part, std::string const& name) {
    std::uint64_t of_all = 0;
    for (nlohmann::json const& one : all[part]) of_all += one[name].get<std::uint64_t>();
    return of_all;
  };
  auto const counted = [&](std::string const& name) { return sum("tiles", "directory_" + name); };
  // Messages in flight when the last copy ends are counted by only one of the two.
  EXPECT_NEAR(static_cast<double>(counted("write_backs")), static_cast<double>(sum("tiles", "l2_write_backs")), 32);
  EXPECT_NEAR(static_cast<double>(counted("requests") - counted("write_backs") - counted("given_back")),
              static_cast<double>(sum("tiles", "l2_misses")), 32);
  EXPECT_GT(counted("waited"), 0U) << "all want the lock's line";
  EXPECT_GT(counted("invalidations"), 0U);
  EXPECT_GT(counted("supplied"), 0U);
  EXPECT_LE(counted("supplied"), counted("forwards"));
  EXPECT_LE(counted("stale_write_backs"), counted("write_backs"));
  for (nlohmann::json const& one : all["tiles"]) {
    bool const waited = one["directory_waited"] != 0;
    EXPECT_EQ(one["directory_wait_cycles"] > 0, waited) << one;
  }
}

}  // namespace
}  // namespace tess::machine
