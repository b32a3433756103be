// spanning_forest: the edges that connect a graph's components with the least total weight, ignoring directions.
#include "kernels/spanning_forest.hpp"

#include <fmt/format.h>

#include <limits>

#include "command_line/command_line.hpp"
#include "command_line/trials.hpp"
#include "command_line/vertex_table.hpp"

namespace {

struct options : command_line::graph_options {
  std::string output;
  unsigned trials = 1;
};

// The forest as a table of vertices: each tree hangs from its smallest vertex.
struct rooted_forest {
  std::vector<std::uint32_t> parents;  // no_number for roots
  std::vector<double> weights;         // of the edge to the parent; infinity for roots
};

rooted_forest rooted(std::vector<kernels::weighted_edge> const& edges, std::uint64_t vertices) {
  std::vector<std::vector<std::pair<graph::vertex, double>>> neighbours(vertices);
  for (auto const& [u, v, weight] : edges) {
    neighbours[u].emplace_back(v, weight);
    neighbours[v].emplace_back(u, weight);
  }
  rooted_forest made{std::vector<std::uint32_t>(vertices, command_line::no_number),
                     std::vector<double>(vertices, std::numeric_limits<double>::infinity())};
  std::vector<bool> seen(vertices);
  std::vector<graph::vertex> todo;
  for (graph::vertex root = 0; root < vertices; ++root) {
    if (seen[root]) continue;
    seen[root] = true;
    todo.push_back(root);
    while (!todo.empty()) {
      graph::vertex const u = todo.back();
      todo.pop_back();
      for (auto const& [v, weight] : neighbours[u]) {
        if (seen[v]) continue;
        seen[v] = true;
        made.parents[v] = u;
        made.weights[v] = weight;
        todo.push_back(v);
      }
    }
  }
  return made;
}

tess::task<bool> write(options const& o, command_line::loaded_graph const& loaded, kernels::forest const& forest) {
  rooted_forest const table = rooted(forest.edges, loaded.graph.vertices());
  auto const parents = co_await kernels::scatter_block_array(loaded.graph, table.parents);
  auto const weights = co_await kernels::scatter_block_array(loaded.graph, table.weights);
  std::vector<command_line::column> columns{{"parent", parents, true}, {"weight", weights}};
  bool const written = co_await command_line::write_table(o.output, loaded, std::move(columns));
  co_await tess::global_array<double>::release(weights);
  co_await tess::global_array<std::uint32_t>::release(parents);
  co_return written;
}

tess::task<int> span(options const& o) {
  command_line::reports reports(o.output);
  command_line::loaded_graph const loaded = co_await command_line::load(o, graph::row_kinds::symmetric, true);
  graph::edge_weights const weights = *loaded.weights;
  auto const found =
      co_await command_line::run_trials(o.trials, [&] { return kernels::spanning_forest(loaded.graph, weights); });
  kernels::forest const& forest = found.result;
  fmt::print("{} edges of weight {} in {} trees\n", forest.edges.size(), forest.weight,
             loaded.graph.vertices() - forest.edges.size());
  command_line::print_time(found, o.trials, loaded.graph.edges());
  bool right = true;
  if (o.verify) {
    kernels::forest const expected = co_await kernels::spanning_forest_alone(loaded.graph, weights);
    right = command_line::report_verified(forest.edges == expected.edges ? "" : "Kruskal's algorithm gives others");
  }
  std::uint64_t ends = 0;
  for (kernels::weighted_edge const& e : forest.edges) ends += std::uint64_t{e.u} * 3 + e.v;
  tess::report_result("edges", std::to_string(forest.edges.size()));
  tess::report_result("trees", std::to_string(loaded.graph.vertices() - forest.edges.size()));
  tess::report_result("weight", fmt::format("{:#.17g}", forest.weight));
  tess::report_result("checksum", std::to_string(ends));
  if (right && !o.output.empty()) {
    reports.end();
    right = co_await write(o, loaded, forest);
  }
  co_await graph::edge_weights::release(weights);
  co_await graph::distributed_graph::release(loaded.graph);
  co_return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  command_line::parser app(
      "Minimum spanning forest of a graph, ignoring directions (weights: 1 where a file has none; of a generated graph "
      "random ones from 1 to 255).",
      "spanning-forest");
  options o;
  command_line::declare(app, o);
  command_line::declare_output(app, o.output);
  command_line::declare_trials(app, o.trials);
  if (auto const code = app.parse(argc, argv)) return *code;
  return tess::run(argc, argv, [&](tess::args) { return command_line::with_input_errors(span(o)); });
}
