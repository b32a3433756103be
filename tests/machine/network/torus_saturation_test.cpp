// torus_saturation_test: how much load a torus takes depends on the classes of its channels, and on little else.
//
// Method: 8x8 nodes, two channels, uniform traffic, as BookSim2's example of a torus. A load between the two that
// classes take must saturate the one and not the other. The slow test changes one part of the network at a time and
// prints how much load each takes: the classes must make the difference whatever the other part is.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "machine/network/traffic.hpp"

namespace {

using tess::machine::measure;
using tess::machine::network_parameters;
using tess::machine::ring_classes;
using tess::machine::topology_kind;
using tess::machine::traffic;

network_parameters torus() {
  network_parameters made;
  made.topology = topology_kind::torus;
  made.width = made.height = 8;
  made.virtual_networks = {{2}};
  return made;
}

bool saturates(network_parameters network, ring_classes classes, std::uint32_t flits, double rate) {
  network.classes = classes;
  traffic load;
  load.rate = rate;
  load.flits = flits;
  load.warm_up_cycles = 3000;
  load.measured_cycles = 15'000;
  return measure(network, load).saturated;
}

/// Flits per node and cycle, to 0.5 %.
double taken_by(network_parameters const& network, ring_classes classes, std::uint32_t flits) {
  double low = 0.05;
  double high = 1.2;
  while (high - low > 0.005 * high) {
    double const rate = (low + high) / 2;
    (saturates(network, classes, flits, rate) ? high : low) = rate;
  }
  return low;
}

TEST(a_torus, takes_more_load_if_packets_keep_their_class_and_most_if_classes_are_balanced) {
  EXPECT_FALSE(saturates(torus(), ring_classes::dateline, 5, 0.305));
  EXPECT_TRUE(saturates(torus(), ring_classes::dateline, 5, 0.34));
  EXPECT_FALSE(saturates(torus(), ring_classes::route, 5, 0.34));
  EXPECT_TRUE(saturates(torus(), ring_classes::route, 5, 0.385));
  EXPECT_FALSE(saturates(torus(), ring_classes::balanced, 5, 0.385));
  EXPECT_TRUE(saturates(torus(), ring_classes::balanced, 5, 0.44));
}

TEST(a_torus, slow_saturates_early_because_of_its_classes_only) {
  if (std::getenv("TESS_SLOW") == nullptr) GTEST_SKIP() << "set TESS_SLOW=1, as machine_network_saturation does";
  struct variant {
    std::string name;
    network_parameters network;
  };
  std::array<variant, 8> all{variant{"2 channels, buffers of 8 flits", torus()},
                             {"buffers of 32 flits", torus()},
                             {"credits without delay", torus()},
                             {"look-ahead, speculation", torus()},
                             {"links of two cycles", torus()},
                             {"4 channels", torus()},
                             {"5x5", torus()},
                             {"4x4", torus()}};
  all[1].network.buffer_flits = 32;
  all[2].network.credit_cycles = 0;
  all[3].network.routing_cycles = 0;
  all[3].network.speculative = true;
  all[4].network.ring_link_cycles = 2;
  all[5].network.virtual_networks = {{4}};
  all[6].network.width = all[6].network.height = 5;
  all[7].network.width = all[7].network.height = 4;
  std::printf("%-32s flits  dateline  route  balanced\n", "flits per node and cycle");
  for (auto const& [name, network] : all) {
    for (std::uint32_t const flits : {1U, 5U}) {
      double const dateline = taken_by(network, ring_classes::dateline, flits);
      double const route = taken_by(network, ring_classes::route, flits);
      double const balanced = taken_by(network, ring_classes::balanced, flits);
      std::printf("%-32s %5u  %8.3f  %5.3f  %8.3f\n", name.c_str(), flits, dateline, route, balanced);
      // On 4x4 nodes no packet goes on behind a dateline.
      EXPECT_GT(route / dateline, name == "4x4" ? 0.99 : 1.03) << name;
      EXPECT_LT(route / dateline, name == "4x4" ? 1.01 : 1.20) << name;
      EXPECT_GT(balanced / route, 1.02) << name;
      EXPECT_LT(balanced / route, 1.20) << name;
    }
  }
}

}  // namespace
