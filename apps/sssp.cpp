// sssp: the distance of every vertex from one of them, or from the nearest of several, by the weights of the edges.
#include "kernels/sssp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <type_traits>

#include "command_line/command_line.hpp"
#include "command_line/trials.hpp"
#include "command_line/vertex_table.hpp"
#include "graph/error.hpp"
#include "kernels/gather_block_array.hpp"
#include "kernels/sssp_words.hpp"

namespace {

struct options : command_line::graph_options {
  kernels::form form = kernels::form::messages;
  kernels::pace pace = kernels::pace::overlapping;
  std::vector<std::string> sources;
  bool parents = false;
  std::string output;
  double delta = 0;  // 0: chosen
  std::size_t top = 10;
  unsigned trials = 1;
};

// option::between lets "nan" pass.
std::string positive_width(std::string const& given) {
  double width = 0;
  auto const [stop, problem] = std::from_chars(given.data(), given.data() + given.size(), width);
  bool const number = problem == std::errc{} && stop == given.data() + given.size();
  return number && width >= 1e-9 && width <= 1e300 ? "" : "a bin's width is a number from 1e-9 to 1e300";
}

template <class Distance>
struct summary {
  std::vector<graph::vertex> farthest;  // of equal ones the smaller first
  std::uint64_t reached = 0;
  Distance max = 0;
  std::conditional_t<std::is_integral_v<Distance>, std::uint64_t, Distance> sum = 0;
};

template <class Distance>
summary<Distance> summarise(std::vector<Distance> const& distances, std::size_t top) {
  summary<Distance> s;
  std::vector<graph::vertex> order;
  for (graph::vertex v = 0; v < distances.size(); ++v) {
    if (distances[v] == kernels::infinitely_far<Distance>) continue;
    order.push_back(v);
    s.max = std::max(s.max, distances[v]);
    s.sum += distances[v];
  }
  s.reached = order.size();
  auto const end = order.begin() + static_cast<std::ptrdiff_t>(std::min(top, order.size()));
  std::partial_sort(order.begin(), end, order.end(), [&](graph::vertex a, graph::vertex b) {
    return distances[a] != distances[b] ? distances[a] > distances[b] : a < b;
  });
  s.farthest.assign(order.begin(), end);
  return s;
}

// A number for JSON: an integer if the distances are integers.
template <class Number>
std::string text(Number x) {
  if constexpr (std::is_integral_v<Number>)
    return fmt::format("{}", x);
  else
    return fmt::format("{:#.17g}", x);
}

template <class Distance>
void report(summary<Distance> const& s, std::vector<graph::vertex> const& sources, double delta) {
  std::vector<std::uint64_t> const farthest(s.farthest.begin(), s.farthest.end());
  command_line::report_sources(sources);
  tess::report_result("delta", fmt::format("{:#.17g}", delta));
  tess::report_result("reached", std::to_string(s.reached));
  tess::report_result("farthest", command_line::json(farthest));
  tess::report_result("distance_max", text(s.max));
  tess::report_result("distance_sum", text(s.sum));
}

// The search in the requested form, and its arrays.
template <class Distance>
struct searcher {
  kernels::form form;
  kernels::pace pace;
  graph::distributed_graph g;
  graph::edge_weights weights;
  kernels::sssp<Distance> in_bulk;
  tess::global_array<Distance> words;

  static tess::task<searcher> make(kernels::form form, kernels::pace pace, graph::distributed_graph g,
                                   graph::edge_weights weights) {
    searcher s{form, pace, g, weights, {}, {}};
    if (form == kernels::form::words)
      s.words = co_await tess::global_array<Distance>::make(g.block() * tess::places());
    else
      s.in_bulk = co_await kernels::sssp<Distance>::make(g, weights);
    co_return s;
  }
  static tess::task<void> release(searcher s) {
    return s.form == kernels::form::words ? tess::global_array<Distance>::release(s.words)
                                          : kernels::sssp<Distance>::release(s.in_bulk);
  }

  tess::task<kernels::sssp_result> run(std::vector<graph::vertex> sources, double delta,
                                       kernels::atomic_counts& atomics) const {
    return form == kernels::form::words ? kernels::sssp_by_words(g, weights, words, sources, delta, atomics, pace)
                                        : in_bulk.run(sources, delta);
  }
  [[nodiscard]] tess::task<std::vector<Distance>> distances() const {
    return form == kernels::form::words ? kernels::gather_block_array(g, words) : in_bulk.distances();
  }
};

template <class Distance>
tess::task<bool> write(options const& o, command_line::loaded_graph const& loaded,
                       std::vector<Distance> const& distances, std::vector<graph::vertex> parents,
                       std::vector<graph::vertex> const& sources) {
  if (!o.parents) co_return co_await command_line::write_table(o.output, loaded, "distance", distances);
  for (graph::vertex const source : sources) parents[source] = command_line::no_number;
  auto const first = co_await kernels::scatter_block_array(loaded.graph, distances);
  auto const second = co_await kernels::scatter_block_array(loaded.graph, parents);
  bool const written = co_await command_line::write_table(
      o.output, loaded,
      {{.name = "distance", .values = first}, {.name = "parent", .values = second, .are_vertices = true}});
  co_await tess::global_array<graph::vertex>::release(second);
  co_await tess::global_array<Distance>::release(first);
  co_return written;
}

template <class Distance>
tess::task<int> search(options const& o, command_line::loaded_graph const& loaded, graph::edge_weights weights,
                       command_line::reports& reports) {
  std::vector<graph::vertex> const sources = co_await command_line::sources_named(loaded, o.sources);
  double const delta = o.delta > 0 ? o.delta : co_await kernels::sssp<Distance>::usual_delta(loaded.graph, weights);
  searcher<Distance> const by = co_await searcher<Distance>::make(o.form, o.pace, loaded.graph, weights);
  kernels::sssp_result result;
  kernels::atomic_counts atomics;
  tess::operation_counts before;
  double seconds = 0;
  for (unsigned trial = 0; trial < o.trials; ++trial) {
    before = co_await tess::count_operations();
    tess::begin_measured_part();
    command_line::stopwatch const watch;
    result = co_await by.run(sources, delta, atomics);
    double const taken = watch.seconds();
    tess::end_measured_part();
    seconds = trial == 0 ? taken : std::min(seconds, taken);
  }
  tess::operation_counts const after = co_await tess::count_operations();

  std::vector<Distance> const distances = co_await by.distances();
  std::vector<graph::vertex> parents;
  if (o.parents) parents = co_await by.in_bulk.parents(sources);
  summary<Distance> const s = summarise(distances, o.top);
  fmt::print("   distance  vertex\n");
  for (graph::vertex const v : s.farthest) fmt::print("{:11}  {}\n", distances[v], loaded.label(v));
  fmt::print("reached {} of {} vertices from {}, delta {:.6g}, {} steps\n", s.reached, loaded.graph.vertices(),
             command_line::label_of(loaded, sources), delta, result.steps);
  fmt::print("time: {:.6f} s{}, {:.1f} M edges/s\n", seconds, o.trials > 1 ? " (the best)" : "",
             static_cast<double>(loaded.graph.edges()) / seconds / 1e6);
  command_line::print_operations(before, after);
  command_line::print_atomics(atomics);
  report(s, sources, delta);
  bool right = true;
  if (o.verify) {
    // Equal, even floating-point ones: each is the least of the same sums.
    std::string wrong;
    if (distances != co_await kernels::dijkstra_distances<Distance>(loaded.graph, weights, sources))
      wrong = "Dijkstra's algorithm finds other distances";
    else if (o.parents &&
             !co_await kernels::are_shortest_paths<Distance>(loaded.graph, weights, sources, distances, parents))
      wrong = "the parents are not on shortest paths";
    right = command_line::report_verified(wrong);
  }
  co_await searcher<Distance>::release(by);
  if (right && !o.output.empty()) {
    reports.end();
    right = co_await write(o, loaded, distances, parents, sources);
  }
  co_return right ? 0 : 1;
}

tess::task<int> solve(options const& o) {
  command_line::reports reports(o.output);
  command_line::loaded_graph const loaded = co_await command_line::load(o, graph::row_kinds::out, true);
  graph::edge_weights const weights = *loaded.weights;
  int const code = weights.integers() ? co_await search<std::uint32_t>(o, loaded, weights, reports)
                                      : co_await search<double>(o, loaded, weights, reports);
  co_await graph::edge_weights::release(weights);
  co_await graph::distributed_graph::release(loaded.graph);
  co_return code;
}

}  // namespace

int main(int argc, char** argv) {
  command_line::parser app(
      "Shortest paths from one vertex of a graph, or from the nearest of several, by the weights of its edges (1 where "
      "a file has none; of a "
      "generated graph random ones from 1 to 255).",
      "sssp");
  options o;
  command_line::declare(app, static_cast<command_line::graph_options&>(o));
  command_line::declare_words(app, o.form, o.pace);
  app.add_option("--source", o.sources,
                 "a vertex, by name or number (default: the one with the most edges); of several, distances are from "
                 "the nearest");
  app.add_flag("--parents", o.parents, "finds the vertex before each on a shortest path, a column of --output");
  app.check_together("--parents", [&o] {
    return o.parents && o.form == kernels::form::words ? std::string("is of --form messages") : std::string();
  });
  app.add_option("--delta", o.delta, "width of a bin of distances worked on at once (default: chosen by the graph)")
      .check(positive_width, "1e-9 to 1e300");
  app.add_option("--top", o.top, "how many of the farthest vertices to print").shows_default();
  command_line::declare_output(app, o.output);
  app.add_option("--trials", o.trials, "searches, of which the fastest counts").shows_default().positive();
  if (auto const code = app.parse(argc, argv)) return *code;
  return tess::run(argc, argv, [&](tess::args) { return command_line::with_input_errors(solve(o)); });
}
