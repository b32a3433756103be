// walks: random walks from the vertices of a graph, for example as sentences for node2vec.
#include <fmt/format.h>

#include <numeric>

#include "command_line/command_line.hpp"
#include "command_line/text_file.hpp"
#include "command_line/trials.hpp"
#include "command_line/vertex_table.hpp"
#include "kernels/random_walks.hpp"

namespace {

struct options : command_line::graph_options {
  kernels::walk_rules rules;
  std::uint64_t walks = 10;
  std::vector<std::string> sources;
  bool weighted = false;
  std::string output;
  unsigned trials = 1;
};

// Each source in turn, as often as there are walks of it.
std::vector<graph::vertex> starts_of(options const& o, command_line::loaded_graph const& loaded) {
  std::vector<graph::vertex> sources;
  for (std::string const& name : o.sources) sources.push_back(loaded.find(name));
  if (sources.empty()) {
    sources.resize(loaded.graph.vertices());
    std::iota(sources.begin(), sources.end(), 0U);
  }
  std::vector<graph::vertex> starts;
  for (std::uint64_t i = 0; i < o.walks; ++i) starts.insert(starts.end(), sources.begin(), sources.end());
  return starts;
}

// A line for each walk; a walk that ended early has a shorter one.
std::string table(std::string const& path, command_line::loaded_graph const& loaded,
                  std::vector<graph::vertex> const& walks, std::uint64_t length) {
  command_line::text_line line(path);
  std::string text;
  std::vector<std::string> words;
  for (std::size_t i = 0; i < walks.size(); ++i) {
    if (walks[i] != kernels::no_step) words.push_back(loaded.label(walks[i]));
    if (i % (length + 1) != length) continue;
    text += line.of(words);
    words.clear();
  }
  return text;
}

tess::task<int> work(options const& o) {
  command_line::reports reports(o.output);
  command_line::loaded_graph const loaded = co_await command_line::load(o, graph::row_kinds::out, o.weighted);
  std::optional<graph::edge_weights> const& weights = loaded.weights;
  std::vector<graph::vertex> const starts = starts_of(o, loaded);
  auto const found = co_await command_line::run_trials(
      o.trials, [&] { return kernels::random_walks(loaded.graph, weights, starts, o.rules); });
  std::vector<graph::vertex> const& walks = found.result;
  std::uint64_t steps = 0, sum = 0;
  for (std::size_t i = 0; i < walks.size(); ++i) {
    if (walks[i] == kernels::no_step) continue;
    ++steps;
    sum += walks[i] * (i % 97);
  }
  steps -= starts.size();
  fmt::print("{} walks, {} steps\n", starts.size(), steps);
  fmt::print("time: {:.6f} s{}, {:.2f} M steps/s\n", found.seconds, o.trials > 1 ? " (the best)" : "",
             static_cast<double>(steps) / found.seconds / 1e6);
  command_line::print_operations(found.before, found.after);
  tess::report_result("walks", std::to_string(starts.size()));
  tess::report_result("steps", std::to_string(steps));
  tess::report_result("checksum", std::to_string(sum));
  bool right = true;
  if (o.verify)
    right = command_line::report_verified(
        co_await kernels::check_walks(loaded.graph, weights, starts, o.rules.length, walks));
  if (right && !o.output.empty()) {
    reports.end();
    right = co_await command_line::write_text(o.output, table(o.output, loaded, walks, o.rules.length));
  }
  if (weights) co_await graph::edge_weights::release(*weights);
  co_await graph::distributed_graph::release(loaded.graph);
  co_return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  command_line::parser app("Random walks along the edges of a graph, as node2vec draws them.", "walks");
  options o;
  command_line::declare(app, o);
  app.add_option("--length", o.rules.length, "steps of a walk").shows_default().positive();
  app.add_option("--walks", o.walks, "walks from each source").shows_default().positive();
  app.add_option("--source", o.sources, "a vertex, by name or number (default: all); may be repeated");
  app.add_seed(o.rules.seed, "of the random numbers: the same seed, the same walks").shows_default();
  app.add_option("-p,--return", o.rules.p, "a step back to the vertex before is taken 1/P times as often")
      .shows_default()
      .between(0.001, 1000.0);
  app.add_option("-q,--in-out", o.rules.q, "a step to no neighbour of the vertex before is taken 1/Q times as often")
      .shows_default()
      .between(0.001, 1000.0);
  app.add_flag("--weighted", o.weighted, "edges are taken as often as their weights say");
  command_line::declare_text_output(app, o.output, "a line for each walk");
  command_line::declare_trials(app, o.trials);
  if (auto const code = app.parse(argc, argv)) return *code;
  return tess::run(argc, argv, [&](tess::args) { return command_line::with_input_errors(work(o)); });
}
