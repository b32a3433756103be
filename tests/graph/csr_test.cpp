// csr: rows made by several threads are those of the definition. Method: random edges against a map, for all rules; the
// transpose and the graph without directions against the same.
#include "graph/csr.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "graph/error.hpp"

namespace graph {
namespace {

using entries = std::map<std::pair<std::uint32_t, std::uint32_t>, double>;

struct edges {
  std::vector<std::uint32_t> sources, targets;
  std::vector<double> weights;
};

edges random_edges(std::uint32_t vertices, std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  edges made;
  for (std::size_t i = 0; i < count; ++i) {
    made.sources.push_back(static_cast<std::uint32_t>(random() % vertices));
    made.targets.push_back(static_cast<std::uint32_t>(random() % vertices));
    made.weights.push_back(static_cast<double>(random() % 100) - 20);
  }
  return made;
}

entries expected(edges const& of, csr_rules const& rules) {
  entries made;
  auto const add = [&](std::uint32_t u, std::uint32_t v, double weight) {
    auto const [at, fresh] = made.try_emplace({u, v}, weight);
    if (fresh) return;
    switch (rules.duplicates) {
      case duplicates_rule::smallest:
        at->second = std::min(at->second, weight);
        break;
      case duplicates_rule::last:
        at->second = weight;
        break;
      case duplicates_rule::sum:
        at->second += weight;
        break;
      default:
        break;
    }
  };
  for (std::size_t i = 0; i < of.sources.size(); ++i) {
    std::uint32_t const u = of.sources[i], v = of.targets[i];
    if (u == v && rules.self_loops == self_loops_rule::drop) continue;
    add(u, v, of.weights[i]);
    if (!rules.directed && u != v) add(v, u, of.weights[i]);
  }
  return made;
}

entries found(csr_rows const& rows) {
  entries made;
  EXPECT_EQ(rows.offsets.front(), 0U);
  EXPECT_EQ(rows.offsets.back(), rows.targets.size());
  for (std::uint32_t v = 0; v < rows.vertices(); ++v)
    for (std::uint64_t e = rows.offsets[v]; e < rows.offsets[v + std::uint64_t{1}]; ++e) {
      if (e > rows.offsets[v]) EXPECT_LT(rows.targets[e - 1], rows.targets[e]);
      made[{v, rows.targets[e]}] = rows.weights.empty() ? 1 : rows.weights[e];
    }
  return made;
}

TEST(csr, has_the_edges_that_its_rules_keep) {
  edges const of = random_edges(97, 2000, 1);
  for (bool const directed : {true, false})
    for (auto const duplicates :
         {duplicates_rule::smallest, duplicates_rule::first, duplicates_rule::last, duplicates_rule::sum})
      for (auto const loops : {self_loops_rule::drop, self_loops_rule::keep})
        for (unsigned const threads : {1U, 2U, 5U}) {
          csr_rules const rules{directed, duplicates, loops, threads};
          csr const made = make_csr(100, of.sources, of.targets, of.weights, rules);
          entries const right = expected(of, rules);
          EXPECT_EQ(found(made.out), right);
          std::uint64_t own = 0;
          for (auto const& [ends, weight] : right) own += ends.first == ends.second ? 1 : 0;
          EXPECT_EQ(made.self_loops, own);
          EXPECT_EQ(made.edges(), directed ? right.size() : (right.size() + own) / 2);
        }
}

TEST(csr, without_weights_has_the_same_rows) {
  edges of = random_edges(300, 5000, 2);
  of.weights.assign(of.weights.size(), 1);
  for (bool const directed : {true, false}) {
    csr_rules const rules{directed, duplicates_rule::first, self_loops_rule::keep, 3};
    EXPECT_EQ(found(make_csr(300, of.sources, of.targets, {}, rules).out), expected(of, rules));
  }
}

TEST(csr, transposes_and_forgets_directions) {
  edges const of = random_edges(200, 1500, 3);
  csr_rules const rules{true, duplicates_rule::smallest, self_loops_rule::keep, 2};
  entries const right = expected(of, rules);
  entries turned, both = right;
  for (auto const& [ends, weight] : right) {
    turned[{ends.second, ends.first}] = weight;
    auto const [at, fresh] = both.try_emplace({ends.second, ends.first}, weight);
    if (!fresh) at->second = std::min(at->second, weight);
  }
  // The smaller weight counts in both directions.
  for (auto& [ends, weight] : both) weight = std::min(weight, both.at({ends.second, ends.first}));
  for (unsigned const threads : {1U, 2U, 7U}) {
    csr made = make_csr(200, of.sources, of.targets, of.weights, rules);
    transpose(made, threads);
    EXPECT_EQ(found(made.in), turned);
    csr const undirected = without_directions(made, threads);
    EXPECT_FALSE(undirected.directed);
    EXPECT_EQ(found(undirected.out), both);
  }
}

TEST(csr, of_nothing_is_empty) {
  for (std::uint64_t const vertices : {0U, 1U, 70U}) {
    csr made = make_csr(vertices, {}, {}, {}, {});
    transpose(made);
    EXPECT_EQ(made.vertices(), vertices);
    EXPECT_EQ(made.edges(), 0U);
    EXPECT_EQ(made.in.offsets.size(), vertices + 1);
    EXPECT_EQ(without_directions(made).vertices(), vertices);
  }
}

TEST(csr, names_the_edge_that_a_rule_refuses) {
  std::vector<std::uint32_t> const u{0, 1, 2, 0}, v{1, 2, 2, 1};
  auto const message = [&](csr_rules const& rules) -> std::string {
    try {
      static_cast<void>(make_csr(3, u, v, {}, rules));
    } catch (input_error const& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(message({true, duplicates_rule::refuse, self_loops_rule::drop, 1}),
            "edge:4: an edge that is there already, expected each edge once");
  EXPECT_EQ(message({true, duplicates_rule::smallest, self_loops_rule::refuse, 1}),
            "edge:3: a self-loop, expected two different ends");
  EXPECT_EQ(message({false, duplicates_rule::smallest, self_loops_rule::drop, 2}), "");
}

}  // namespace
}  // namespace graph
