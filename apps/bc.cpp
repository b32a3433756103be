// bc: which vertices lie on the shortest paths between others.
#include "kernels/bc.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <unordered_set>

#include "command_line/command_line.hpp"
#include "command_line/vertex_table.hpp"
#include "graph/error.hpp"
#include "kernels/bc_words.hpp"
#include "kernels/gather_block_array.hpp"
#include "kernels/random_word.hpp"

namespace {

struct options : command_line::graph_options {
  kernels::form form = kernels::form::messages;
  kernels::pace pace = kernels::pace::overlapping;
  std::vector<std::string> named_sources;
  std::uint64_t sources = 4;
  std::optional<std::uint64_t> seed;  // without one, sources are spread over the numbers
  bool endpoints = false;
  bool normalise = false;
  std::size_t top = 10;
  std::string output;
  unsigned trials = 1;
};

constexpr double agreement = 1e-9;  // relative

// The vertices with the highest scores; among equal scores, the smaller numbers.
std::vector<graph::vertex> highest(std::vector<double> const& scores, std::size_t count) {
  std::vector<graph::vertex> order(scores.size());
  std::iota(order.begin(), order.end(), 0U);
  auto const end = order.begin() + static_cast<std::ptrdiff_t>(std::min(count, order.size()));

  std::partial_sort(order.begin(), end, order.end(), [&](graph::vertex a, graph::vertex b) {
    return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
  });
  order.erase(end, order.end());
  return order;
}

void report(std::vector<graph::vertex> const& sources, kernels::bc_result const& result,
            std::vector<double> const& scores, std::vector<graph::vertex> const& top) {
  std::vector<std::uint64_t> const from(sources.begin(), sources.end());
  std::vector<std::uint64_t> const vertices(top.begin(), top.end());
  std::string values;
  for (graph::vertex const v : top) values += fmt::format("{}{:#.17g}", values.empty() ? "" : ", ", scores[v]);
  tess::report_result("sources", command_line::json(from));
  tess::report_result("levels", std::to_string(result.levels));
  tess::report_result("sum", fmt::format("{:#.17g}", std::reduce(scores.begin(), scores.end())));
  tess::report_result("top", command_line::json(vertices));
  tess::report_result("scores", "[" + values + "]");
}

tess::task<bool> agrees(graph::distributed_graph g, std::vector<graph::vertex> const& sources,
                        std::vector<double> const& scores, kernels::path_ends ends) {
  std::vector<double> const expected = co_await kernels::brandes_scores(g, sources, ends);
  co_return std::ranges::equal(scores, expected, [](double a, double b) { return std::fabs(a - b) <= agreement * b; });
}

// Different vertices at random.
std::vector<graph::vertex> drawn(std::uint64_t vertices, std::uint64_t count, std::uint64_t seed) {
  std::vector<graph::vertex> chosen;
  std::unordered_set<graph::vertex> known;
  for (std::uint64_t k = 0; chosen.size() < std::min(count, vertices); ++k) {
    auto const v = static_cast<graph::vertex>(kernels::scaled(kernels::random_word(seed, k), vertices));
    if (known.insert(v).second) chosen.push_back(v);
  }
  return chosen;
}

tess::task<int> rank(options const& o) {
  command_line::reports reports(o.output);
  command_line::loaded_graph const loaded = co_await command_line::load(o, graph::row_kinds::out_and_in);
  std::vector<graph::vertex> sources;
  for (std::string const& name : o.named_sources) sources.push_back(loaded.find(name));
  if (sources.empty())
    sources = o.seed ? drawn(loaded.graph.vertices(), o.sources, *o.seed)
                     : co_await kernels::spread_sources(
                           loaded.graph, o.sources,
                           o.normalise ? kernels::source_kind::any : kernels::source_kind::with_edges);
  auto const ends = o.endpoints ? kernels::path_ends::counted : kernels::path_ends::left_out;
  kernels::bc const kernel = co_await kernels::bc::make(loaded.graph);
  kernels::bc_result result;
  kernels::atomic_counts atomics;
  tess::operation_counts before;
  double seconds = 0;
  for (unsigned trial = 0; trial < o.trials; ++trial) {
    before = co_await tess::count_operations();
    tess::begin_measured_part();
    command_line::stopwatch const watch;
    result = o.form == kernels::form::words
                 ? co_await kernels::bc_by_words(loaded.graph, kernel.scores(), sources, atomics, o.pace)
                 : co_await kernel.run(sources, ends);
    double const taken = watch.seconds();
    tess::end_measured_part();
    seconds = trial == 0 ? taken : std::min(seconds, taken);
  }
  tess::operation_counts const after = co_await tess::count_operations();
  if (!result.counted) {
    co_await kernels::bc::release(kernel);
    co_await graph::distributed_graph::release(loaded.graph);
    throw graph::input_error(o.spec, 0,
                             fmt::format("more than {} shortest paths between two vertices",
                                         o.form == kernels::form::words ? "1.8e19" : "1.8e308"),
                             o.form == kernels::form::words ? "a graph whose paths 64 bits can count"
                                                            : "a graph whose paths a double can count");
  }

  std::vector<double> const sums = co_await kernels::gather_block_array(loaded.graph, kernel.scores());
  std::vector<double> const scores =
      o.normalise ? kernels::centrality_of(sums, sources, loaded.graph.directed(), ends, true) : sums;
  std::vector<graph::vertex> const top = highest(scores, o.top);
  fmt::print("      score  vertex\n");
  for (graph::vertex const v : top) fmt::print("{:11.4e}  {}\n", scores[v], loaded.label(v));
  fmt::print("{} sources, {} levels in all\n", sources.size(), result.levels);
  fmt::print("time: {:.6f} s{}, {:.1f} M edges/s\n", seconds, o.trials > 1 ? " (the best)" : "",
             static_cast<double>(loaded.graph.edges()) * static_cast<double>(sources.size()) / seconds / 1e6);
  command_line::print_operations(before, after);
  command_line::print_atomics(atomics);
  report(sources, result, scores, top);
  bool right = true;
  if (o.verify) {
    right = co_await agrees(loaded.graph, sources, sums, ends);
    fmt::print("{}\n", right ? "verified: yes" : "verified: NO, Brandes's algorithm finds other scores");
    tess::report_result("verified", right ? "true" : "false");
  }
  if (right && !o.output.empty()) {
    reports.end();
    right = co_await command_line::write_table(o.output, loaded, "score", scores);
  }
  co_await kernels::bc::release(kernel);
  co_await graph::distributed_graph::release(loaded.graph);
  co_return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  command_line::parser app(
      "Betweenness centrality: which vertices lie on the shortest paths from some sources to all others.", "bc");
  options o;
  command_line::declare(app, static_cast<command_line::graph_options&>(o));
  command_line::declare_words(app, o.form, o.pace);
  app.add_option("--sources", o.sources,
                 "how many sources to choose, among the vertices with edges, or with --normalise among all; as many as "
                 "there are give the exact centrality")
      .shows_default()
      .positive();
  app.add_option("--source", o.named_sources, "a source, by name or number, instead of chosen ones; may be repeated");
  app.add_seed(o.seed, "chooses the sources at random among all vertices, the same for the same seed");
  app.add_flag("--endpoints", o.endpoints, "the two ends of a path count as well");
  app.add_flag("--normalise", o.normalise, "scores are shares of the pairs of vertices, as NetworkX has them");
  app.check_together("--endpoints", [&o] {
    return o.endpoints && o.form == kernels::form::words ? std::string("is of --form messages") : std::string();
  });
  app.add_option("--top", o.top, "how many vertices to print").shows_default();
  command_line::declare_output(app, o.output);
  app.add_option("--trials", o.trials, "runs, of which the fastest counts").shows_default().positive();
  if (auto const code = app.parse(argc, argv)) return *code;
  return tess::run(argc, argv, [&](tess::args) { return command_line::with_input_errors(rank(o)); });
}
