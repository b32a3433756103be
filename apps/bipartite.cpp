// bipartite: two colours for a graph's vertices so that adjacent ones differ, or an edge that proves there are none.
#include "kernels/bipartite.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "command_line/command_line.hpp"
#include "command_line/trials.hpp"
#include "command_line/vertex_table.hpp"
#include "kernels/row_stream.hpp"

namespace {

struct options : command_line::graph_options {
  std::string output;
  unsigned trials = 1;
};

// Why the result is wrong, or nothing.
tess::task<std::string> check(graph::distributed_graph g, kernels::two_colouring const& found) {
  if (found.odd) {
    bool const possible = co_await kernels::is_bipartite_alone(g);
    co_return possible ? "there is a colouring" : "";
  }
  std::uint64_t wrong = 0;
  co_await kernels::for_each_row(g, [&](graph::vertex u, std::span<graph::vertex const> row) {
    for (graph::vertex const v : row) wrong += found.colours[u] == found.colours[v] ? 1 : 0;
  });
  co_return wrong == 0 ? "" : "an edge has ends of one colour";
}

tess::task<int> colour(options const& o) {
  command_line::reports reports(o.output);
  command_line::loaded_graph const loaded = co_await command_line::load(o, graph::row_kinds::symmetric);
  auto const found = co_await command_line::run_trials(o.trials, [&] { return kernels::two_colours(loaded.graph); });
  kernels::two_colouring const& result = found.result;
  std::vector<std::uint32_t> const colours(result.colours.begin(), result.colours.end());
  if (result.odd)
    fmt::print("not bipartite: the edge {} {} is on a cycle of odd length\n", loaded.label(result.odd->first),
               loaded.label(result.odd->second));
  else
    fmt::print("bipartite: {} vertices of colour 0, {} of colour 1\n", std::ranges::count(colours, 0U),
               std::ranges::count(colours, 1U));
  command_line::print_time(found, o.trials, loaded.graph.edges());
  bool right = true;
  if (o.verify) right = command_line::report_verified(co_await check(loaded.graph, result));
  tess::report_result("bipartite", result.odd ? "false" : "true");
  if (result.odd) {
    std::vector<std::uint64_t> const edge{result.odd->first, result.odd->second};
    tess::report_result("odd_edge", command_line::json(edge));
  } else {
    tess::report_result("of_colour_1", std::to_string(std::ranges::count(colours, 1U)));
  }
  if (right && !o.output.empty() && !result.odd) {
    reports.end();
    right = co_await command_line::write_table(o.output, loaded, "colour", colours);
  }
  co_await graph::distributed_graph::release(loaded.graph);
  co_return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  command_line::parser app("Whether a graph is bipartite, ignoring directions, and the two colours.", "bipartite");
  options o;
  command_line::declare(app, o);
  command_line::declare_output(app, o.output);
  command_line::declare_trials(app, o.trials);
  if (auto const code = app.parse(argc, argv)) return *code;
  return tess::run(argc, argv, [&](tess::args) { return command_line::with_input_errors(colour(o)); });
}
