// closeness: how near each vertex is to those that have a path to it: closeness and harmonic centrality.
#include "kernels/closeness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "command_line/command_line.hpp"
#include "command_line/trials.hpp"
#include "command_line/vertex_table.hpp"
#include "kernels/bc.hpp"

namespace {

using graph::vertex;

struct options : command_line::graph_options {
  std::vector<std::string> named_sources;
  std::vector<std::string> named_vertices;
  std::uint64_t sources = 64;
  bool improved = true;
  std::size_t top = 10;
  std::string output;
  unsigned trials = 1;
};

constexpr double agreement = 1e-9;  // relative

// By vertex, in the order of `of`.
struct centralities {
  std::vector<vertex> of;
  std::vector<double> closeness;
  std::vector<double> harmonic;
};

// What is searched from: sources, or the vertices whose centrality is wanted.
struct plan {
  bool backwards = false;
  std::vector<vertex> from;
};

tess::task<plan> choose(options const& o, command_line::loaded_graph const& loaded) {
  plan p;
  p.backwards = !o.named_vertices.empty();
  for (std::string const& name : p.backwards ? o.named_vertices : o.named_sources) p.from.push_back(loaded.find(name));
  std::ranges::sort(p.from);
  p.from.erase(std::ranges::unique(p.from).begin(), p.from.end());
  if (!p.from.empty()) co_return p;
  if (o.sources < loaded.graph.vertices()) {
    p.from = co_await kernels::spread_sources(loaded.graph, o.sources);
    std::ranges::sort(p.from);
  } else {
    p.from.resize(loaded.graph.vertices());
    std::iota(p.from.begin(), p.from.end(), 0U);
  }
  co_return p;
}

centralities from_sums(kernels::distance_sums const& sums, plan const& p, std::uint64_t vertices, bool improved) {
  centralities made{p.from, {}, sums.reciprocals};
  if (!p.backwards) {
    made.of.resize(vertices);
    std::iota(made.of.begin(), made.of.end(), 0U);
  }
  for (std::size_t i = 0; i < made.of.size(); ++i) {
    bool const itself = p.backwards || std::ranges::binary_search(p.from, made.of[i]);
    std::uint64_t const others = (p.backwards ? vertices : p.from.size()) - (itself ? 1 : 0);
    made.closeness.push_back(kernels::closeness_of(sums.reached[i], sums.distances[i], others, improved));
  }
  return made;
}

// Indices of the highest closeness; among equal ones, the smaller vertices.
std::vector<std::size_t> highest(centralities const& all, std::size_t count) {
  std::vector<std::size_t> order(all.of.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return all.closeness[a] != all.closeness[b] ? all.closeness[a] > all.closeness[b] : a < b;
  });
  order.resize(std::min(count, order.size()));
  return order;
}

void report(plan const& p, centralities const& all, std::vector<std::size_t> const& top) {
  std::vector<std::uint64_t> const from(p.from.begin(), p.from.end());
  std::vector<std::uint64_t> vertices;
  std::string values;
  for (std::size_t const i : top) {
    vertices.push_back(all.of[i]);
    values += fmt::format("{}{:#.17g}", values.empty() ? "" : ", ", all.closeness[i]);
  }
  tess::report_result(p.backwards ? "vertices" : "sources", command_line::json(from));
  tess::report_result("sum", fmt::format("{:#.17g}", std::accumulate(all.closeness.begin(), all.closeness.end(), 0.0)));
  tess::report_result("harmonic_sum",
                      fmt::format("{:#.17g}", std::accumulate(all.harmonic.begin(), all.harmonic.end(), 0.0)));
  tess::report_result("top", command_line::json(vertices));
  tess::report_result("scores", "[" + values + "]");
}

bool same(kernels::distance_sums const& found, kernels::distance_sums const& expected) {
  return found.reached == expected.reached && found.distances == expected.distances &&
         std::ranges::equal(found.reciprocals, expected.reciprocals,
                            [](double a, double b) { return std::fabs(a - b) <= agreement * b; });
}

// A table has a row for each vertex: those that were not asked for have empty cells.
tess::task<bool> write(options const& o, command_line::loaded_graph const& loaded, centralities const& all,
                       kernels::distance_sums const& sums) {
  std::vector<double> const reached(sums.reached.begin(), sums.reached.end());
  std::pair<char const*, std::vector<double> const*> const contents[] = {{"closeness", &all.closeness},
                                                                         {"harmonic", &all.harmonic},
                                                                         {"reached", &reached},
                                                                         {"distances", &sums.distances}};
  std::vector<command_line::column> columns;
  std::vector<tess::global_array<double>> arrays;
  for (auto const& [name, values] : contents) {
    std::vector<double> cells(loaded.graph.vertices(), std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < all.of.size(); ++i) cells[all.of[i]] = (*values)[i];
    arrays.push_back(co_await kernels::scatter_block_array(loaded.graph, cells));
    columns.push_back({.name = name, .values = arrays.back()});
  }
  bool const written = co_await command_line::write_table(o.output, loaded, std::move(columns));
  for (auto const& array : arrays) co_await tess::global_array<double>::release(array);
  co_return written;
}

tess::task<int> work(options const& o) {
  command_line::reports reports(o.output);
  command_line::loaded_graph const loaded = co_await command_line::load(o, graph::row_kinds::out_and_in);
  plan const p = co_await choose(o, loaded);
  auto const found = co_await command_line::run_trials(o.trials, [&] {
    return p.backwards ? kernels::sums_to(loaded.graph, p.from) : kernels::sums_from(loaded.graph, p.from);
  });
  centralities const all = from_sums(found.result, p, loaded.graph.vertices(), o.improved);
  std::vector<std::size_t> const top = highest(all, o.top);
  fmt::print("  closeness    harmonic  vertex\n");
  for (std::size_t const i : top)
    fmt::print("{:11.4e} {:11.4e}  {}\n", all.closeness[i], all.harmonic[i], loaded.label(all.of[i]));
  fmt::print("{} searches {}\n", p.from.size(), p.backwards ? "back from the vertices" : "from sources");
  command_line::print_time(found, o.trials, loaded.graph.edges() * p.from.size());
  report(p, all, top);
  bool right = true;
  if (o.verify) {
    kernels::distance_sums const expected = p.backwards ? co_await kernels::sums_to_alone(loaded.graph, p.from)
                                                        : co_await kernels::sums_from_alone(loaded.graph, p.from);
    right = command_line::report_verified(same(found.result, expected) ? "" : "single searches find other distances");
  }
  if (right && !o.output.empty()) {
    reports.end();
    right = co_await write(o, loaded, all, found.result);
  }
  co_await graph::distributed_graph::release(loaded.graph);
  co_return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  command_line::parser app(
      "Closeness and harmonic centrality: how near the vertices are to those that have a path to them.", "closeness");
  options o;
  command_line::declare(app, o);
  auto const sources = app.add_option("--sources", o.sources,
                                      "how many sources to choose, whose distances to all vertices estimate the "
                                      "centrality; as many as there are vertices give it exactly")
                           .shows_default()
                           .positive();
  app.add_option("--source", o.named_sources, "a source, by name or number, instead of chosen ones; may be repeated");
  app.add_option("--vertex", o.named_vertices,
                 "a vertex, by name or number, whose exact centrality is wanted; may be repeated")
      .excludes(sources);
  app.add_flag("--improved,!--no-improved", o.improved,
               "multiply closeness by the share of vertices that have a path (Wasserman, Faust; default)");
  app.add_option("--top", o.top, "how many vertices to print").shows_default();
  command_line::declare_output(app, o.output);
  command_line::declare_trials(app, o.trials);
  if (auto const code = app.parse(argc, argv)) return *code;
  return tess::run(argc, argv, [&](tess::args) { return command_line::with_input_errors(work(o)); });
}
