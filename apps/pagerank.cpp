// pagerank: ranks vertices by the links from others, weighted by the ranks of these.
#include "kernels/pagerank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "command_line/command_line.hpp"
#include "command_line/trials.hpp"
#include "command_line/vertex_table.hpp"
#include "command_line/vertex_vector.hpp"
#include "kernels/gather_block_array.hpp"
#include "kernels/general_pagerank.hpp"
#include "kernels/pagerank_words.hpp"

namespace {

struct options : command_line::graph_options {
  kernels::form form = kernels::form::messages;
  kernels::pace pace = kernels::pace::overlapping;
  kernels::pagerank_rules rules;
  // The general kernel is used if one of these is given.
  bool weighted = false;
  std::vector<std::string> restart;
  bool dangling_to_all = false;
  std::string start;
  std::optional<double> tolerance_per_vertex;

  [[nodiscard]] bool general() const {
    return weighted || dangling_to_all || !restart.empty() || !start.empty() || tolerance_per_vertex;
  }
  std::size_t top = 10;
  std::string output;
  unsigned trials = 1;
};

constexpr double agreement = 1e-9;    // relative
constexpr double negligible = 1e-15;  // sums in fixed point are no finer

// The vertices with the highest scores; among equal scores, the smaller numbers.
std::vector<graph::vertex> highest(std::vector<double> const& scores, std::size_t count) {
  std::vector<graph::vertex> order(scores.size());
  std::iota(order.begin(), order.end(), 0U);
  auto const end = order.begin() + static_cast<std::ptrdiff_t>(std::min(count, order.size()));
  std::partial_sort(order.begin(), end, order.end(), [&](graph::vertex a, graph::vertex b) {
    return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
  });
  order.erase(end, order.end());
  return order;
}

void report(kernels::pagerank_result const& result, std::vector<double> const& scores,
            std::vector<graph::vertex> const& top) {
  std::vector<std::uint64_t> vertices(top.begin(), top.end());
  std::string values;
  for (graph::vertex const v : top) values += fmt::format("{}{:.17g}", values.empty() ? "" : ", ", scores[v]);
  tess::report_result("iterations", std::to_string(result.iterations));
  tess::report_result("change", fmt::format("{:.17g}", result.change));
  tess::report_result("top", command_line::json(vertices));
  tess::report_result("scores", "[" + values + "]");
}

bool agree(std::vector<double> const& scores, std::vector<double> const& expected, double error = 0) {
  return std::ranges::equal(
      scores, expected, [&](double a, double b) { return std::fabs(a - b) <= (agreement + error) * b + negligible; });
}

struct ranking {
  std::vector<double> scores;
  kernels::pagerank_result run;
  kernels::atomic_counts atomics;
};

// The kernel, its options, and what they need.
class ranker {
 public:
  static tess::task<ranker> make(options const& o, command_line::loaded_graph const& loaded) {
    ranker r(o, loaded);
    if (!o.general()) {
      r.plain_ = co_await kernels::pagerank::make(loaded.graph);
      co_return r;
    }
    auto const vertices = static_cast<double>(loaded.graph.vertices());
    r.how_.damping = o.rules.damping;
    r.how_.iterations_max = o.rules.iterations_max;
    r.how_.tolerance = o.tolerance_per_vertex.value_or(o.rules.tolerance / vertices);
    r.how_.restart = command_line::vector_of(loaded, "--personalise", o.restart);
    if (o.dangling_to_all) r.how_.dangling.assign(loaded.graph.vertices(), 1.0);
    if (!o.start.empty()) r.how_.start = command_line::vector_of(loaded, "--start", {o.start});
    co_return r;
  }
  static tess::task<void> release(ranker r) {
    if (!r.o_.general()) co_await kernels::pagerank::release(r.plain_);
    if (r.loaded_.weights) co_await graph::edge_weights::release(*r.loaded_.weights);
  }

  tess::task<ranking> run() const {
    ranking made;
    if (o_.general()) {
      kernels::general_pagerank_result found = co_await kernels::general_pagerank(loaded_.graph, loaded_.weights, how_);
      co_return ranking{std::move(found.scores), {found.iterations, found.change}, {}};
    }
    made.run = o_.form == kernels::form::words ? co_await kernels::pagerank_by_words(loaded_.graph, plain_.scores(),
                                                                                     o_.rules, made.atomics, o_.pace)
                                               : co_await plain_.run(o_.rules);
    co_return made;
  }

  // The scores of the plain kernel stay at their places until they are asked for.
  tess::task<void> gather(ranking& made) const {
    if (!o_.general()) made.scores = co_await kernels::gather_block_array(loaded_.graph, plain_.scores());
  }

  tess::task<bool> verified(ranking const& made) const {
    if (o_.general())
      co_return agree(made.scores, co_await kernels::general_pagerank_alone(loaded_.graph, loaded_.weights, how_,
                                                                            made.run.iterations));
    int const iterations = made.run.iterations;
    std::uint64_t const n = loaded_.graph.vertices();
    bool const words = o_.form == kernels::form::words;
    auto const groups = words ? kernels::update_groups::one(n) : kernels::update_groups(n);
    bool const floats = !words && kernels::pagerank::by_floats(o_.rules.tolerance);
    double const error = floats ? kernels::pagerank::error_of_floats(o_.rules.damping, n, iterations) : 0;
    co_return agree(made.scores, co_await kernels::pushed_scores(loaded_.graph, o_.rules, iterations, groups), error);
  }

 private:
  ranker(options const& o, command_line::loaded_graph const& loaded) : o_(o), loaded_(loaded) {}

  options const& o_;
  command_line::loaded_graph const& loaded_;
  kernels::pagerank plain_;
  kernels::general_pagerank_options how_;
};

tess::task<int> rank(options const& o) {
  command_line::reports reports(o.output);
  command_line::loaded_graph const loaded = co_await command_line::load(o, graph::row_kinds::out_and_in, o.weighted);
  ranker const by = co_await ranker::make(o, loaded);
  auto found = co_await command_line::run_trials(o.trials, [&] { return by.run(); });
  co_await by.gather(found.result);
  auto const& [scores, result, atomics] = found.result;
  std::vector<graph::vertex> const top = highest(scores, o.top);
  fmt::print("      score  vertex\n");
  for (graph::vertex const v : top) fmt::print("{:11.4e}  {}\n", scores[v], loaded.label(v));
  fmt::print("{} iterations, the last one changed the scores by {:.3g} in sum\n", result.iterations, result.change);
  command_line::print_time(found, o.trials, loaded.graph.edges() * static_cast<std::uint64_t>(result.iterations));
  command_line::print_atomics(atomics);
  report(result, scores, top);
  bool right = true;
  if (o.verify)
    right = command_line::report_verified(co_await by.verified(found.result) ? "" : "pushing gives other scores");
  if (right && !o.output.empty()) {
    reports.end();
    right = co_await command_line::write_table(o.output, loaded, "score", scores);
  }
  co_await ranker::release(by);
  co_await graph::distributed_graph::release(loaded.graph);
  co_return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  command_line::parser app("PageRank of the vertices of a graph.", "pagerank");
  options o;
  command_line::declare(app, static_cast<command_line::graph_options&>(o));
  command_line::declare_words(app, o.form, o.pace);
  app.add_option("--top", o.top, "how many vertices to print").shows_default();
  app.add_option("--damping", o.rules.damping, "the share of rank that follows edges")
      .shows_default()
      .between(0.0, 1.0);
  app.add_option("--tolerance", o.rules.tolerance, "end when the scores change by less in sum")
      .shows_default()
      .not_negative();
  app.add_option("--iterations", o.rules.iterations_max, "end after so many in any case").shows_default().positive();
  app.add_flag("--weighted", o.weighted, "edges share the rank of their source by their weights (default: alike)");
  app.add_option(
         "--personalise", o.restart,
         "where walks restart: a vertex, or a file with one in each line, and its weight after a comma or a tab "
         "if that is not 1; may be repeated (default: all vertices alike)")
      .shown_as("NAME|FILE");
  app.add_choice<bool>("--dangling", o.dangling_to_all, {{"restart", false}, {"uniform", true}},
                       "where the rank of vertices without out-edges goes: as walks restart, or to all vertices alike")
      .shown_as("restart|uniform [restart]");
  app.add_option("--start", o.start, "the scores to begin with, as a file like those of --output").shown_as("FILE");
  app.add_option("--tolerance-per-vertex", o.tolerance_per_vertex,
                 "end when the scores change by less in sum than this times the number of vertices, as in NetworkX")
      .not_negative();
  app.check_together("--form", [&o] {
    bool const wrong = o.general() && o.form == kernels::form::words;
    return std::string(wrong ? "words has none of --weighted, --personalise, --dangling, --start and "
                               "--tolerance-per-vertex"
                             : "");
  });
  command_line::declare_output(app, o.output);
  command_line::declare_trials(app, o.trials);
  if (auto const code = app.parse(argc, argv)) return *code;
  return tess::run(argc, argv, [&](tess::args) { return command_line::with_input_errors(rank(o)); });
}
