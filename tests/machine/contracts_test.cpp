// contracts_test: guarantees to programs on a machine: one home for each word, no outcome that RVWMO forbids however
// far harts run ahead, and a simulator that uses no more memory than the program touches.
// Method: programs that count forbidden outcomes, at several quanta, with words in the tile-local memory and behind the
// L2; sums of atomics from two tiles; the resident memory of the simulator as the operating system measures it.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <regex>

#include "child.hpp"
#include "machine/config/comparison.hpp"
#include "runtime/sanitized.hpp"

namespace tess::machine {
namespace {

std::string const programs = TESS_MACHINE_PROGRAMS;

/// nemesys-2x2 with another quantum, as a file in the folder.
void describe_quantum(work_folder const& folder, int quantum) {
  std::string text = resolved_text(TESS_MACHINES "/nemesys-2x2.toml");
  std::string const line = "quantum_cycles = 64 ";
  ASSERT_NE(text.find(line), std::string::npos);
  text.replace(text.find(line), line.size(), "quantum_cycles = " + std::to_string(quantum) + " ");
  std::ofstream{folder.path() / "quantum.toml"} << text;
}

class at_quantum : public testing::TestWithParam<int> {
 protected:
  void SetUp() override { describe_quantum(folder_, GetParam()); }
  [[nodiscard]] outcome run(std::string const& words) const {
    return folder_.run(TESS_MACHINE " --machine quantum.toml -- '" + programs + "/" + words);
  }
  work_folder folder_;
};

TEST_P(at_quantum, four_harts_see_only_what_rvwmo_allows) {
  for (char const* where : {"static", "mapped"}) {
    outcome const result = run(std::string("litmus' ") + where);
    EXPECT_EQ(result.output,
              "MP: 0 of 150\nSB: 0 of 150\nLB: 0 of 150\nIRIW: 0 of 150\nCoRR: 0 of 150\n2+2W: 0 of 150\n"
              "LR/SC: 0 of 150\n")
        << where << result.error;
  }
}

INSTANTIATE_TEST_SUITE_P(quanta, at_quantum, testing::Values(1, 16, 256));

TEST(a_word, has_one_home_for_its_owner_and_for_others) {
  work_folder const folder;
  std::uint64_t const times = test::is_sanitized ? 2000 : 20'000;
  outcome const result = folder.run(TESS_MACHINE " --quiet --machine nemesys-2x2 --copies 2 -- '" + programs +
                                    "/adding' " + std::to_string(times));
  std::string const sum = std::to_string(2 * times);
  EXPECT_EQ(result.output, sum + " " + sum + "\n") << result.error;
}

TEST(a_word, slow_has_one_home_for_a_million_atomics_of_all_tiles) {
  if (std::getenv("TESS_SLOW") == nullptr) GTEST_SKIP() << "a long run: set TESS_SLOW";
  work_folder const folder;
  outcome const result =
      folder.run(TESS_MACHINE " --quiet --machine nemesys-4x4 --copies 14 -- '" + programs + "/adding' 71429");
  EXPECT_EQ(result.output, "1000006 1000006\n") << result.error;
}

TEST(a_word, has_one_home_for_all_tiles) {
  work_folder const folder;
  outcome const result =
      folder.run(TESS_MACHINE " --quiet --machine nemesys-4x4 --copies 14 -- '" + programs + "/adding' 500");
  EXPECT_EQ(result.output, "7000 7000\n") << result.error;
}

/// `adding` on 14 tiles: its statistics, and its table.
struct additions {
  nlohmann::json counted;
  std::string table;
};
additions add_on_14_tiles(std::string const& machine, std::string const& buffer_flits) {
  work_folder const folder;
  std::string text = resolved_text(TESS_MACHINES "/" + machine + ".toml");
  std::string const line = "\nbuffer_flits = ";
  std::size_t const at = text.find(line);
  if (at == std::string::npos) return {};
  text.replace(at, line.size() + 1, line + buffer_flits);
  std::ofstream{folder.path() / "changed.toml"} << text;
  outcome const run =
      folder.run(TESS_MACHINE " --machine changed.toml --copies 14 --stats s.json -- '" + programs + "/adding' 100");
  EXPECT_EQ(run.output, "1400 1400\n") << run.error;
  return {nlohmann::json::parse(text_of(folder.path() / "s.json")), run.error};
}

TEST(the_time_of_a_run, does_not_depend_on_the_block_size_of_the_hosts_file_system) {
  work_folder const folder;
  std::string const run = TESS_MACHINE " --quiet --machine nemesys-2x2 --stats s.json -- '" + programs + "/streams' ";
  std::string times[2];
  std::string outputs[2];
  // Files of /proc have blocks of 1 KiB, those of a folder larger ones.
  std::string const files[2] = {"/proc/version", "version"};
  for (int k = 0; k < 2; ++k) {
    outcome const ended = folder.run("cat /proc/version >version; " + run + '<' + files[k]);
    EXPECT_EQ(ended.code, 0) << ended.error;
    times[k] = nlohmann::json::parse(text_of(folder.path() / "s.json"))["simulated_ps"].dump();
    outputs[k] = ended.output;
  }
  EXPECT_EQ(times[0], times[1]);
  EXPECT_EQ(outputs[0], outputs[1]);
}

TEST(atomics, hold_the_bus_of_their_home_until_they_are_complete) {
  auto const [counted, table] = add_on_14_tiles("nemesys-4x4", "8");
  // The home does 1,400 in its tile-local memory, 20 cycles each, and as many in its L2.
  double const cycles = counted["simulated_ps"].get<double>() / 20'000;
  double const busy = counted["tiles"][0]["bus_load"].get<double>() * cycles;
  EXPECT_GE(busy, 2 * 1400 * 20);
  EXPECT_LE(busy, 2 * 1400 * 20 * 1.5) << "what else goes over the bus";
  EXPECT_GT(counted["tiles"][0]["bus_wait_cycles"].get<double>(), 1400 * 20) << "they wait for one another";
  EXPECT_LT(counted["tiles"][2]["bus_wait_cycles"].get<double>(), 1400 * 20);
  EXPECT_EQ(counted["bottleneck"]["what"], "the bus of tile (0, 0)");
}

TEST(the_bottleneck, is_the_link_into_the_network_where_packets_wait_for_it) {
  auto const wide = add_on_14_tiles("nemesys-4x4-single", "8");
  auto const narrow = add_on_14_tiles("nemesys-4x4-single", "2");
  std::string const link = "the link from tile (1, 1) into the network";
  EXPECT_EQ(narrow.counted["bottleneck"]["what"], link);
  EXPECT_NE(narrow.table.find("machine: bottleneck        " + link), std::string::npos) << narrow.table;
  EXPECT_NE(narrow.table.find(" packets wait there, each for "), std::string::npos) << narrow.table;
  EXPECT_NE(wide.counted["bottleneck"]["what"], link);
  auto const waits = [](additions const& of) {
    for (auto const& one : of.counted["injections"])
      if (one["tile"] == 5) return one["wait_cycles"].get<double>() / one["packets"].get<double>();
    return -1.0;
  };
  EXPECT_GT(waits(narrow), 5 * waits(wide));
  EXPECT_GE(waits(wide), 0);
}

TEST(a_word, is_swapped_for_all_tiles_at_its_home_and_copied_by_dma) {
  work_folder const folder;
  outcome const result =
      folder.run(TESS_MACHINE " --quiet --machine nemesys-4x4 --copies 5 -- '" + programs + "/swapping' 60");
  EXPECT_EQ(result.output, "900 900\n900 900\ncopies 0 0, 0 words wrong, 3969 there\nrefused: 3 3 3 3 3\n")
      << result.error;
}

TEST(an_extended_address, names_the_words_that_flat_addresses_and_their_owners_do) {
  work_folder const folder;
  struct run {
    std::string machine;
    int copies;
    std::string words;
  };
  for (auto const& [machine, copies, words] : {run{"nemesys-2x2", 3, "40"},
                                               {"nemesys-2x2", 3, "40 mapped"},
                                               {"nemesys-4x4", 5, "40"},
                                               {"rae-6", 6, "40"},
                                               {"rae-6", 6, "40 mapped"},
                                               {"rae-16", 16, "8 mapped"},
                                               {"tessera-2x2", 3, "40 mapped"},
                                               {"tessera-4x4", 5, "40 mapped"}}) {
    outcome const result = folder.run(TESS_MACHINE " --quiet --machine " + machine + " --copies " +
                                      std::to_string(copies) + " -- '" + programs + "/extended' " + words);
    EXPECT_EQ(result.code, 0) << result.error;
    std::string all;
    for (int i = 0; i < copies; ++i) all += "0 wrong\n";
    EXPECT_EQ(result.output, all) << machine << ' ' << words;
  }
}

TEST(an_extended_address, that_cannot_be_is_a_trap_that_says_why) {
  work_folder const folder;
  for (auto const& [what, expected] :
       {std::pair{"object", "of object 77: the look-aside buffer has no such object (eamoadd.d "},
        {"misaligned", "of object 1: not a multiple of 8 (eamoadd.d "},
        {"outside", "address 0xffffff0000 of object 1 may not be written: its node has no such address"},
        {"device", "of object 1 may not be read: its node has no such address"},
        {"register", "e0 to e9 cannot be named in an extended address: use e10 to e31"}}) {
    for (std::string const machine : {"nemesys-2x2", "rae-6", "tessera-2x2"}) {
      outcome const ended =
          folder.run(TESS_MACHINE " --quiet --machine " + machine + " -- '" + programs + "/extended' fault " + what);
      EXPECT_EQ(ended.code, 1) << what;
      EXPECT_NE(ended.error.find(expected), std::string::npos) << what << ": " << ended.error;
      EXPECT_NE(ended.error.find("::fault+0x"), std::string::npos) << ended.error;
    }
  }
}

TEST(object_0, is_the_own_node_with_time_and_without) {
  work_folder const folder;
  for (std::string const words :
       {"--timing off", "--machine nemesys-2x2", "--machine rae-6", "--machine tessera-2x2"}) {
    outcome const result = folder.run(TESS_MACHINE " --quiet " + words + " -- '" + programs + "/extended_local'");
    EXPECT_EQ(result.output, "0 wrong\n") << words << result.error;
    outcome const begun = folder.run(TESS_MACHINE " --quiet " + words + " -- '" + programs + "/begun_local'");
    EXPECT_EQ(begun.output, "0 wrong\n") << words << begun.error;
  }
}

struct begun_run {
  std::string name;
  std::string machine;
  int copies;
  std::string words;
};

class words_begun : public testing::TestWithParam<begun_run> {};

TEST_P(words_begun, are_done_as_those_that_are_waited_for) {
  work_folder const folder;
  std::string text = resolved_text(TESS_MACHINES "/rae-6.toml");
  std::string const line = "outstanding = 64 ";
  ASSERT_NE(text.find(line), std::string::npos);
  text.replace(text.find(line), line.size(), "outstanding = 3 ");
  std::ofstream{folder.path() / "narrow.toml"} << text;
  auto const& [name, machine, copies, words] = GetParam();
  outcome const result = folder.run("timeout 100 " TESS_MACHINE " --quiet --machine " + machine + " --copies " +
                                    std::to_string(copies) + " -- '" + programs + "/begun' " + words);
  EXPECT_EQ(result.code, 0) << result.error;
  std::string all;
  for (int i = 0; i < copies; ++i) all += "0 wrong\n";
  EXPECT_EQ(result.output, all);
}

INSTANTIATE_TEST_SUITE_P(on, words_begun,
                         testing::Values(begun_run{"nemesys_2x2", "nemesys-2x2", 3, "100"},
                                         begun_run{"nemesys_4x4_mapped", "nemesys-4x4", 5, "100 mapped"},
                                         begun_run{"tessera_4x4", "tessera-4x4", 5, "40"},
                                         begun_run{"rae_6", "rae-6", 6, "200"},
                                         begun_run{"rae_6_mapped", "rae-6", 6, "600 mapped"},
                                         begun_run{"three_outstanding", "narrow.toml", 6, "100 mapped"},
                                         begun_run{"rae_16_mapped", "rae-16", 16, "40 mapped"}),
                         [](auto const& one) { return one.param.name; });

// Its harts sleep instead of polling, because the times of polls depend on the quantum.
TEST(words_that_are_begun, take_the_same_time_at_every_quantum) {
  work_folder const folder;
  std::string text = resolved_text(TESS_MACHINES "/rae-6.toml");
  std::string const line = "quantum_cycles = ";
  ASSERT_NE(text.find(line), std::string::npos);
  std::string times[2];
  for (int k = 0; k < 2; ++k) {
    std::string changed = text;
    std::size_t const at = changed.find(line) + line.size();
    changed.replace(at, changed.find(' ', at) - at, k == 0 ? "2" : "300");
    std::ofstream{folder.path() / "quantum.toml"} << changed;
    outcome const ended = folder.run(TESS_MACHINE " --quiet --machine quantum.toml --stats s.json --copies 6 -- '" +
                                     programs + "/rae-tasks' tasks all 640 16");
    EXPECT_EQ(ended.code, 0) << ended.error;
    std::string const told = text_of(folder.path() / "s.json");
    std::size_t const time = told.find("\"simulated_ps\"");
    ASSERT_NE(time, std::string::npos);
    times[k] = told.substr(time, told.find(',', time) - time);
  }
  EXPECT_EQ(times[0], times[1]);
}

TEST(words_that_are_begun, trap_where_they_begin_and_where_they_are_taken) {
  work_folder const folder;
  struct fault {
    std::string machine;
    std::string what;
    std::string output;
  };
  std::string const no_ticket = " is no ticket of this hart: each is taken once, by the thread that began it ";
  std::string const refused = " of object 1 may not be written: its node has no such address ";
  for (auto const& [machine, what, expected] :
       {fault{"rae-6", "ticket", "5" + no_ticket + "(eatest "},
        {"rae-6", "none", "-1" + no_ticket},
        {"rae-6", "twice", "0" + no_ticket + "(eaget "},
        {"rae-6", "object", "of object 77: the look-aside buffer has no such object (eamoadd.nb.d "},
        {"rae-6", "misaligned", "of object 1: not a multiple of 8 (eamoswap.nb.d zero, "},
        {"rae-6", "outside", "0xffffff0000 of object 1 may not be read: its node has no such address (eload.nb.d "},
        {"rae-6", "register", "e0 to e9 cannot be named in an extended address: use e10 to e31 (eamoadd.nb.d "},
        {"cni-16", "home", refused + "(eaget "},
        {"cni-16", "posted", refused + "(posted before)"},
        {"cni-16", "again", refused + "(posted before)"}}) {
    outcome const ended =
        folder.run(TESS_MACHINE " --quiet --machine " + machine + " -- '" + programs + "/begun' fault " + what);
    EXPECT_EQ(ended.code, 1) << what;
    EXPECT_NE(ended.error.find(expected), std::string::npos) << what << ": " << ended.error;
    EXPECT_NE(ended.error.find("::fault+0x"), std::string::npos) << ended.error;
  }
}

TEST(four_tiles, see_only_what_rvwmo_allows) {
  work_folder const folder;
  outcome const result =
      folder.run(TESS_MACHINE " --quiet --machine nemesys-4x4 --copies 4 -- '" + programs + "/litmus_tiles'");
  EXPECT_EQ(result.output, "MP: 0 of 200\nSB: 0 of 200\nLB: 0 of 200\nIRIW: 0 of 200\nCoRR: 0 of 200\n2+2W: 0 of 200\n")
      << result.error;
}

TEST(remote_invocation, calls_functions_on_other_tiles_and_floods_their_queues) {
  work_folder const folder;
  std::string text = resolved_text(TESS_MACHINES "/nemesys-4x4.toml");
  std::string const line = "task_queue_entries = 16 ";
  ASSERT_NE(text.find(line), std::string::npos);
  text.replace(text.find(line), line.size(), "task_queue_entries = 1 ");
  std::ofstream{folder.path() / "shallow.toml"} << text;
  for (char const* machine : {"nemesys-4x4", "shallow.toml"}) {
    outcome const result = folder.run(TESS_MACHINE " --quiet --machine " + std::string(machine) + " --copies 14 -- '" +
                                      programs + "/invoking'");
    EXPECT_EQ(result.output, "answers 4039 of 4039\nhops 3360 of 3360\n") << machine << result.error;
  }
}

TEST(without_time, programs_that_need_it_do_not_start) {
  work_folder const folder;
  for (char const* name : {"incoherent", "where", "adding", "invoking", "swapping", "litmus_tiles"}) {
    outcome const result = folder.run(TESS_MACHINE " --timing off -- '" + programs + "/" + name + "'");
    EXPECT_EQ(result.code, 2) << name;
    EXPECT_EQ(result.output, "") << name;
    EXPECT_NE(result.error.find("give --timing on"), std::string::npos) << result.error;
    EXPECT_EQ(result.error.find("instructions"), std::string::npos) << "it ran: " << result.error;
  }
}

TEST(on_a_terminal, a_long_run_says_how_far_it_is) {
  work_folder const folder;
  outcome const result = folder.run("script -qec \"timeout -s KILL 3 " TESS_MACHINE " --timing on -- '" + programs +
                                    "/plain' abc\" typescript >/dev/null; cat typescript");
  EXPECT_TRUE(std::regex_search(result.output, std::regex("\r\x1b\\[Kmachine: [0-9.]+ s simulated, [0-9.]+ million "
                                                          "instructions, [0-9.]+ million/s, [0-9]+ s here")))
      << result.output;
}

TEST(off_a_terminal, no_line_says_how_far_it_is) {
  work_folder const folder;
  outcome const result = folder.run("timeout -s KILL 3 " TESS_MACHINE " --timing on -- '" + programs + "/plain' abc");
  EXPECT_EQ(result.error.find("s simulated,"), std::string::npos) << result.error;
}

TEST(the_same_program, takes_the_same_cycles_beside_other_work) {
  work_folder const folder;
  std::string const line =
      TESS_MACHINE " --machine nemesys-4x4 --copies 14 -- '" + programs + "/invoking' 2>&1 >/dev/null | grep cycles";
  std::string const alone = folder.run(line).output;
  EXPECT_NE(alone.find("cycles"), std::string::npos) << alone;
  // Other processes take the processors and the memory away, in bursts.
  std::string const others =
      "for i in 1 2 3 4 5 6; do (while :; do head -c 20000000 /dev/zero | sort >/dev/null; done) & "
      "pids=\"$pids $!\"; done; ";
  EXPECT_EQ(folder.run(others + "{ " + line + "; }; kill $pids; wait 2>/dev/null").output, alone);
}

TEST(a_word, slow_has_one_home_for_a_million_atomics_each) {
  if (std::getenv("TESS_SLOW") == nullptr) GTEST_SKIP() << "a long run: set TESS_SLOW";
  work_folder const folder;
  outcome const result =
      folder.run(TESS_MACHINE " --quiet --machine nemesys-4x4 --copies 2 -- '" + programs + "/adding' 1000000");
  EXPECT_EQ(result.output, "2000000 2000000\n") << result.error;
}

TEST(the_simulator, takes_less_than_a_gibibyte_for_two_of_memory_of_which_64_mebibytes_are_touched) {
  if (test::is_sanitized) GTEST_SKIP() << "sanitizers have memory of their own";
  work_folder const folder;
  outcome const result = folder.run(TESS_MACHINE " --machine nemesys-4x4 -- '" + programs + "/touching'");
  EXPECT_EQ(result.output, "134209536\n") << result.error;
  rusage used{};
  ASSERT_EQ(getrusage(RUSAGE_CHILDREN, &used), 0);
  long const mebibytes = used.ru_maxrss / 1024;
  RecordProperty("resident_mebibytes", std::to_string(mebibytes));
  std::printf("%ld MiB resident\n", mebibytes);
  EXPECT_GT(mebibytes, 64);
  EXPECT_LT(mebibytes, 1024);
}

}  // namespace
}  // namespace tess::machine
