// lookaside_test: a hart's look-aside buffer of objects has the size and takes the time that the machine file says.
// Method: a program that loads words by several objects prints its cycles, on machines that differ in one number of
// [lookaside]: the differences must be the look-ups' times, to a cycle of each load, as clocks of networks round, and
// to one line of the program.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "child.hpp"
#include "machine/config/comparison.hpp"

namespace tess::machine {
namespace {

struct timing {
  int entries;
  int hit;
  int miss;
};
struct measured {
  std::int64_t known = 0;  ///< Cycles of all loads when all objects have been used.
  std::int64_t anew = 0;   ///< The same of one load by each object whose entry was stored again.
  std::int64_t hits = 0;
  std::int64_t misses = 0;
};

constexpr int rounds = 8;
/// A line of the program itself, whose place in the caches is an accident: one run of two may miss it.
constexpr int one_line = 30;

measured run(std::string const& machine, timing const& t, int objects) {
  work_folder const folder;
  std::string text = resolved_text(std::string(TESS_MACHINES) + "/" + machine + ".toml");
  auto const set = [&](char const* key, int value) {
    text = std::regex_replace(text, std::regex("\n" + std::string(key) + " = \\d+(?=  )"),
                              "\n" + std::string(key) + " = " + std::to_string(value));
  };
  std::size_t const table = text.find("[lookaside]");
  std::string const before = text.substr(0, table);
  text = text.substr(table);
  std::string const behind = text.substr(text.find("[dram]"));
  text = text.substr(0, text.find("[dram]"));
  set("entries", t.entries);
  set("hit_cycles", t.hit);
  set("miss_cycles", t.miss);
  std::ofstream(folder.path() / "mine.toml") << before << text << behind;
  outcome const result = folder.run(TESS_MACHINE " --quiet --machine mine.toml --copies 2 --stats s.json -- '" +
                                    std::string(TESS_MACHINE_PROGRAMS) + "/objects' " + std::to_string(rounds) + " " +
                                    std::to_string(objects));
  EXPECT_EQ(result.code, 0) << result.error;
  measured made;
  std::istringstream(result.output) >> made.known >> made.anew;
  auto const all = nlohmann::json::parse(text_of(folder.path() / "s.json"));
  made.hits = all["tiles"][0]["lookaside_hits"];
  made.misses = all["tiles"][0]["lookaside_misses"];
  return made;
}

TEST(a_look_aside_buffer, takes_the_time_of_a_hit_and_of_a_miss) {
  for (char const* machine : {"rae-6", "nemesys-2x2", "cni-4"}) {
    measured const free = run(machine, {8, 0, 0}, 4);
    measured const slow = run(machine, {8, 40, 100}, 4);
    EXPECT_NEAR(static_cast<double>(slow.known - free.known), rounds * 4 * 40, rounds * 4 + one_line) << machine;
    EXPECT_NEAR(static_cast<double>(slow.anew - free.anew), 4 * (40 + 100), 4)
        << machine << ": stored entries are looked up again";
    EXPECT_EQ(slow.misses, 4 + 4) << machine;
    EXPECT_EQ(slow.hits, rounds * 4) << machine;
  }
}

TEST(a_look_aside_buffer, has_as_many_entries_as_the_machine_file_says) {
  measured const all = run("rae-6", {8, 1, 100}, 8);
  measured const half = run("rae-6", {4, 1, 100}, 8);
  measured const one = run("rae-6", {1, 1, 100}, 2);
  EXPECT_EQ(all.misses, 8 + 8);
  // Two objects each want an entry, in turn: none is found.
  EXPECT_EQ(half.hits, 0);
  EXPECT_NEAR(static_cast<double>(half.known - all.known), rounds * 8 * 100, rounds * 8 + one_line);
  EXPECT_EQ(one.hits, 0);
}

}  // namespace
}  // namespace tess::machine
