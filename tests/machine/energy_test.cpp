// energy_test: the energy of a run is the sum over its units and tiles of events times the energy of each.
// Method: runs in which one kind of event has an energy of 1 pJ and all others none, whose sums are compared with the
// counts that the statistics have anyway.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "child.hpp"

namespace tess::machine {
namespace {

using nlohmann::json;

std::string const units[] = {"harts", "l2", "tlm", "bus", "network", "accelerators", "dram"};

/// A run on nemesys-2x2 with these energies; no unit has others.
json run(std::string const& energies, std::string const& words) {
  work_folder const folder;
  std::ofstream{folder.path() / "m.toml"} << "extends = \"nemesys-2x2\"\n[energy]\n" << energies;
  outcome const result = folder.run(TESS_MACHINE " --quiet --stats s.json --machine m.toml --copies 3 -- '" +
                                    std::string(TESS_MACHINE_PROGRAMS) + "/" + words.substr(0, words.find(' ')) + "' " +
                                    words.substr(words.find(' ') + 1));
  EXPECT_EQ(result.code, 0) << result.error;
  return json::parse(text_of(folder.path() / "s.json"));
}

std::string only(std::string const& key) {
  std::string made;
  for (char const* const one :
       {"instruction_fj", "l2_word_fj", "tlm_word_fj", "bus_cycle_fj", "hop_byte_fj", "accelerator_cycle_fj"})
    made += std::string(one) + " = " + (key == one ? "1000" : "0") + "\n";
  return made;
}

TEST(energy_of_a_run, is_the_sum_over_units_and_tiles) {
  json const all = run("instruction_fj = 51800\n", "adding 50");
  double sum = 0;
  for (std::string const& unit : units) {
    double tiles = 0;
    for (json const& tile : all["tiles"]) tiles += tile["energy_" + unit + "_pj"].get<double>();
    double const here = all["energy"][unit + "_pj"].get<double>();
    EXPECT_NEAR(tiles, here, 1e-6 * here) << unit;
    sum += here;
    EXPECT_LE(all["measured"]["energy_" + unit + "_pj"].get<double>(), here * (1 + 1e-9)) << unit;
    if (unit != "accelerators") EXPECT_GT(here, 0) << unit;
  }
  EXPECT_NEAR(all["energy"]["pj"].get<double>(), sum, 1e-6 * sum);
}

TEST(energy_of_a_run, is_its_events_times_the_energy_of_each) {
  json const harts = run(only("instruction_fj"), "adding 50");
  EXPECT_EQ(harts["energy"]["harts_pj"].get<double>(), harts["instructions"].get<double>());
  EXPECT_EQ(harts["energy"]["l2_pj"].get<double>(), 0);
  EXPECT_EQ(harts["energy"]["network_pj"].get<double>(), 0);

  json const l2 = run(only("l2_word_fj"), "adding 50");
  double words = 0;
  for (json const& tile : l2["tiles"])
    words += tile["l2_hits"].get<double>() +
             4 * (tile["l2_misses"].get<double>() + tile["l2_write_backs"].get<double>());  // lines of 32 bytes
  EXPECT_EQ(l2["energy"]["l2_pj"].get<double>(), words);

  json const network = run(only("hop_byte_fj"), "adding 50");
  double flits = 0;
  for (json const& link : network["links"]) flits += link["flits"].get<double>();
  EXPECT_GT(flits, 0);
  EXPECT_EQ(network["energy"]["network_pj"].get<double>(), 4 * flits);

  json const bus = run(only("bus_cycle_fj"), "adding 50");
  double cycles = 0;
  for (json const& tile : bus["tiles"]) cycles += tile["bus_load"].get<double>() * bus["cycles"].get<double>();
  EXPECT_NEAR(bus["energy"]["bus_pj"].get<double>(), cycles, 1);

  json const tlm = run(only("tlm_word_fj"), "adding 50");
  double fetched = 0;
  double stores = 0;
  for (json const& hart : tlm["harts"]) {
    fetched += 4 * hart["fetch_misses"].get<double>() + 2 * hart["load_misses"].get<double>();
    stores += hart["stores"].get<double>();
  }
  double const counted = tlm["energy"]["tlm_pj"].get<double>();
  EXPECT_GT(counted, 0);
  EXPECT_LE(counted, fetched + stores) << "the stack is in the DDR";
}

TEST(energy_of_a_memory, is_known_if_its_currents_are) {
  work_folder const folder;
  std::ofstream{folder.path() / "m.toml"} << "extends = \"nemesys-2x2\"\n[dram]\npreset = \"lpddr5-6400\"\n";
  std::istringstream shown{folder.run(TESS_MACHINE " --show m.toml").output};
  std::ofstream without{folder.path() / "without.toml"};
  for (std::string line; std::getline(shown, line);)
    if (!line.starts_with("idd") && !line.starts_with("vdd") && !line.starts_with("chips")) without << line << '\n';
  without.close();
  for (bool const known : {true, false}) {
    std::string const machine = known ? "m.toml" : "without.toml";
    outcome const result =
        folder.run(TESS_MACHINE " --machine " + machine + " -- '" TESS_MACHINE_PROGRAMS "/strided' 64 100");
    EXPECT_EQ(result.code, 0) << result.error;
    EXPECT_EQ(result.error.find("the DRAM's is not known") == std::string::npos, known) << result.error;
  }
}

}  // namespace
}  // namespace tess::machine
