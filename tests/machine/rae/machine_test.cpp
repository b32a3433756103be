// machine_test: programs on nodes with network interfaces for remote atomics: sums are exact, harts of a node see what
// RVWMO allows, and the interface's counts are those of its policies.
// Method: programs that check themselves on rae-6; patterns of 64 places on rae-64, with keys of [rae] changed, and the
// counts in the run's statistics.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "child.hpp"
#include "machine/config/comparison.hpp"

namespace tess::machine {
namespace {

std::string const programs = TESS_MACHINE_PROGRAMS;

/// Counts of the interface of place 0: 64 places, 32 operations each.
nlohmann::json counts_of(std::string const& pattern, std::string const& policy, bool merge) {
  work_folder const folder;
  std::string text = resolved_text(TESS_MACHINES "/rae-64.toml");
  text = std::regex_replace(text, std::regex("policy = \"retain\""), "policy = \"" + policy + "\"");
  // Nothing of this is in an L2, and 64 of 8 MB are more than the host need touch.
  text = std::regex_replace(text, std::regex("\nway_bytes = 524288"), "\nway_bytes = 4096");
  if (!merge) text = std::regex_replace(text, std::regex("\nmerge = true"), "\nmerge = false");
  std::ofstream{folder.path() / "mine.toml"} << text;
  outcome const result = folder.run(TESS_MACHINE " --quiet --machine mine.toml --copies 64 --stats s.json -- '" +
                                    programs + "/rae-patterns' " + pattern + " 32 64");
  EXPECT_EQ(result.code, 0) << result.error;
  auto const all = nlohmann::json::parse(text_of(folder.path() / "s.json"));
  auto const& counts = all["tiles"][0];
  EXPECT_EQ(counts["rae_requests"], 64 * 32);
  for (std::string const name : {"rae_requests", "rae_hits", "rae_entries", "rae_merged"})
    EXPECT_EQ(all["measured"][name], counts[name]) << name << ": nobody else has words asked for";
  return counts;
}

double per_request(nlohmann::json const& counts, std::initializer_list<char const*> names) {
  double sum = 0;
  for (char const* const name : names) sum += counts[name].get<double>();
  return sum / counts["rae_requests"].get<double>();
}

TEST(an_interface_of_64_places, misses_as_its_policy_and_the_pattern_say) {
  auto const misses = [](char const* pattern) {
    return per_request(counts_of(pattern, "retain", true), {"rae_entries"});
  };
  EXPECT_LE(misses("CENTRAL"), 0.01);
  EXPECT_NEAR(misses("STRIDE1"), 0.125, 0.01);
  EXPECT_GE(misses("RAND"), 0.7);
}

TEST(an_interface_of_64_places, needs_an_eighth_of_the_memory_accesses_by_merging) {
  auto const accesses = [](bool merge) {
    return per_request(counts_of("CENTRAL", "free-at-once", merge), {"rae_memory_reads", "rae_memory_writes"});
  };
  double const apart = accesses(false);
  EXPECT_EQ(apart, 2);
  EXPECT_LE(accesses(true) * 8, apart);
}

TEST(a_measured_part, has_a_kernel_s_requests_and_no_others) {
  work_folder const folder;
  outcome const result = folder.run(TESS_MACHINE " --quiet --machine rae-6 --copies 6 --stats s.json -- '" + programs +
                                    "/circustent_shmem' --bench SG_ADD --memsize 4096 --iters 40");
  EXPECT_EQ(result.code, 0) << result.error;
  auto const part = nlohmann::json::parse(text_of(folder.path() / "s.json"))["measured"];
  EXPECT_EQ(part["rae_requests"], 6 * 40 * 4);
  EXPECT_GE(part["rae_entries"], 6 * 40 / 8);
}

TEST(harts_of_a_node, see_only_what_rvwmo_allows_beside_an_interface_that_takes_their_lines) {
  work_folder const folder;
  std::string const text = resolved_text(TESS_MACHINES "/rae-6.toml");
  for (std::string const policy : {"retain", "free-at-once"}) {
    std::string const harts =
        std::regex_replace(text, std::regex("\napplication_in_memory_tiles = 1"), "\napplication_in_memory_tiles = 4");
    std::ofstream{folder.path() / "four.toml"}
        << std::regex_replace(harts, std::regex("policy = \"retain\""), "policy = \"" + policy + "\"");
    std::string const run = TESS_MACHINE " --quiet --machine four.toml ";
    outcome const litmus = folder.run(run + "-- '" + programs + "/litmus' mapped");
    EXPECT_EQ(litmus.output,
              "MP: 0 of 150\nSB: 0 of 150\nLB: 0 of 150\nIRIW: 0 of 150\nCoRR: 0 of 150\n2+2W: 0 of 150\n"
              "LR/SC: 0 of 150\n")
        << litmus.error;
    EXPECT_EQ(folder.run(run + "--copies 2 -- '" + programs + "/adding' 2000").output, "4000 4000\n");
    EXPECT_EQ(folder.run(run + "--copies 5 -- '" + programs + "/swapping' 20").output,
              "300 300\n300 300\ncopies 0 0, 0 words wrong, 3969 there\nrefused: 3 3 3 3 3\n");
  }
}

TEST(remote_atomics, of_all_places_on_one_node_are_all_done) {
  work_folder const folder;
  for (std::string const pattern : {"CENTRAL", "STRIDE1", "RAND"}) {
    outcome const result = folder.run(TESS_MACHINE " --quiet --machine rae-6 --copies 6 -- '" + programs +
                                      "/rae-patterns' " + pattern + " 100 6 check");
    EXPECT_EQ(result.output, "600 of 600\n") << result.error;
  }
}

}  // namespace
}  // namespace tess::machine
