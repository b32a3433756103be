// communities: groups of vertices with many edges inside and few between, ignoring directions.
#include "kernels/communities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "command_line/command_line.hpp"
#include "command_line/trials.hpp"
#include "command_line/vertex_table.hpp"

namespace {

enum class method : std::uint8_t { louvain, labels };

struct options : command_line::graph_options {
  method how = method::louvain;
  bool weighted = false;
  double resolution = 1;
  std::uint64_t seed = 1;
  std::string output;
  unsigned trials = 1;
};

constexpr std::size_t sizes_shown = 8;
constexpr double tolerance = 1e-9;

struct community {
  graph::vertex label;
  std::uint64_t size;
};

// Largest first; among equal sizes, the smaller label.
std::vector<community> sizes_of(std::vector<graph::vertex> const& labels) {
  std::vector<std::uint64_t> counts(labels.size());
  for (graph::vertex const label : labels) ++counts[label];
  std::vector<community> found;
  for (graph::vertex v = 0; v < labels.size(); ++v)
    if (counts[v] != 0) found.push_back({v, counts[v]});
  std::ranges::sort(found, [](community const& a, community const& b) {
    return a.size != b.size ? a.size > b.size : a.label < b.label;
  });
  found.resize(std::min(found.size(), sizes_shown));
  return found;
}

tess::task<bool> verify(options const& o, graph::distributed_graph g, std::vector<graph::vertex> const& labels,
                        std::optional<graph::edge_weights> w) {
  kernels::communities_check const c = co_await kernels::check_communities(g, labels, o.resolution, w);
  char const* wrong = "";
  if (!c.labelled)
    wrong = "a label is not the smallest vertex that has it";
  else if (o.how == method::louvain && c.merge_gain_max > tolerance)
    wrong = "two communities are better as one";
  else if (o.how == method::labels && c.label_lead_max > tolerance)
    wrong = "a vertex lacks the label that most of its neighbours have";
  fmt::print("modularity: {:.6f}\n", c.modularity);
  tess::report_result("modularity", fmt::format("{:#.17g}", c.modularity));
  co_return command_line::report_verified(wrong);
}

tess::task<int> search(options const& o) {
  command_line::reports reports(o.output);
  command_line::loaded_graph const loaded = co_await command_line::load(o, graph::row_kinds::symmetric, o.weighted);
  std::optional<graph::edge_weights> const& weights = loaded.weights;
  auto const all = co_await command_line::run_trials(o.trials, [&] {
    return o.how == method::louvain
               ? kernels::louvain(loaded.graph, {.resolution = o.resolution, .seed = o.seed}, weights)
               : kernels::propagated_labels(loaded.graph, o.seed, weights);
  });
  kernels::communities_result const& result = all.result;
  std::vector<community> const largest = sizes_of(result.labels);
  fmt::print("{} communities, by {} levels and {} rounds\n  vertices  with\n", result.communities, result.levels,
             result.rounds);
  for (community const& c : largest) fmt::print("{:10}  {}\n", c.size, loaded.label(c.label));
  if (result.communities > largest.size()) fmt::print("       ...\n");
  command_line::print_time(all, o.trials, loaded.graph.edges() / 2);
  bool right = !o.verify || co_await verify(o, loaded.graph, result.labels, weights);
  std::vector<std::uint64_t> sizes;
  for (community const& c : largest) sizes.push_back(c.size);
  tess::report_result("communities", std::to_string(result.communities));
  tess::report_result("largest", command_line::json(sizes));
  tess::report_result("labels_sum",
                      std::to_string(std::accumulate(result.labels.begin(), result.labels.end(), std::uint64_t{0})));
  if (right && !o.output.empty()) {
    reports.end();
    right = co_await command_line::write_table(o.output, loaded, "community", result.labels, true);
  }
  if (weights) co_await graph::edge_weights::release(*weights);
  co_await graph::distributed_graph::release(loaded.graph);
  co_return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  command_line::parser app("Communities of a graph, ignoring directions.", "communities");
  options o;
  command_line::declare(app, o);
  app.add_choice<method>("--method", o.how, {{"louvain", method::louvain}, {"labels", method::labels}},
                         "louvain: high modularity; labels: label propagation")
      .shown_as("louvain|labels [louvain]");
  app.add_flag("--weighted", o.weighted, "use the weights of the edges (default: each counts as 1)");
  app.add_option("--resolution", o.resolution, "of louvain: more than 1 gives smaller communities")
      .shows_default()
      .between(0.0, 1e6);
  app.add_seed(o.seed, "of the order in which vertices move, and of ties").shows_default();
  command_line::declare_output(app, o.output);
  command_line::declare_trials(app, o.trials);
  if (auto const code = app.parse(argc, argv)) return *code;
  return tess::run(argc, argv, [&](tess::args) { return command_line::with_input_errors(search(o)); });
}
