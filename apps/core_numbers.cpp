// core_numbers: the core number of each vertex, ignoring directions: how dense the densest part is that it belongs to.
#include "kernels/core_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "command_line/command_line.hpp"
#include "command_line/trials.hpp"
#include "command_line/vertex_table.hpp"

namespace {

struct options : command_line::graph_options {
  std::string output;
  unsigned trials = 1;
};

constexpr std::size_t cores_shown = 8;

// How many vertices have each core number.
std::vector<std::uint64_t> sizes_of(std::vector<std::uint32_t> const& cores) {
  std::vector<std::uint64_t> sizes(cores.empty() ? 0 : *std::ranges::max_element(cores) + std::uint64_t{1});
  for (std::uint32_t const k : cores) ++sizes[k];
  return sizes;
}

// From the densest core on.
void print_cores(std::vector<std::uint64_t> const& sizes) {
  fmt::print("  vertices  of core number\n");
  std::size_t shown = 0;
  for (std::uint64_t k = sizes.size(); k-- > 0 && shown < cores_shown;) {
    if (sizes[k] == 0) continue;
    fmt::print("{:10}  {}\n", sizes[k], k);
    ++shown;
  }
}

tess::task<int> peel(options const& o) {
  command_line::reports reports(o.output);
  command_line::loaded_graph const loaded = co_await command_line::load(o, graph::row_kinds::symmetric);
  auto const found = co_await command_line::run_trials(o.trials, [&] { return kernels::core_numbers(loaded.graph); });
  std::vector<std::uint32_t> const& cores = found.result;
  std::vector<std::uint64_t> const sizes = sizes_of(cores);
  print_cores(sizes);
  command_line::print_time(found, o.trials, loaded.graph.edges());
  bool right = true;
  if (o.verify) {
    bool const same = cores == co_await kernels::core_numbers_alone(loaded.graph);
    right = command_line::report_verified(same ? "" : "removing one vertex after the other gives other numbers");
  }
  tess::report_result("core_max", std::to_string(sizes.size() - 1));
  tess::report_result("in_core_max", std::to_string(sizes.back()));
  tess::report_result("sum", std::to_string(std::accumulate(cores.begin(), cores.end(), std::uint64_t{0})));
  if (right && !o.output.empty()) {
    reports.end();
    right = co_await command_line::write_table(o.output, loaded, "core", cores);
  }
  co_await graph::distributed_graph::release(loaded.graph);
  co_return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  command_line::parser app("Core numbers of a graph's vertices, ignoring directions.", "core-numbers");
  options o;
  command_line::declare(app, o);
  command_line::declare_output(app, o.output);
  command_line::declare_trials(app, o.trials);
  if (auto const code = app.parse(argc, argv)) return *code;
  return tess::run(argc, argv, [&](tess::args) { return command_line::with_input_errors(peel(o)); });
}
