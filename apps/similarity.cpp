// similarity: how many of their neighbours two vertices share, for the graph's edges or for pairs of a file.
#include "kernels/similarity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "command_line/command_line.hpp"
#include "command_line/text_file.hpp"
#include "command_line/trials.hpp"
#include "command_line/vertex_table.hpp"
#include "command_line/vertex_vector.hpp"
#include "graph/error.hpp"
#include "kernels/row_stream.hpp"

namespace {

using kernels::similarity_measure;
using kernels::vertex_pair;

struct options : command_line::graph_options {
  similarity_measure measure = similarity_measure::jaccard;
  std::string pairs;
  std::size_t top = 10;
  std::string output;
  unsigned trials = 1;
};

// Each edge once, the smaller end first.
tess::task<std::vector<vertex_pair>> edges_of(graph::distributed_graph g) {
  std::vector<vertex_pair> pairs;
  co_await kernels::for_each_row(g, [&](graph::vertex u, std::span<graph::vertex const> row) {
    for (graph::vertex const v : row)
      if (u < v) pairs.push_back({u, v});
  });
  co_return pairs;
}

std::vector<vertex_pair> pairs_in(std::string const& path, command_line::loaded_graph const& loaded) {
  std::vector<vertex_pair> pairs;
  for (auto const& [a, b] : command_line::pairs_of(loaded, path)) pairs.push_back({a, b});
  return pairs;
}

std::vector<std::size_t> highest(std::vector<double> const& values, std::size_t count) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  auto const end = order.begin() + static_cast<std::ptrdiff_t>(std::min(count, order.size()));
  std::partial_sort(order.begin(), end, order.end(), [&](std::size_t a, std::size_t b) {
    return values[a] != values[b] ? values[a] > values[b] : a < b;
  });
  order.erase(end, order.end());
  return order;
}

std::string table(std::string const& path, command_line::loaded_graph const& loaded,
                  std::vector<vertex_pair> const& pairs, std::vector<double> const& values, char const* name) {
  command_line::text_line line(path);
  std::string text = line.of({"source", "target", name});
  for (std::size_t i = 0; i < pairs.size(); ++i)
    text += line.of({loaded.label(pairs[i].a), loaded.label(pairs[i].b), fmt::format("{}", values[i])});
  return text;
}

tess::task<int> work(options const& o) {
  command_line::reports reports(o.output);
  command_line::loaded_graph const loaded = co_await command_line::load(o, graph::row_kinds::symmetric);
  std::vector<vertex_pair> const pairs = o.pairs.empty() ? co_await edges_of(loaded.graph) : pairs_in(o.pairs, loaded);
  auto const found = co_await command_line::run_trials(
      o.trials, [&] { return kernels::similarities(loaded.graph, pairs, o.measure); });
  std::vector<double> const& values = found.result;
  char const* const name = o.measure == similarity_measure::jaccard ? "jaccard" : "overlap";
  fmt::print("{:>11}  pair\n", name);
  for (std::size_t const i : highest(values, o.top))
    fmt::print("{:11.4e}  {} {}\n", values[i], loaded.label(pairs[i].a), loaded.label(pairs[i].b));
  fmt::print("{} pairs\n", pairs.size());
  command_line::print_time(found, o.trials, loaded.graph.edges());
  tess::report_result("pairs", std::to_string(pairs.size()));
  tess::report_result("sum", fmt::format("{:#.17g}", std::accumulate(values.begin(), values.end(), 0.0)));
  bool right = true;
  if (o.verify)
    right = command_line::report_verified(
        values == co_await kernels::similarities_alone(loaded.graph, pairs, o.measure) ? "" : "one thread has others");
  if (right && !o.output.empty()) {
    reports.end();
    right = co_await command_line::write_text(o.output, table(o.output, loaded, pairs, values, name));
  }
  co_await graph::distributed_graph::release(loaded.graph);
  co_return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  command_line::parser app("How many of their neighbours the vertices of a pair share, ignoring directions.",
                           "similarity");
  options o;
  command_line::declare(app, o);
  app.add_choice("--measure", o.measure,
                 command_line::choices<similarity_measure>{{"jaccard", similarity_measure::jaccard},
                                                           {"overlap", similarity_measure::overlap}},
                 "the common neighbours over those of either (jaccard, the default), or over the fewer ones (overlap)");
  app.add_option("--pairs", o.pairs,
                 "a file with two vertices in each line, as a,b, or one of --output (default: the graph's edges)");
  app.add_option("--top", o.top, "how many pairs to print").shows_default();
  command_line::declare_text_output(app, o.output, "a row for each pair");
  command_line::declare_trials(app, o.trials);
  if (auto const code = app.parse(argc, argv)) return *code;
  return tess::run(argc, argv, [&](tess::args) { return command_line::with_input_errors(work(o)); });
}
