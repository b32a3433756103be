// scc: the number and sizes of a directed graph's strongly connected components.
#include <fmt/format.h>

#include <numeric>

#include "command_line/command_line.hpp"
#include "command_line/component_sizes.hpp"
#include "command_line/trials.hpp"
#include "command_line/vertex_table.hpp"
#include "kernels/strong_components.hpp"

namespace {

struct options : command_line::graph_options {
  std::string output;
  unsigned trials = 1;
};

tess::task<int> search(options const& o) {
  command_line::reports reports(o.output);
  command_line::loaded_graph const loaded = co_await command_line::load(o, graph::row_kinds::out_and_in);
  auto const done =
      co_await command_line::run_trials(o.trials, [&] { return kernels::strong_components(loaded.graph); });
  std::vector<graph::vertex> const& labels = done.result;
  std::vector<command_line::component> const found = command_line::sizes_of(labels);
  command_line::print_components(loaded, found);
  command_line::print_time(done, o.trials, loaded.graph.edges());
  bool right = true;
  if (o.verify) {
    bool const same = labels == co_await kernels::strong_components_alone(loaded.graph);
    right = command_line::report_verified(same ? "" : "Tarjan's algorithm gives other labels");
  }
  command_line::report_components(found);
  tess::report_result("labels_sum", std::to_string(std::accumulate(labels.begin(), labels.end(), std::uint64_t{0})));
  if (right && !o.output.empty()) {
    reports.end();
    right = co_await command_line::write_table(o.output, loaded, "component", labels, true);
  }
  co_await graph::distributed_graph::release(loaded.graph);
  co_return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  command_line::parser app("Strongly connected components of a directed graph.", "scc");
  options o;
  command_line::declare(app, o);
  command_line::declare_output(app, o.output);
  command_line::declare_trials(app, o.trials);
  if (auto const code = app.parse(argc, argv)) return *code;
  return tess::run(argc, argv, [&](tess::args) { return command_line::with_input_errors(search(o)); });
}
