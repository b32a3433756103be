// bfs: distances from a vertex, or from the nearest of several.
//
//   On the Debian graph: the packages that break, and how soon, if a package breaks.
#include "kernels/bfs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "command_line/command_line.hpp"
#include "command_line/vertex_table.hpp"
#include "graph/error.hpp"
#include "kernels/bfs_verify.hpp"
#include "kernels/bfs_words.hpp"

namespace {

struct options : command_line::graph_options {
  kernels::form form = kernels::form::messages;
  kernels::pace pace = kernels::pace::overlapping;
  std::vector<std::string> sources;
  std::string output;
  bool parents = false;
  unsigned trials = 1;
};

constexpr std::size_t names_per_level = 4;
constexpr std::size_t levels_shown = 24;

// The first few names of a level.
std::string some_names(command_line::loaded_graph const& loaded, kernels::bfs_tree const& tree, std::uint32_t level) {
  std::string text;
  std::size_t shown = 0;
  for (graph::vertex v = 0; v < tree.depths.size(); ++v) {
    if (tree.depths[v] != level) continue;
    if (shown++ == names_per_level) return text + ", ...";
    text += (text.empty() ? "" : ", ") + loaded.label(v);
  }
  return text;
}

void print_levels(command_line::loaded_graph const& loaded, kernels::bfs_tree const& tree,
                  kernels::bfs_result const& result) {
  std::size_t const levels = result.levels.size();
  fmt::print("level   vertices\n");
  for (std::size_t level = 0; level < levels; ++level) {
    if (levels > levels_shown && level == levels_shown / 2) {
      fmt::print("  ...\n");
      level = levels - levels_shown / 2;
    }
    fmt::print("{:5} {:10}  {}\n", level, result.levels[level],
               some_names(loaded, tree, static_cast<std::uint32_t>(level)));
  }
}

tess::task<bool> write(options const& o, command_line::loaded_graph const& loaded, kernels::bfs_tree const& tree) {
  if (!o.parents) co_return co_await command_line::write_table(o.output, loaded, "distance", tree.depths);
  std::vector<std::uint32_t> before = tree.parents;
  for (graph::vertex v = 0; v < before.size(); ++v)
    if (tree.depths[v] == 0) before[v] = command_line::no_number;
  auto const depths = co_await kernels::scatter_block_array(loaded.graph, tree.depths);
  auto const parents = co_await kernels::scatter_block_array(loaded.graph, before);
  std::vector<command_line::column> columns{{"distance", depths}, {"parent", parents, true}};
  bool const written = co_await command_line::write_table(o.output, loaded, std::move(columns));
  co_await tess::global_array<std::uint32_t>::release(parents);
  co_await tess::global_array<std::uint32_t>::release(depths);
  co_return written;
}

tess::task<int> search(options const& o) {
  command_line::reports reports(o.output);
  command_line::loaded_graph const loaded = co_await command_line::load(o, graph::row_kinds::out_and_in);
  std::vector<graph::vertex> const sources = co_await command_line::sources_named(loaded, o.sources);
  kernels::bfs const kernel = co_await kernels::bfs::make(loaded.graph);
  kernels::bfs_result result;
  kernels::atomic_counts atomics;
  tess::operation_counts before;
  double seconds = 0;
  for (unsigned trial = 0; trial < o.trials; ++trial) {
    before = co_await tess::count_operations();
    tess::begin_measured_part();
    command_line::stopwatch const watch;
    result = o.form == kernels::form::words
                 ? co_await kernels::bfs_by_words(loaded.graph, kernel.parents(), sources, atomics, o.pace)
                 : co_await kernel.run(sources);
    double const taken = watch.seconds();
    tess::end_measured_part();
    seconds = trial == 0 ? taken : std::min(seconds, taken);
  }
  tess::operation_counts const after = co_await tess::count_operations();

  kernels::bfs_tree const tree = co_await kernels::gather_tree(loaded.graph, kernel.parents(), sources);
  print_levels(loaded, tree, result);
  fmt::print("reached {} of {} vertices from {} in {} levels\n", result.reached, loaded.graph.vertices(),
             command_line::label_of(loaded, sources), result.levels.size());
  fmt::print("time: {:.6f} s{}, {:.1f} M edges/s\n", seconds, o.trials > 1 ? " (the best)" : "",
             static_cast<double>(result.edges) / seconds / 1e6);
  command_line::print_operations(before, after);
  command_line::print_atomics(atomics);
  std::string wrong;
  if (o.verify) {
    wrong = co_await kernels::verify(loaded.graph, tree, result);
    fmt::print("{}\n", wrong.empty() ? "verified: yes" : "verified: NO, " + wrong);
  }
  command_line::report_sources(sources);
  tess::report_result("levels", command_line::json(result.levels));
  tess::report_result("reached", std::to_string(result.reached));
  if (o.verify) tess::report_result("verified", wrong.empty() ? "true" : "false");
  bool written = true;
  if (wrong.empty() && !o.output.empty()) {
    reports.end();
    written = co_await write(o, loaded, tree);
  }
  co_await kernels::bfs::release(kernel);
  co_await graph::distributed_graph::release(loaded.graph);
  co_return wrong.empty() && written ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  command_line::parser app("Breadth-first search: distances from a vertex of a graph, or from the nearest of several.",
                           "bfs");
  options o;
  command_line::declare(app, static_cast<command_line::graph_options&>(o));
  command_line::declare_words(app, o.form, o.pace);
  app.add_option("--source", o.sources,
                 "a vertex, by name or number (default: the one with the most edges); of several, distances are from "
                 "the nearest");
  command_line::declare_output(app, o.output);
  app.add_flag("--parents", o.parents, "the file of --output has the vertex before each, too");
  app.add_option("--trials", o.trials, "searches, of which the fastest counts").shows_default().positive();
  if (auto const code = app.parse(argc, argv)) return *code;
  return tess::run(argc, argv, [&](tess::args) { return command_line::with_input_errors(search(o)); });
}
