// independent_set: a maximal set of vertices of which no two are adjacent, ignoring directions.
#include "kernels/independent_set.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "command_line/command_line.hpp"
#include "command_line/trials.hpp"
#include "command_line/vertex_table.hpp"

namespace {

struct options : command_line::graph_options {
  std::uint64_t seed = 1;
  std::string output;
  unsigned trials = 1;
};

tess::task<int> select(options const& o) {
  command_line::reports reports(o.output);
  command_line::loaded_graph const loaded = co_await command_line::load(o, graph::row_kinds::symmetric);
  auto const found =
      co_await command_line::run_trials(o.trials, [&] { return kernels::independent_set(loaded.graph, o.seed); });
  std::vector<std::uint32_t> const members(found.result.begin(), found.result.end());
  std::uint64_t size = 0, sum = 0;
  for (std::uint64_t v = 0; v < members.size(); ++v) {
    size += members[v];
    sum += members[v] * v;
  }
  fmt::print("{} of {} vertices\n", size, members.size());
  command_line::print_time(found, o.trials, loaded.graph.edges());
  bool right = true;
  if (o.verify) {
    bool const same = found.result == co_await kernels::independent_set_alone(loaded.graph, o.seed);
    right = command_line::report_verified(same ? "" : "the greedy algorithm gives another set");
  }
  tess::report_result("size", std::to_string(size));
  tess::report_result("sum", std::to_string(sum));
  if (right && !o.output.empty()) {
    reports.end();
    right = co_await command_line::write_table(o.output, loaded, "member", members);
  }
  co_await graph::distributed_graph::release(loaded.graph);
  co_return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  command_line::parser app("A maximal independent set of a graph's vertices, ignoring directions.", "independent-set");
  options o;
  command_line::declare(app, o);
  app.add_seed(o.seed, "of the random order in which vertices are taken").shows_default();
  command_line::declare_output(app, o.output);
  command_line::declare_trials(app, o.trials);
  if (auto const code = app.parse(argc, argv)) return *code;
  return tess::run(argc, argv, [&](tess::args) { return command_line::with_input_errors(select(o)); });
}
