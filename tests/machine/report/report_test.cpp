// report_test: reports about machines and runs: the table, the statistics, the diagram, the trace, the list.
// Method: one run on nemesys-2x2, read as JSON and as text and compared with the page that documents it; a longer one
// whose trace must stay within its bound.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "../child.hpp"
#include "machine/config/named_machines.hpp"
#include "machine/report/explanation.hpp"

namespace tess::machine {
namespace {

using nlohmann::json;

std::string const program = TESS_MACHINE_PROGRAMS "/where";

/// One run, for all tests: 3 copies on nemesys-2x2.
class a_run : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<work_folder>();
    std::string const line = TESS_MACHINE
                             " --machine nemesys-2x2 --copies 3 --stats s.json --trace t.json --picture p.svg -- '" +
                             program + "'";
    said_ = folder_->run(line);
    statistics_ = text_of(folder_->path() / "s.json");
    trace_ = text_of(folder_->path() / "t.json");
    picture_ = text_of(folder_->path() / "p.svg");
    again_ = folder_->run(line);
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static inline std::unique_ptr<work_folder> folder_;
  static inline outcome said_;
  static inline outcome again_;
  static inline std::string statistics_;
  static inline std::string trace_;
  static inline std::string picture_;
};

TEST_F(a_run, ends_with_a_table_of_what_it_took) {
  EXPECT_EQ(said_.code, 0) << said_.error;
  for (char const* part : {"simulated time", "cycles", "instructions", "a cycle", "L1-I", "L1-D", "L2", "network load",
                           "busiest", "DRAM load", "row hits", "million instructions/s", "events"}) {
    EXPECT_NE(said_.error.find(part), std::string::npos) << part << "\n" << said_.error;
  }
  EXPECT_EQ(said_.error.find('\r'), std::string::npos) << "a progress line, and this is no terminal";
}

TEST_F(a_run, takes_the_same_cycles_and_leaves_the_same_trace_and_picture_again) {
  json first = json::parse(statistics_);
  json second = json::parse(text_of(folder_->path() / "s.json"));
  first.erase("host");
  second.erase("host");
  EXPECT_EQ(first, second);
  EXPECT_EQ(trace_, text_of(folder_->path() / "t.json"));
  EXPECT_EQ(picture_, text_of(folder_->path() / "p.svg"));
  EXPECT_EQ(said_.output, again_.output);
}

/// Names of all values: `tiles[].l2_hits`.
void collect(json const& from, std::string const& path, std::set<std::string>& names) {
  if (from.is_array()) {
    for (json const& one : from) collect(one, path + "[]", names);
  } else if (from.is_object()) {
    for (auto const& [key, value] : from.items()) collect(value, path.empty() ? key : path + "." + key, names);
  } else {
    names.insert(path);
  }
}

TEST_F(a_run, writes_the_statistics_that_the_page_documents_and_no_others) {
  std::set<std::string> written;
  collect(json::parse(statistics_), "", written);
  std::set<std::string> documented;
  std::string const page = text_of(TESS_MACHINE_PAGE);
  std::string const table = page.substr(page.find("| statistic |"));
  std::istringstream lines(table.substr(0, table.find("\n\n")));
  std::regex const row("\\| `([a-z0-9_.\\[\\]]+)` \\|.*");
  for (std::string line; std::getline(lines, line);) {
    if (std::smatch found; std::regex_match(line, found, row)) documented.insert(found[1]);
  }
  EXPECT_EQ(written, documented);
}

TEST_F(a_run, has_sums_that_agree_with_their_parts) {
  json const all = json::parse(statistics_);
  std::uint64_t instructions = 0;
  for (json const& one : all["harts"]) instructions += one["instructions"].get<std::uint64_t>();
  EXPECT_EQ(all["instructions"], instructions);
  EXPECT_EQ(all["harts"].size(), 12U);
  EXPECT_EQ(all["tiles"].size(), 4U);
  EXPECT_EQ(all["memories"].size(), 1U);
  EXPECT_EQ(all["links"].size(), 8U + 4U);  // between tiles, and out of the network
  std::uint64_t served = 0;
  std::uint64_t asked = 0;
  for (json const& one : all["tiles"]) {
    asked += one["adapter_requests"].get<std::uint64_t>();
    served += one["adapter_served"].get<std::uint64_t>();
    EXPECT_LE(one["bus_load"].get<double>(), 1);
  }
  EXPECT_EQ(asked, served);
  EXPECT_GT(all["memories"][0]["bytes"], 0);
  EXPECT_GT(all["dram_load"], 0);
}

TEST_F(a_run, has_a_trace_with_a_track_for_every_hart_and_unit) {
  json const trace = json::parse(trace_);
  std::map<int, std::set<std::string>> tracks;
  int waits = 0;
  for (json const& one : trace["traceEvents"]) {
    int const tile = one["pid"];
    if (one["name"] == "thread_name") tracks[tile].insert(one["args"]["name"].get<std::string>() + " slices");
    if (one["ph"] == "C") tracks[tile].insert(one["name"]);
    if (one["ph"] == "X") ++waits;
  }
  std::set<std::string> const compute{"hart 0", "hart 0 slices", "hart 1", "hart 1 slices", "hart 2",  "hart 2 slices",
                                      "hart 3", "hart 3 slices", "L2",     "L2 slices",     "adapter", "adapter slices",
                                      "bus",    "router"};
  EXPECT_EQ(tracks[0], compute);
  EXPECT_EQ(tracks[2], compute);
  EXPECT_EQ(tracks[3], (std::set<std::string>{"bus", "L2", "adapter", "DDR", "DDR slices", "router"}));
  EXPECT_GT(waits, 100);
}

TEST_F(a_run, has_tracks_whose_slices_do_not_overlap) {
  json const trace = json::parse(trace_);
  std::map<std::pair<int, int>, std::vector<std::pair<double, double>>> slices;
  for (json const& one : trace["traceEvents"]) {
    if (one["ph"] == "X") slices[{one["pid"], one["tid"]}].emplace_back(one["ts"], one["dur"]);
  }
  EXPECT_GT(slices.size(), 12U);
  for (auto& [track, of] : slices) {
    std::ranges::sort(of);
    for (std::size_t i = 1; i < of.size(); ++i)
      EXPECT_LE(of[i - 1].first + of[i - 1].second, of[i].first + 1e-6) << track.first << " " << track.second;
  }
}

TEST_F(a_run, is_drawn_with_all_tiles_and_links) {
  auto const count = [&](std::string const& what) {
    int found = 0;
    for (std::size_t at = picture_.find(what); at != std::string::npos; at = picture_.find(what, at + 1)) ++found;
    return found;
  };
  EXPECT_TRUE(picture_.starts_with("<svg")) << picture_;
  EXPECT_EQ(count("<title>link ("), 8);
  EXPECT_EQ(count(">adapter<"), 4);
  EXPECT_EQ(count(">L2<"), 4);
  EXPECT_EQ(count(">DDR<"), 1);
  EXPECT_EQ(count("<g>"), count("</g>"));
}

TEST(a_long_run, leaves_a_trace_of_bounded_size) {
  work_folder const folder;
  outcome const result = folder.run(
      TESS_MACHINE " --machine nemesys-2x2 --copies 3 --trace t.json -- '" TESS_MACHINE_PROGRAMS "/threads'");
  EXPECT_EQ(result.code, 0) << result.error;
  json const trace = json::parse(text_of(folder.path() / "t.json"));
  std::size_t const events = trace["traceEvents"].size();
  EXPECT_GT(trace["otherData"]["dropped_waits"], 0) << "a longer program is needed here";
  EXPECT_GT(events, 50'000U);
  EXPECT_LT(events, 260'000U);
}

TEST(a_program, reads_its_tile_its_hart_and_the_map) {
  work_folder const folder;
  outcome const result =
      folder.run(TESS_MACHINE " --quiet --machine nemesys-2x2 --tile 1 --copies 2 -- '" + program + "' | sort");
  EXPECT_EQ(result.error, "");
  std::string const row =
      "TLM 0x10200000000, partition 0x20020000000 of 0x2000000, uncached 0x120020000000, memory 3, "
      "says 2 ffffffff\n";
  EXPECT_NE(result.output.find("2: program 2, " + row), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("hart 0 and hart 1\n"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("tile 1 of 2 x 2, program 0 of 2, harts 4, 20000 ps\n"), std::string::npos)
      << result.output;
  EXPECT_NE(result.output.find("tile 2 of 2 x 2, program 1 of 2, harts 4, 20000 ps\n"), std::string::npos)
      << result.output;
}

TEST(an_incoherent_machine, shows_stale_data_until_written_back_and_invalidated) {
  work_folder const folder;
  for (char const* machine : {"nemesys-2x2", "nemesys-4x4"}) {
    for (int times = 0; times < 2; ++times) {
      outcome const result = folder.run(TESS_MACHINE " --quiet --copies 2 --machine " + std::string(machine) +
                                        " -- '" TESS_MACHINE_PROGRAMS "/incoherent'");
      EXPECT_EQ(result.output,
                "first 1\n"
                "written, but neither written back nor invalidated: 1\n"
                "invalidated here: 1\n"
                "written back there: 1\n"
                "and invalidated here: 2\n")
          << machine << result.error;
    }
  }
}

TEST(an_incoherent_machine, needs_time) {
  work_folder const folder;
  outcome const result = folder.run(TESS_MACHINE " --quiet --timing off -- '" TESS_MACHINE_PROGRAMS "/incoherent'");
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.error.find("--timing on"), std::string::npos) << result.error;
  EXPECT_EQ(result.output, "");
}

TEST(options_that_show_time, are_refused_without_it) {
  work_folder const folder;
  for (std::string const option : {"--trace t", "--picture p"}) {
    outcome const result = folder.run(TESS_MACHINE " --timing off " + option + " -- '" + program + "'");
    EXPECT_EQ(result.code, 2);
    EXPECT_NE(result.error.find("give --timing on"), std::string::npos) << result.error;
  }
  EXPECT_EQ(folder.run(TESS_MACHINE " --stats /nowhere/s.json -- '" + program + "'").code, 2);
}

TEST(machines, are_listed_one_a_line) {
  work_folder const folder;
  outcome const result = folder.run(TESS_MACHINE " --list");
  EXPECT_EQ(result.code, 0);
  std::ptrdiff_t files = 0;
  for (auto const& file : std::filesystem::directory_iterator(TESS_MACHINES)) {
    if (file.path().extension() != ".toml") continue;  // the folder of memories
    ++files;
    EXPECT_NE(("\n" + result.output).find("\n" + file.path().stem().string() + " "), std::string::npos)
        << result.output;
  }
  EXPECT_EQ(std::ranges::count(result.output, '\n'), files) << result.output;
  outcome const unknown = folder.run(TESS_MACHINE " --explain nemesys");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.error.find("expected one of "), std::string::npos) << unknown.error;
  EXPECT_NE(unknown.error.find(", mppa-256, nemesys-2x2, nemesys-4x4,"), std::string::npos) << unknown.error;
}

TEST(machines, are_explained_with_every_parameter_its_unit_and_its_source) {
  work_folder const folder;
  for (std::string const name : {"nemesys-4x4", "single-tile", "mppa-256", "cni-4", "dir-16", "rae-6", "tessera-2x2"}) {
    machine_description const made = read_machine(TESS_MACHINES "/" + name + ".toml");
    std::string const result = folder.run(TESS_MACHINE " --explain " + name).output;
    EXPECT_EQ(result, explanation_of(made));
    for (explained_value const& one : made.explained) {
      std::size_t const at = result.find("\n  " + one.path + " ");
      ASSERT_NE(at, std::string::npos) << one.path;
      std::string const line = result.substr(at + 1, result.find('\n', at + 1) - at - 1);
      for (std::string const& part : {one.value, one.unit, one.source})
        EXPECT_NE(line.find(part), std::string::npos) << line << " lacks " << part;
    }
  }
}

TEST(machines, are_drawn_as_they_are) {
  std::string const result = explanation_of(read_machine(TESS_MACHINES "/nemesys-2x2.toml"));
  EXPECT_NE(result.find("  +---------+     +---------+\n"
                        "  | 0,0     | --- | 1,0     |\n"
                        "  | 5 harts |     | 5 harts |\n"
                        "  +---------+     +---------+\n"
                        "       |               |     \n"
                        "  +---------+     +---------+\n"
                        "  | 0,1     | --- | 1,1     |\n"
                        "  | 5 harts |     | DDR 1h  |\n"
                        "  +---------+     +---------+\n"),
            std::string::npos)
      << result;
}

}  // namespace
}  // namespace tess::machine
