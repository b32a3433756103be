// pagerank: ranks vertices by the links from others, weighted by the ranks of these.
#include "kernels/pagerank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "command_line/command_line.hpp"
#include "command_line/vertex_table.hpp"
#include "kernels/gather_block_array.hpp"
#include "kernels/pagerank_words.hpp"

namespace {

struct options : command_line::graph_options {
  kernels::form form = kernels::form::messages;
  kernels::pace pace = kernels::pace::overlapping;
  kernels::pagerank_rules rules;
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

void report(kernels::pagerank_result const& result, std::vector<double> const& scores,
            std::vector<graph::vertex> const& top) {
  std::vector<std::uint64_t> vertices(top.begin(), top.end());
  std::string values;
  for (graph::vertex const v : top) values += fmt::format("{}{:.17g}", values.empty() ? "" : ", ", scores[v]);
  tess::report_result("iterations", std::to_string(result.iterations));
  tess::report_result("change", fmt::format("{:.17g}", result.change));
  tess::report_result("top", command_line::json(vertices));
  tess::report_result("scores", "[" + values + "]");
}

tess::task<bool> agrees(graph::distributed_graph g, kernels::pagerank_rules rules, int iterations,
                        std::vector<double> const& scores) {
  std::vector<double> const expected = co_await kernels::pushed_scores(g, rules, iterations);
  co_return std::ranges::equal(scores, expected, [](double a, double b) { return std::fabs(a - b) <= agreement * b; });
}

tess::task<int> rank(options const& o) {
  command_line::reports reports(o.output);
  command_line::loaded_graph const loaded = co_await command_line::load(o.spec, graph::row_kinds::out_and_in);
  kernels::pagerank const kernel = co_await kernels::pagerank::make(loaded.graph);
  kernels::pagerank_result result;
  kernels::atomic_counts atomics;
  tess::operation_counts before;
  double seconds = 0;
  for (unsigned trial = 0; trial < o.trials; ++trial) {
    before = co_await tess::count_operations();
    tess::begin_measured_part();
    command_line::stopwatch const watch;
    result = o.form == kernels::form::words
                 ? co_await kernels::pagerank_by_words(loaded.graph, kernel.scores(), o.rules, atomics, o.pace)
                 : co_await kernel.run(o.rules);
    double const taken = watch.seconds();
    tess::end_measured_part();
    seconds = trial == 0 ? taken : std::min(seconds, taken);
  }
  tess::operation_counts const after = co_await tess::count_operations();

  std::vector<double> const scores = co_await kernels::gather_block_array(loaded.graph, kernel.scores());
  std::vector<graph::vertex> const top = highest(scores, o.top);
  fmt::print("      score  vertex\n");
  for (graph::vertex const v : top) fmt::print("{:11.4e}  {}\n", scores[v], loaded.label(v));
  fmt::print("{} iterations, the last one changed the scores by {:.3g} in sum\n", result.iterations, result.change);
  fmt::print("time: {:.6f} s{}, {:.1f} M edges/s\n", seconds, o.trials > 1 ? " (the best)" : "",
             static_cast<double>(loaded.graph.edges()) * result.iterations / seconds / 1e6);
  command_line::print_operations(before, after);
  command_line::print_atomics(atomics);
  report(result, scores, top);
  bool right = true;
  if (o.verify) {
    right = co_await agrees(loaded.graph, o.rules, result.iterations, scores);
    fmt::print("{}\n", right ? "verified: yes" : "verified: NO, pushing gives other scores");
    tess::report_result("verified", right ? "true" : "false");
  }
  if (right && !o.output.empty()) {
    reports.end();
    right = co_await command_line::write_table(o.output, loaded, {{.name = "score", .values = kernel.scores()}});
  }
  co_await kernels::pagerank::release(kernel);
  co_await graph::distributed_graph::release(loaded.graph);
  co_return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  command_line::parser app("PageRank of the vertices of a graph.", "pagerank");
  options o;
  command_line::declare(app, static_cast<command_line::graph_options&>(o));
  command_line::declare_words(app, o.form, o.pace);
  app.add_option("--top", o.top, "how many vertices to print").shows_default();
  app.add_option("--damping", o.rules.damping, "the share of rank that follows edges")
      .shows_default()
      .between(0.0, 1.0);
  app.add_option("--tolerance", o.rules.tolerance, "end when the scores change by less in sum")
      .shows_default()
      .not_negative();
  app.add_option("--iterations", o.rules.iterations_max, "end after so many in any case").shows_default().positive();
  command_line::declare_output(app, o.output);
  app.add_option("--trials", o.trials, "runs, of which the fastest counts").shows_default().positive();
  if (auto const code = app.parse(argc, argv)) return *code;
  return tess::run(argc, argv, [&](tess::args) { return command_line::with_input_errors(rank(o)); });
}
