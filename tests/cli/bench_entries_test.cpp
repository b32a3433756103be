// bench_entries_test: benchmark entries are checked when read, and the table is aligned. Method: files written and
// read.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "cli/bench/entries.hpp"

namespace tess::cli {
namespace {

// Each case writes a file of its own name, because cases run concurrently.
nlohmann::json read_back(std::string const& text) {
  auto const* const current = testing::UnitTest::GetInstance()->current_test_info();
  auto const file = std::filesystem::path{testing::TempDir()} / (std::string{"tess-"} + current->name() + ".json");
  std::ofstream{file} << text;
  struct remover {
    std::filesystem::path file;
    ~remover() { std::filesystem::remove(file); }
  } const at_end{file};
  return read_bench_entries(file);
}

std::string message_of(std::string const& text) {
  try {
    (void)read_back(text);
  } catch (std::runtime_error const& error) {
    return error.what();
  }
  return {};
}

TEST(bench_entries, lines_up_names_to_the_left_and_numbers_to_the_right) {
  auto const entries = read_back(R"([
    {"bench": "gups", "case": "remote", "places": 16, "value": 1.5e8, "unit": "updates/s", "limit": 1e8, "ratio": 1.5,
     "runs": 5},
    {"bench": "word", "case": "get", "places": 2, "value": 31.25, "unit": "ns", "limit": null, "runs": 5}])");
  EXPECT_EQ(bench_table(entries),
            "bench  case    places    value  unit       limit  ratio\n"
            "gups   remote      16  1.5e+08  updates/s  1e+08    1.5\n"
            "word   get          2    31.25  ns             -      -\n");
}

TEST(bench_entries, names_the_entry_and_its_missing_field) {
  EXPECT_EQ(message_of("not json"), "it wrote no JSON list of entries");
  EXPECT_EQ(message_of("{}"), "it wrote no JSON list of entries");
  EXPECT_EQ(message_of(R"([{"bench": "gups", "case": "a", "places": "4"}])"), "entry 0 has no number \"places\"");
  EXPECT_EQ(message_of("[3]"), "entry 0 has no text \"bench\"");
}

}  // namespace
}  // namespace tess::cli
