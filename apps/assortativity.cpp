// assortativity: whether edges join vertices of like degree: the correlation of the degrees of their ends.
#include "kernels/assortativity.hpp"

#include <fmt/format.h>

#include <cmath>

#include "command_line/command_line.hpp"
#include "command_line/trials.hpp"

namespace {

struct options : command_line::graph_options {
  kernels::assortativity_rules rules;
  unsigned trials = 1;
};

constexpr double agreement = 1e-9;

tess::task<int> correlate(options const& o) {
  command_line::loaded_graph const loaded = co_await command_line::load(o, graph::row_kinds::out_and_in);
  auto const found =
      co_await command_line::run_trials(o.trials, [&] { return kernels::degree_assortativity(loaded.graph, o.rules); });
  if (std::isnan(found.result))
    fmt::print("undefined: all ends of edges have the same degree\n");
  else
    fmt::print("degree assortativity: {:.9f}\n", found.result);
  command_line::print_time(found, o.trials, loaded.graph.edges());
  bool right = true;
  if (o.verify) {
    double const expected = co_await kernels::degree_assortativity_alone(loaded.graph, o.rules);
    // The verifier divides two rounded sums, which need not be 0.
    bool const same = std::isnan(found.result) || std::fabs(found.result - expected) <= agreement;
    right = command_line::report_verified(same ? "" : fmt::format("sums of differences give {}", expected));
  }
  tess::report_result("assortativity", std::isnan(found.result) ? "null" : fmt::format("{:#.17g}", found.result));
  co_await graph::distributed_graph::release(loaded.graph);
  co_return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  command_line::parser app("The correlation of the degrees of adjacent vertices.", "assortativity");
  options o;
  command_line::choices<kernels::edge_end_degree> const kinds{{"out", kernels::edge_end_degree::out},
                                                              {"in", kernels::edge_end_degree::in}};
  command_line::declare(app, o);
  app.add_choice<kernels::edge_end_degree>("--source-degree", o.rules.source, kinds,
                                           "which degree of an edge's source counts")
      .shown_as("out|in [out]");
  app.add_choice<kernels::edge_end_degree>("--target-degree", o.rules.target, kinds,
                                           "which degree of an edge's target counts")
      .shown_as("out|in [in]");
  command_line::declare_trials(app, o.trials);
  if (auto const code = app.parse(argc, argv)) return *code;
  return tess::run(argc, argv, [&](tess::args) { return command_line::with_input_errors(correlate(o)); });
}
