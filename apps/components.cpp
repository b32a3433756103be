// components: the number and sizes of a graph's connected components, ignoring directions.
#include "kernels/components.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "command_line/command_line.hpp"
#include "command_line/component_sizes.hpp"
#include "command_line/vertex_table.hpp"

namespace {

struct options : command_line::graph_options {
  std::string output;
  unsigned trials = 1;
};

tess::task<int> search(options const& o) {
  command_line::reports reports(o.output);
  command_line::loaded_graph const loaded = co_await command_line::load(o, graph::row_kinds::symmetric);
  kernels::components const kernel = co_await kernels::components::make(loaded.graph);
  tess::operation_counts before;
  double seconds = 0;
  for (unsigned trial = 0; trial < o.trials; ++trial) {
    before = co_await tess::count_operations();
    tess::begin_measured_part();
    command_line::stopwatch const watch;
    co_await kernel.run();
    double const taken = watch.seconds();
    tess::end_measured_part();
    seconds = trial == 0 ? taken : std::min(seconds, taken);
  }
  tess::operation_counts const after = co_await tess::count_operations();

  std::vector<graph::vertex> const labels = co_await kernel.labels();
  std::vector<command_line::component> const found = command_line::sizes_of(labels);
  command_line::print_components(loaded, found);
  fmt::print("time: {:.6f} s{}, {:.1f} M edges/s\n", seconds, o.trials > 1 ? " (the best)" : "",
             static_cast<double>(loaded.graph.edges()) / seconds / 1e6);
  command_line::print_operations(before, after);
  bool right = true;
  if (o.verify) {
    right = labels == co_await kernels::united_labels(loaded.graph);
    fmt::print("{}\n", right ? "verified: yes" : "verified: NO, union and find gives other labels");
    tess::report_result("verified", right ? "true" : "false");
  }
  command_line::report_components(found);
  tess::report_result("labels_sum", std::to_string(std::accumulate(labels.begin(), labels.end(), std::uint64_t{0})));
  if (right && !o.output.empty()) {
    reports.end();
    right = co_await command_line::write_table(o.output, loaded, "component", labels, true);
  }
  co_await kernels::components::release(kernel);
  co_await graph::distributed_graph::release(loaded.graph);
  co_return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  command_line::parser app("Weakly connected components of a graph.", "components");
  options o;
  command_line::declare(app, o);
  command_line::declare_output(app, o.output);
  app.add_option("--trials", o.trials, "runs, of which the fastest counts").shows_default().positive();
  if (auto const code = app.parse(argc, argv)) return *code;
  return tess::run(argc, argv, [&](tess::args) { return command_line::with_input_errors(search(o)); });
}
