// failures_test: files that are no units, parameters that cannot be, and units that throw, crash or do not return: each
// ends in a message that says what, where and when, in bounded time.
// Method: whole runs of the simulator with units that were made for that.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <regex>

#include "../child.hpp"
#include "machine/config/description.hpp"
#include "runtime/sanitized.hpp"

namespace tess::machine {
namespace {

std::string const units = TESS_TEST_UNITS;

/// A variant of nemesys-2x2 with these lines from line 2 on.
std::string machine_with(std::string const& lines) {
  return "extends = \"" TESS_MACHINES "/nemesys-2x2.toml\"\n" + lines;
}

std::string refusal(std::string const& lines) {
  try {
    (void)parse_machine(machine_with(lines), "mine.toml");
  } catch (config_error const& wrong) {
    return wrong.what();
  }
  return "accepted";
}

std::string unit_lines(std::string const& file, std::string const& more) {
  return "[[unit]]\nfile = \"" + units + "/" + file + "\"\nat = \"every tile\"\n" + more;
}

TEST(a_machine_file, names_the_line_of_what_is_wrong_with_its_units) {
  struct {
    std::string lines;
    std::string said;
  } const all[] = {
      {unit_lines("absent.so", ""),
       "mine.toml:3:8: there is no file " + units + "/absent.so; make it: tess unit build"},
      {unit_lines("plain.so", ""), "mine.toml:3:8: " + units + "/plain.so is no unit: it has no TESS_UNIT"},
      {unit_lines("newer.so", ""), "mine.toml:3:8: " + units + "/newer.so was made for version 99 of"},
      {unit_lines("doubled.so", ""), "mine.toml:3:8: " + units + "/doubled.so: its parameter \"at\" has the name of"},
      {unit_lines("text.so", ""), "mine.toml:3:8: " + units + "/text.so cannot be loaded ("},
      {unit_lines("other.so", ""),
       "mine.toml:3:8: " + units + "/other.so is built for S/390, and this simulator runs on"},
      {unit_lines("empty.so", ""), "mine.toml:3:8: " + units + "/empty.so cannot be loaded ("},
      {unit_lines(".", "name = \"folder\"\n"), "mine.toml:3:8: " + units + "/ is no file"},
      {unit_lines("ports.so", "full = 6\n"), "mine.toml:5:8: full = 6 is impossible; expected 0 to 5 messages"},
      {unit_lines("ports.so", "full = -1\n"), "mine.toml:5:8: full = -1 is impossible; expected 0 to 5 messages"},
      {unit_lines("ports.so", "full = \"no\"\n"), "mine.toml:5:8: full is no integer; expected 0 to 5 messages"},
      {unit_lines("ports.so", "ful = 1\n"),
       "mine.toml:5:1: unknown key \"unit.ports.ful\"; expected one of file, at, full, listens"},
      {"[[unit]]\nfile = \"" + units + "/ports.so\"\n", "mine.toml:2:1: no key \"unit.ports.at\"; expected a text"},
      {"[[unit]]\nfile = \"" + units + "/ports.so\"\nat = \"all\"\n",
       "mine.toml:4:6: at = \"all\" is unknown; expected one of every tile, memory tiles, compute tiles"},
      {"[[unit]]\nfile = \"" + units + "/ports.so\"\nat = [[0, 2]]\n", "mine.toml:4:7: an element of at is no tile"},
      {"[[unit]]\nname = \"a b\"\nfile = \"x.so\"\n", "mine.toml:3:8: \"a b\" cannot be the name of a unit"},
      {"[[unit]]\nat = \"every tile\"\n", "mine.toml:2:1: a unit has no name"},
      {unit_lines("ports.so", "") + unit_lines("ports.so", ""), "mine.toml:5:1: there are two units \"ports\""},
      {"unit = 3\n", "mine.toml:2:8: unit is no table"},
      {"[unit]\nports = 3\n", "mine.toml:3:9: unit.ports is no table"},
      {"[unit.ports]\nat = \"every tile\"\n", "mine.toml:2:1: no key \"unit.ports.file\""},
  };
  std::ofstream{units + "/text.so"} << "#!/bin/sh\n";
  std::ofstream{units + "/empty.so"};
  std::filesystem::copy_file(units + "/ports.so", units + "/other.so",
                             std::filesystem::copy_options::overwrite_existing);
  std::fstream other(units + "/other.so", std::ios::in | std::ios::out | std::ios::binary);
  other.seekp(18).write("\x16\x00", 2);  // e_machine
  other.close();
  for (auto const& [lines, said] : all) EXPECT_EQ(refusal(lines).substr(0, said.size()), said) << lines;
}

TEST(a_machine_file, places_at_most_sixteen_units) {
  std::string lines;
  for (int i = 0; i < 17; ++i)
    lines += "[[unit]]\nname = \"u" + std::to_string(i) + "\"\nfile = \"" + units + "/ports.so\"\nat = [[0, 0]]\n";
  EXPECT_EQ(refusal(lines), "mine.toml:66:1: too many units; expected at most 16");
}

TEST(a_variant, changes_keys_of_a_unit_and_may_leave_it_out) {
  work_folder const folder;
  std::ofstream{folder.path() / "base.toml"} << machine_with(unit_lines("ports.so", "full = 2  # two\n"));
  auto const read = [&](std::string const& lines) {
    std::string const name = (folder.path() / "mine.toml").string();
    return parse_machine("extends = \"base.toml\"\n" + lines, name);
  };
  EXPECT_EQ(read("").units.front().values, (std::vector<std::uint64_t>{2, 0}));
  EXPECT_EQ(read("[unit.ports]\nfull = 4\n").units.front().values, (std::vector<std::uint64_t>{4, 0}));
  EXPECT_EQ(read("[unit.ports]\nat = [[1, 0]]\n").units.front().tiles, (std::vector<std::uint32_t>{1}));
  EXPECT_TRUE(read("without = [\"unit.ports\"]\n").units.empty());
  auto const both = read("[[unit]]\nname = \"other\"\nfile = \"" + units + "/bad.so\"\nat = \"memory tiles\"\n").units;
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both.back().name, "other");
  EXPECT_EQ(both.back().tiles, (std::vector<std::uint32_t>{3}));
}

/// A run of `own_units` on a machine with the unit bad.
class a_bad_unit : public testing::Test {
 protected:
  outcome run(int what) {
    std::ofstream{folder.path() / "mine.toml"}
        << machine_with(unit_lines("bad.so", "what = " + std::to_string(what) + "\n"));
    auto const begin = std::chrono::steady_clock::now();
    outcome const ended =
        folder.run(TESS_MACHINE " --quiet --machine mine.toml -- " TESS_MACHINE_PROGRAMS "/own_units");
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
    return ended;
  }
  void expect(int what, std::string const& pattern) {
    outcome const ended = run(what);
    EXPECT_EQ(ended.code, 1) << ended.error;
    EXPECT_TRUE(std::regex_match(ended.error, std::regex(pattern + "\n"))) << what << ": " << ended.error;
  }
  work_folder folder;
  std::string const of = R"(machine: unit bad \(.*/bad\.so\) of tile \(0, 0\) )";
};

TEST_F(a_bad_unit, that_is_good_ends_well) {
  outcome const ended = run(0);
  EXPECT_EQ(ended.code, 0) << ended.error;
  EXPECT_EQ(ended.output, "unit number 16\nloaded 5\n");
  EXPECT_EQ(ended.error, "");
}

TEST_F(a_bad_unit, whose_constructor_throws_is_refused_at_its_line) {
  outcome const ended = run(1);
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(
      ended.error,
      "tess-machine: mine.toml:3:8: the unit bad of tile (0, 0) threw when it was made: no value will do; expected "
      "values that it accepts\n");
}

TEST_F(a_bad_unit, that_throws_ends_the_run) {
  expect(3, of + R"(threw at cycle \d+: a load is more than it can do)");
  expect(4, of + R"(threw at cycle \d+: what is no std::exception)");
  expect(10, of + R"(threw at cycle \d+: a process that went too far)");
  expect(11, of + R"(threw at cycle \d+: a read of 0 bytes at 0xf{16} of a memory of 0)");
  expect(12, of + R"(threw at cycle \d+: a source of interrupts of number 1; 8 to 63)");
  expect(13, of + R"(threw at cycle \d+: the unit declares no parameter "absent")");
  expect(14, of + R"(threw at cycle \d+: a task below it)");
}

TEST_F(a_bad_unit, that_crashes_is_named_with_the_place_in_its_code) {
  if (test::is_sanitized) GTEST_SKIP() << "the sanitizers' own reports come first";
  std::string const line = R"(; for its line: addr2line -Cfe .*/bad\.so 0x([0-9a-f]+))";
  expect(2, of + R"(crashed at cycle 0: SIGSEGV, access to 0x0)" + line);
  expect(5, of + R"(crashed at cycle \d+: SIGSEGV, access to 0x0)" + line);
  expect(6, of + R"(crashed at cycle \d+: SIGABRT)");
  expect(7, of + R"(crashed at cycle \d+: SIGSEGV, access to 0x[0-9a-f]+)" + line);
  std::string const error = run(5).error;
  std::smatch found;
  ASSERT_TRUE(std::regex_search(error, found, std::regex(line)));
  std::string const place = folder.run("addr2line -Cfe '" + units + "/bad.so' 0x" + found[1].str()).output;
  EXPECT_NE(place.find("bad.cpp:"), std::string::npos) << place;
}

TEST_F(a_bad_unit, that_does_not_return_is_stopped) {
  if (test::is_sanitized) GTEST_SKIP() << "it would take minutes";
  expect(8, of + R"(does not return: it was called at cycle \d+, and has run for more than 3 s)");
}

TEST_F(a_bad_unit, that_does_not_let_time_pass_is_stopped) {
  if (test::is_sanitized) GTEST_SKIP() << "it would take minutes";
  expect(9, of + R"(does not let time pass: it has been called at cycle \d+ more often than any unit needs to be)");
}

}  // namespace
}  // namespace tess::machine
