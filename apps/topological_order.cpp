// topological_order: an order of a directed graph's vertices in which every edge leads forward; or a cycle.
#include "kernels/topological_order.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "command_line/command_line.hpp"
#include "command_line/trials.hpp"
#include "command_line/vertex_table.hpp"
#include "graph/error.hpp"

namespace {

struct options : command_line::graph_options {
  std::string output;
  unsigned trials = 1;
};

constexpr std::size_t cycle_shown = 10;

void print_cycle(command_line::loaded_graph const& loaded, std::vector<graph::vertex> const& cycle) {
  std::string text;
  for (graph::vertex const v : std::span(cycle).first(std::min(cycle.size(), cycle_shown)))
    text += loaded.label(v) + " -> ";
  fmt::print("no order: there is a cycle of {} vertices: {}{}\n", cycle.size(), text,
             cycle.size() > cycle_shown ? "..." : loaded.label(cycle.front()));
}

tess::task<bool> write(options const& o, command_line::loaded_graph const& loaded,
                       kernels::topological_order const& found) {
  std::vector<std::uint32_t> positions(found.order.size());
  for (std::uint32_t i = 0; i < positions.size(); ++i) positions[found.order[i]] = i;
  auto const generations = co_await kernels::scatter_block_array(loaded.graph, found.generations);
  auto const places = co_await kernels::scatter_block_array(loaded.graph, positions);
  std::vector<command_line::column> columns{{"generation", generations}, {"position", places}};
  bool const written = co_await command_line::write_table(o.output, loaded, std::move(columns));
  co_await tess::global_array<std::uint32_t>::release(places);
  co_await tess::global_array<std::uint32_t>::release(generations);
  co_return written;
}

tess::task<int> order(options const& o) {
  command_line::reports reports(o.output);
  command_line::loaded_graph const loaded = co_await command_line::load(o, graph::row_kinds::out_and_in);
  if (!loaded.graph.directed())
    throw graph::input_error("topological-order", 0, graph::quoted(o.spec), "a directed graph");
  auto const done =
      co_await command_line::run_trials(o.trials, [&] { return kernels::find_topological_order(loaded.graph); });
  kernels::topological_order const& found = done.result;
  bool const ordered = found.cycle.empty();
  std::uint64_t const generations =
      found.generations.empty() ? 0 : *std::ranges::max_element(found.generations) + std::uint64_t{1};
  if (ordered)
    fmt::print("{} vertices in {} generations\n", found.order.size(), generations);
  else
    print_cycle(loaded, found.cycle);
  command_line::print_time(done, o.trials, loaded.graph.edges());
  bool right = true;
  if (o.verify) right = command_line::report_verified(co_await kernels::what_is_wrong(loaded.graph, found));
  if (ordered) {
    std::uint64_t checksum = 0;
    for (std::uint64_t i = 0; i < found.order.size(); ++i) checksum += i * found.order[i];
    tess::report_result("generations", std::to_string(generations));
    tess::report_result("checksum", std::to_string(checksum));
  } else {
    std::vector<std::uint64_t> const cycle(found.cycle.begin(), found.cycle.end());
    tess::report_result("cycle", command_line::json(cycle));
  }
  if (right && ordered && !o.output.empty()) {
    reports.end();
    right = co_await write(o, loaded, found);
  }
  co_await graph::distributed_graph::release(loaded.graph);
  co_return right&& ordered ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  command_line::parser app("A topological order of a directed graph; exit code 1 if it has a cycle.",
                           "topological-order");
  options o;
  command_line::declare(app, o);
  command_line::declare_output(app, o.output);
  command_line::declare_trials(app, o.trials);
  if (auto const code = app.parse(argc, argv)) return *code;
  return tess::run(argc, argv, [&](tess::args) { return command_line::with_input_errors(order(o)); });
}
