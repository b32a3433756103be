// clustering: how many of the vertices' neighbours are neighbours of each other, ignoring directions.
#include "kernels/clustering.hpp"

#include <fmt/format.h>

#include <numeric>

#include "command_line/command_line.hpp"
#include "command_line/trials.hpp"
#include "command_line/vertex_table.hpp"
#include "kernels/gather_block_array.hpp"

namespace {

struct options : command_line::graph_options {
  std::string output;
  unsigned trials = 1;
};

tess::task<bool> write(options const& o, command_line::loaded_graph const& loaded,
                       kernels::clustering_result const& result) {
  // A table has no integers of 64 bits; as doubles the counts are exact.
  std::vector<double> const counts(result.triangles.begin(), result.triangles.end());
  auto const triangles = co_await kernels::scatter_block_array(loaded.graph, counts);
  auto const coefficients = co_await kernels::scatter_block_array(loaded.graph, result.coefficients);
  bool const written = co_await command_line::write_table(
      o.output, loaded, {{.name = "triangles", .values = triangles}, {.name = "coefficient", .values = coefficients}});
  co_await tess::global_array<double>::release(coefficients);
  co_await tess::global_array<double>::release(triangles);
  co_return written;
}

tess::task<int> work(options const& o) {
  command_line::reports reports(o.output);
  command_line::loaded_graph const loaded = co_await command_line::load(o, graph::row_kinds::symmetric);
  auto const all = co_await command_line::run_trials(o.trials, [&] { return kernels::clustering(loaded.graph); });
  kernels::clustering_result const& result = all.result;
  std::uint64_t const corners = std::accumulate(result.triangles.begin(), result.triangles.end(), std::uint64_t{0});
  fmt::print("{} triangles, transitivity {:.6f}, mean clustering coefficient {:.6f}\n", corners / 3,
             result.transitivity, result.mean);
  command_line::print_time(all, o.trials, loaded.graph.edges() / 2);
  tess::report_result("triangles", std::to_string(corners / 3));
  tess::report_result("transitivity", fmt::format("{:#.17g}", result.transitivity));
  tess::report_result("mean", fmt::format("{:#.17g}", result.mean));
  bool right = true;
  if (o.verify)
    right = command_line::report_verified(
        result.triangles == co_await kernels::triangles_of_each_alone(loaded.graph) ? "" : "one thread counts others");
  if (right && !o.output.empty()) {
    reports.end();
    right = co_await write(o, loaded, result);
  }
  co_await graph::distributed_graph::release(loaded.graph);
  co_return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  command_line::parser app("Triangles and clustering coefficients of the vertices of a graph, and its transitivity.",
                           "clustering");
  options o;
  command_line::declare(app, o);
  command_line::declare_output(app, o.output);
  command_line::declare_trials(app, o.trials);
  if (auto const code = app.parse(argc, argv)) return *code;
  return tess::run(argc, argv, [&](tess::args) { return command_line::with_input_errors(work(o)); });
}
