// booksim_test: latency and saturation under load agree with BookSim2, for every row of its curves.
//
// Method: reference/booksim_curves.csv holds what BookSim2 (commit 28f4329) printed for a 4x4 mesh with dimension-order
// routing, islip allocators and uniform traffic. A: four stages; B: look-ahead routing and speculation; C: A with
// buffers of 4 flits. reference/booksim_torus_curves.csv holds the same for A on tori of 4x4 and 8x8 nodes, with links
// of two cycles between routers, and with two rules for the classes of channels: dim_order_torus is our `route`,
// dim_order_bal_torus our `balanced`. Up to 70% of the saturation load the mean latencies must agree within 3%. A load
// that saturates BookSim2's network must saturate ours with 10% more load, and one that does not must not with 10%
// less. Without TESS_SLOW only the tori of 4x4 nodes with two channels are compared.
#include <gtest/gtest.h>

#include <charconv>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "machine/network/traffic.hpp"

namespace {

using tess::machine::measure;
using tess::machine::network_parameters;
using tess::machine::ring_classes;
using tess::machine::topology_kind;
using tess::machine::traffic;
using tess::machine::traffic_result;

struct point {
  double rate;
  double latency;  ///< 0: saturated.
};
struct curve {
  std::string name;
  network_parameters network;
  std::uint32_t flits;
  std::vector<point> points;

  [[nodiscard]] double last_stable() const {
    double rate = 0;
    for (point const& at : points) {
      if (at.latency > 0) rate = at.rate;
    }
    return rate;
  }
};

double number(std::string const& text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);  // "None" stays 0
  return value;
}

std::vector<curve> read_curves(char const* path) {
  std::ifstream file(path);
  std::map<std::string, curve> curves;
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with('#') || line.starts_with("tag,")) continue;
    std::istringstream cells(line);
    std::string tag, k, channels, flits, depth, rate, latency;
    for (std::string* cell : {&tag, &k, &channels, &flits, &depth, &rate, &latency}) std::getline(cells, *cell, ',');
    std::string const name = tag + " k=" + k + " " + channels + " channels " + flits + " flits";
    curve& added = curves[name];
    added.name = name;
    added.flits = static_cast<std::uint32_t>(number(flits));
    added.network.width = added.network.height = static_cast<std::uint32_t>(number(k));
    added.network.virtual_networks = {{static_cast<std::uint32_t>(number(channels))}};
    added.network.buffer_flits = static_cast<std::uint32_t>(number(depth));
    if (tag.starts_with('B')) {
      added.network.routing_cycles = 0;
      added.network.speculative = true;
    }
    if (tag.ends_with("_torus")) {
      added.network.topology = topology_kind::torus;
      added.network.classes = tag == "dim_order_torus" ? ring_classes::route : ring_classes::balanced;
      added.network.ring_link_cycles = 2;
    }
    added.points.push_back({number(rate), number(latency)});
  }
  std::vector<curve> all;
  for (auto& [name, one] : curves) all.push_back(one);
  return all;
}

std::vector<curve> meshes() {
  return read_curves(TESS_BOOKSIM_CURVES);
}

std::vector<curve> tori() {
  return read_curves(TESS_BOOKSIM_TORUS_CURVES);
}

std::vector<curve> small_tori() {
  std::vector<curve> all = tori();
  std::erase_if(all, [](curve const& one) {
    return one.network.width != 4 || one.network.virtual_networks.front().channels != 2;
  });
  return all;
}

traffic_result at(curve const& of, double rate) {
  traffic load;
  load.rate = rate;
  load.flits = of.flits;
  load.warm_up_cycles = 3000;
  load.measured_cycles = 15'000;
  return measure(of.network, load);
}

void expect_latencies(std::vector<curve> const& curves) {
  for (curve const& one : curves) {
    for (point const& expected : one.points) {
      if (expected.latency == 0 || expected.rate > 0.7 * one.last_stable()) continue;
      double const ours = at(one, expected.rate).latency;
      EXPECT_NEAR(ours / expected.latency, 1, 0.03) << one.name << " at " << expected.rate;
    }
  }
}

void expect_saturation(std::vector<curve> const& curves) {
  for (curve const& one : curves) {
    EXPECT_FALSE(at(one, one.last_stable() * 0.9).saturated) << one.name;
    for (point const& expected : one.points) {
      if (expected.latency == 0) EXPECT_TRUE(at(one, expected.rate * 1.1).saturated) << one.name;
    }
  }
}

void expect_accepted_rates(std::vector<curve> const& curves) {
  for (curve const& one : curves) {
    double const rate = one.last_stable() * 0.8;
    EXPECT_NEAR(at(one, rate).accepted_rate / rate, 1, 0.03) << one.name;
  }
}

TEST(booksim_curves, are_complete) {
  EXPECT_EQ(meshes().size(), 10U);
  EXPECT_EQ(tori().size(), 16U);
  EXPECT_EQ(small_tori().size(), 4U);
  for (auto const& curves : {meshes(), tori()}) {
    for (curve const& one : curves) EXPECT_GE(one.points.size(), 6U) << one.name;
  }
}

TEST(mean_latency, agrees_with_booksim_up_to_70_percent_of_saturation) {
  expect_latencies(meshes());
  expect_latencies(small_tori());
}

TEST(saturation, agrees_with_booksim_within_10_percent) {
  expect_saturation(meshes());
  expect_saturation(small_tori());
}

TEST(accepted_rate, is_the_offered_one_below_saturation) {
  expect_accepted_rates(meshes());
  expect_accepted_rates(small_tori());
}

TEST(a_torus, slow_agrees_with_booksim) {
  if (std::getenv("TESS_SLOW") == nullptr) GTEST_SKIP() << "set TESS_SLOW=1, as machine_network_saturation does";
  expect_latencies(tori());
  expect_saturation(tori());
  expect_accepted_rates(tori());
}

// With uniform traffic a packet on 4x4 nodes crosses two links between routers on average.
TEST(a_torus, takes_longer_by_its_two_links_if_they_have_two_cycles) {
  curve torus{"torus", {}, 1, {}};
  torus.network.topology = topology_kind::torus;
  torus.network.width = torus.network.height = 4;
  torus.network.virtual_networks = {{2}};
  for (std::uint32_t const flits : {1U, 5U}) {
    torus.flits = flits;
    torus.network.ring_link_cycles = 0;
    double const one = at(torus, 0.02).latency;
    torus.network.ring_link_cycles = 2;
    EXPECT_NEAR(one, 16.0 + flits, 0.6) << flits;
    EXPECT_NEAR(at(torus, 0.02).latency, one + 2, 0.1) << flits;
  }
}

}  // namespace
