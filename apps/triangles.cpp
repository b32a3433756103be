// triangles: counts the triples of vertices that are all adjacent, ignoring directions.
#include "kernels/triangles.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "command_line/command_line.hpp"

namespace {

struct options : command_line::graph_options {
  kernels::form form = kernels::form::words;
  unsigned trials = 1;
};

tess::task<int> work(options const& o) {
  command_line::loaded_graph const loaded = co_await command_line::load(o, graph::row_kinds::symmetric);
  kernels::triangles const kernel = co_await kernels::triangles::make(loaded.graph);
  tess::operation_counts before;
  std::uint64_t found = 0;
  double seconds = 0;
  double ordering = 0;
  for (unsigned trial = 0; trial < o.trials; ++trial) {
    before = co_await tess::count_operations();
    tess::begin_measured_part();
    command_line::stopwatch const watch;
    if (kernel.needs_order(o.form)) co_await kernel.orient();
    double const ordered = watch.seconds();
    found = co_await kernel.count(o.form);
    double const taken = watch.seconds();
    tess::end_measured_part();
    if (trial == 0 || taken < seconds) {
      seconds = taken;
      ordering = ordered;
    }
  }
  tess::operation_counts const after = co_await tess::count_operations();

  double const edges = static_cast<double>(loaded.graph.edges()) / 2;
  fmt::print("{} triangles at {} places\n", found, tess::places());
  fmt::print("time: {:.6f} s{}, of it {:.6f} s for ordering, {:.1f} M edges/s\n", seconds,
             o.trials > 1 ? " (the best)" : "", ordering, edges / seconds / 1e6);
  command_line::print_operations(before, after);
  bool right = true;
  if (o.verify) {
    std::uint64_t const expected = co_await kernels::triangles_alone(loaded.graph);
    right = found == expected;
    fmt::print("verified: {}\n", right ? "yes" : fmt::format("NO, one thread finds {}", expected));
    tess::report_result("verified", right ? "true" : "false");
  }
  tess::report_result("triangles", std::to_string(found));
  co_await kernels::triangles::release(kernel);
  co_await graph::distributed_graph::release(loaded.graph);
  co_return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  command_line::parser app("Counts the triangles of a graph.", "triangles");
  options o;
  command_line::declare(app, static_cast<command_line::graph_options&>(o));
  command_line::declare(app, o.form);
  app.add_option("--trials", o.trials, "runs, of which the fastest counts").shows_default().positive();
  if (auto const code = app.parse(argc, argv)) return *code;
  return tess::run(argc, argv, [&](tess::args) { return command_line::with_input_errors(work(o)); });
}
