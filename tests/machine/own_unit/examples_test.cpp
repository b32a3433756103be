// examples_test: the units of examples/units with their programs; what is said about units; and that no time depends on
// the quantum, nor on a unit that does nothing.
// Method: whole runs, with numbers from the statistics; the checksum is that of zlib.
#include <gtest/gtest.h>

#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>

#include "../child.hpp"
#include "runtime/sanitized.hpp"

namespace tess::machine {
namespace {

using nlohmann::json;

std::string const units = TESS_TEST_UNITS;
std::string const programs = TESS_MACHINE_PROGRAMS;

class a_run_with_units : public testing::Test {
 protected:
  a_run_with_units() {
    for (char const* const name : {"checksum", "prefetcher", "filter"}) {
      std::filesystem::copy_file(std::string(TESS_APP_UNITS "/") + name + ".toml",
                                 folder.path() / (std::string(name) + ".toml"));
      std::filesystem::create_symlink(units + "/" + name + ".so", folder.path() / (std::string(name) + ".so"));
    }
  }
  /// The run's statistics, without those of the host.
  json run(std::string const& machine, std::string const& words, int code = 0) {
    said = folder.run(TESS_MACHINE " --stats s.json --machine " + machine + " " + words);
    EXPECT_EQ(said.code, code) << said.error;
    json read = json::parse(text_of(folder.path() / "s.json"));
    read.erase("host");
    return read;
  }
  /// A machine with the filter and the prefetcher.
  void write_both() const {
    std::ofstream{folder.path() / "both.toml"} << "extends = \"filter.toml\"\n[[unit]]\nfile = \"prefetcher.so\"\n"
                                                  "at = \"compute tiles\"\n";
  }
  std::uint64_t printed(std::string const& pattern) {
    std::smatch found;
    EXPECT_TRUE(std::regex_search(said.output, found, std::regex(pattern))) << said.output;
    std::string const digits = found.empty() ? "" : found[1].str();
    std::uint64_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
  }
  work_folder folder;
  outcome said;
};

TEST_F(a_run_with_units, computes_a_checksum_in_a_command) {
  json const all = run("checksum.toml", "-- '" + programs + "'/checksum_program 30000");
  EXPECT_EQ(said.output.substr(0, said.output.find('\n')), "crc 2e716b14 by a loop, 2e716b14 by the unit, state 0")
      << "zlib.crc32 says 2e716b14, too";
  EXPECT_LT(printed("loop, (\\d+) by the unit\n$") * 4, printed("cycles (\\d+) by a loop"));
  EXPECT_EQ(all["units"]["checksum"]["commands"], 1);
  EXPECT_EQ(all["units"]["checksum"]["bytes"], 30000);
  EXPECT_EQ(all["units"]["checksum"]["tiles"].size(), 4U);
  EXPECT_EQ(all["units"]["checksum"]["tiles"][0]["bytes"], 30000);
  EXPECT_EQ(all["units"]["checksum"]["tiles"][1]["bytes"], 0);
  EXPECT_NE(said.error.find("machine: unit checksum     commands 1, bytes 30 000, busy_cycles "), std::string::npos)
      << said.error;
}

TEST_F(a_run_with_units, has_fewer_misses_with_a_prefetcher) {
  std::string const words = "-- '" + programs + "'/filter_program 20 20";
  json const without = run("filter.toml", words);
  write_both();
  json const with = run("both.toml", words);
  EXPECT_GT(with["units"]["prefetcher"]["prefetches"], 1000);
  EXPECT_LT(with["tiles"][0]["l2_misses"].get<double>(), 0.5 * without["tiles"][0]["l2_misses"].get<double>());
  EXPECT_LT(with["cycles"].get<double>(), 0.95 * without["cycles"].get<double>());
}

TEST_F(a_run_with_units, filters_words_near_their_memory) {
  json const all = run("filter.toml", "-- '" + programs + "'/filter_program 20 20");
  EXPECT_NE(said.output.find(": the same\n"), std::string::npos) << said.output;
  std::uint64_t const passed = printed("^(\\d+) of 20000");
  EXPECT_GT(passed, 300U);
  EXPECT_LT(printed("loop, (\\d+) by the unit\n$") * 3, printed("cycles (\\d+) by a loop"));
  EXPECT_EQ(all["units"]["filter"]["words_read"], 20000);
  EXPECT_EQ(all["units"]["filter"]["words_sent"], passed);
}

TEST_F(a_run_with_units, is_the_same_however_far_harts_run_ahead) {
  write_both();
  for (auto const& [name, program] :
       {std::pair{"checksum", "checksum_program 5000"}, {"both", "filter_program 5"}, {"filter", "filter_program 5"}}) {
    json usual;
    std::string output;
    for (int const quantum : {64, 1, 7, 1024}) {
      std::ofstream{folder.path() / "quantum.toml"} << "extends = \"" << name
                                                    << ".toml\"\nharts.quantum_cycles = " << quantum << "\n";
      json const here = run("quantum.toml", "-- '" + programs + "'/" + program);
      if (usual.is_null()) {
        usual = here;
        output = said.output;
      }
      EXPECT_EQ(here.dump(1), usual.dump(1)) << name << " at " << quantum;
      EXPECT_EQ(said.output, output) << name << " at " << quantum;
    }
  }
}

TEST_F(a_run_with_units, goes_on_from_a_checkpoint_without_code_for_it) {
  if (test::is_sanitized) GTEST_SKIP() << "checkpoints need the simulator's own allocator";
  write_both();
  for (auto const& [machine, program] :
       {std::pair{"checksum.toml", "checksum_program 9000"}, {"both.toml", "filter_program 5"}}) {
    std::string const words = "-- '" + programs + "'/" + program;
    json const usual = run(machine, words);
    std::string const output = said.output;
    auto const all = usual["cycles"].get<std::uint64_t>();
    // The units work at the end, and the prefetcher before.
    std::vector<std::uint64_t> const cycles{all / 2, all - all / 8, all - 2600, all - 2000, all - 1100};
    std::string at;
    for (std::uint64_t const one : cycles) at += " --checkpoint-at " + std::to_string(one);
    EXPECT_EQ(run(machine, "--checkpoint c.tess" + at + " " + words), usual);
    for (std::uint64_t const one : cycles) {
      outcome const restored = folder.run(TESS_MACHINE " --stats s.json --restore c." + std::to_string(one) + ".tess");
      EXPECT_EQ(restored.code, 0) << restored.error;
      json read = json::parse(text_of(folder.path() / "s.json"));
      read.erase("host");
      EXPECT_EQ(read.dump(1), usual.dump(1)) << machine << " from " << one;
      EXPECT_TRUE(output.ends_with(restored.output));
    }
  }
}

TEST_F(a_run_with_units, does_not_go_on_with_another_unit) {
  if (test::is_sanitized) GTEST_SKIP() << "checkpoints need the simulator's own allocator";
  std::filesystem::remove(folder.path() / "checksum.so");
  std::filesystem::copy_file(units + "/checksum.so", folder.path() / "checksum.so");
  (void)run("checksum.toml", "--checkpoint-at 20000 -- '" + programs + "'/checksum_program 3000");
  std::ofstream{folder.path() / "checksum.so", std::ios::app} << "more";
  outcome const refused = folder.run(TESS_MACHINE " --restore checkpoint.tess");
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.error.find("checkpoint.tess: the unit checksum ("), std::string::npos) << refused.error;
  EXPECT_NE(refused.error.find("is not there as it was"), std::string::npos) << refused.error;
}

TEST_F(a_run_with_units, takes_no_other_time_by_a_unit_that_does_nothing) {
  std::ofstream{folder.path() / "idle.toml"} << "extends = \"" TESS_MACHINES "/nemesys-2x2.toml\"\n[[unit]]\nfile = \""
                                             << units << "/bad.so\"\nat = \"every tile\"\n";
  json with = run("idle.toml", "--copies 3 -- '" + programs + "'/adding 200");
  json without = run("nemesys-2x2", "--copies 3 -- '" + programs + "'/adding 200");
  with.erase("units");
  with["machine"] = without["machine"];
  EXPECT_EQ(with.dump(1), without.dump(1));
  EXPECT_FALSE(without.contains("units"));
}

TEST_F(a_run_with_units, finds_no_unit_where_there_is_none) {
  for (auto const& [machine, words] : {std::pair{"nemesys-2x2", "own_units"},
                                       {"checksum.toml", "own_units check"},
                                       {"checksum.toml", "own_units checksums"},
                                       {"filter.toml", "own_units filter"},
                                       {"filter.toml", "own_units filter 1"}})
    (void)run(machine, "-- '" + programs + "'/" + words, 3);
}

TEST_F(a_run_with_units, explains_shows_and_compares_them) {
  std::ofstream{folder.path() / "mine.toml"} << "extends = \"prefetcher.toml\"\n[unit.prefetcher]\nahead = 6  # mine\n";
  std::string const explained = folder.run(TESS_MACHINE " --explain mine.toml").output;
  EXPECT_NE(explained.find("  prefetcher tiles (0, 0), (1, 0), (0, 1): asks for the next lines"), std::string::npos)
      << explained;
  auto const has_line = [&](std::string const& text, std::string const& pattern) {
    EXPECT_TRUE(std::regex_search(text, std::regex(pattern))) << pattern << "\n" << text;
  };
  has_line(explained, R"(unit\.prefetcher\.ahead +6 lines +asked for at each miss of a stream; mine\n)");
  has_line(explained, R"(unit\.prefetcher\.streams +16 streams +that are followed at a time; as usual\n)");
  // What is shown is a machine file, wherever it is.
  EXPECT_EQ(folder
                .run("mkdir -p far && " TESS_MACHINE " --show mine.toml >far/shown.toml && " TESS_MACHINE
                     " --differences mine.toml far/shown.toml")
                .output,
            "no key differs but name and summary\n");
  has_line(folder.run(TESS_MACHINE " --differences prefetcher.toml mine.toml").output,
           R"(unit\.prefetcher\.ahead +4 +6\n$)");
}

TEST_F(a_run_with_units, is_traced) {
  (void)run("checksum.toml", "--trace t.json -- '" + programs + "'/checksum_program 3000");
  EXPECT_NE(text_of(folder.path() / "t.json").find("\"CRC\""), std::string::npos);
}

TEST(tess_unit_build, says_what_is_missing_and_makes_the_same_object_again) {
  work_folder const folder;
  std::string const tess = TESS_COMMAND;
  outcome const absent = folder.run(tess + " unit build absent.cpp");
  EXPECT_EQ(absent.code, 2);
  EXPECT_EQ(absent.error, "tess: unit: there is no file absent.cpp; give the C++ file of a unit\n");
  std::filesystem::copy_file(TESS_APP_UNITS "/filter.cpp", folder.path() / "mine.cpp");
  outcome const none = folder.run("CXX=no-such-compiler " + tess + " unit build mine.cpp");
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.error.find("no-such-compiler, which CXX names, does not start; apt-get install clang-19"),
            std::string::npos);
  std::ofstream{folder.path() / "wrong.cpp"} << "no C++\n";
  outcome const wrong = folder.run(tess + " unit build wrong.cpp");
  EXPECT_EQ(wrong.code, 1);
  EXPECT_NE(wrong.error.find("wrong.cpp:1:1: error"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "wrong.so"));
  EXPECT_EQ(folder
                .run(tess + " unit build mine.cpp && cp mine.so first.so && " + tess +
                     " unit build mine.cpp && cmp mine.so first.so")
                .code,
            0);
  EXPECT_EQ(folder.run("CXX=g++ " + tess + " unit build mine.cpp -o by_gcc.so -- -fno-lto").code, 0);
  std::ofstream{folder.path() / "mine.toml"} << "extends = \"" TESS_MACHINES
                                                "/nemesys-2x2.toml\"\n[[unit]]\nname = "
                                                "\"filter\"\nfile = \"by_gcc.so\"\nat = \"memory tiles\"\n";
  outcome const ran = folder.run(TESS_MACHINE " --quiet --machine mine.toml -- '" + programs + "'/filter_program 5 20");
  EXPECT_EQ(ran.code, 0) << ran.error << ran.output;
}

}  // namespace
}  // namespace tess::machine
