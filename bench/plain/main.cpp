// main: rates of the plain kernels on a Kronecker graph and on a grid, checked once against the verifiers.
//
// Units     edges: directed edges stored, all of them for bfs, components and triangles, all of them per iteration for
//           pagerank.
#include <omp.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "harness/clock.hpp"
#include "harness/splitmix.hpp"
#include "harness/suite.hpp"
#include "plain/build.hpp"
#include "plain/kernels.hpp"
#include "plain/verify.hpp"

namespace {

constexpr double million = 1e6;
constexpr double tolerance = 1e-4;  // of GAPBS
constexpr int iterations_max = 20;  // likewise

double million_edges(plain::graph_view const& graph) {
  return static_cast<double>(graph.out.edges()) / million;
}

/// A source that has neighbours; another one in each run.
plain::vertex some_source(plain::graph_view const& graph, std::uint64_t& drawn) {
  for (;;) {
    auto const v = static_cast<plain::vertex>(bench::splitmix(0, drawn++) % graph.n());
    if (graph.out.degree(v) > 0) return v;
  }
}

bool correct(plain::graph_view const& graph, int threads) {
  std::uint64_t drawn = 0;
  plain::vertex const source = some_source(graph, drawn);
  plain::bfs search(graph, threads);
  plain::components components(graph, threads);
  plain::pagerank pagerank(graph, threads);
  auto const ranked = pagerank.run(tolerance, iterations_max);
  auto const expected = plain::power_iteration(graph.out, plain::pagerank::damping, tolerance, iterations_max);
  return plain::is_shortest_path_tree(graph.out, source, search.run(source)) &&
         std::ranges::equal(components.run(), plain::union_find(graph.out)) &&
         ranked.iterations == expected.iterations &&
         std::ranges::equal(ranked.scores, expected.scores,
                            [](double a, double b) { return std::fabs(a - b) <= 4e-7 * b; });
}

void measure(bench::suite& rates, std::string const& name, plain::graph_view const& graph, int threads) {
  double const edges = million_edges(graph);
  plain::bfs search(graph, threads);
  std::uint64_t drawn = 0;
  rates.alone("bfs " + name, threads, "M/s", [&] {
    plain::vertex const source = some_source(graph, drawn);
    return edges / bench::seconds_of([&] { (void)search.run(source); });
  });
  plain::pagerank pagerank(graph, threads);
  rates.alone("pagerank " + name, threads, "M/s", [&] {
    int iterations = 0;
    double const seconds = bench::seconds_of([&] { iterations = pagerank.run(tolerance, iterations_max).iterations; });
    return edges * iterations / seconds;
  });
  plain::triangles triangles(graph.out, threads);
  rates.alone("triangles " + name, threads, "M/s",
              [&] { return edges / bench::seconds_of([&] { (void)triangles.run(); }); });
  plain::components components(graph, threads);
  rates.alone("components " + name, threads, "M/s",
              [&] { return edges / bench::seconds_of([&] { (void)components.run(); }); });
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Rates of the plain shared-memory graph kernels, in million edges per second.");
  bench::options chosen;
  int scale = 20;
  std::uint32_t side = 1024;
  int threads_max = omp_get_max_threads();
  bench::declare(app, chosen);
  app.add_option("--scale", scale, "the Kronecker graph has 2^scale vertices, 16 edges each")->capture_default_str();
  app.add_option("--side", side, "the grid has side x side vertices")->capture_default_str();
  app.add_option("--threads", threads_max, "measured with 1, 2, ... this many")->capture_default_str();
  if (auto const code = bench::parse(app, argc, argv)) return *code;

  bench::suite rates("plain", chosen);
  auto const run = [&](std::string const& name, std::uint32_t n, std::vector<plain::edge> const& edges) {
    plain::csr_graph const arrays(n, edges, plain::direction::both);
    plain::graph_view const graph(arrays.view());
    if (!correct(graph, threads_max)) {
      std::fprintf(stderr, "%s: a kernel's answer differs from the verifier's\n", name.c_str());
      return false;
    }
    for (int threads = 1; threads <= threads_max; threads *= 2) measure(rates, name, graph, threads);
    return true;
  };
  if (!run("kron " + std::to_string(scale), 1U << static_cast<unsigned>(scale), plain::kron_edges(scale, 16, 1))) {
    return 1;
  }
  if (!run("grid " + std::to_string(side), side * side, plain::grid_edges(side, side))) return 1;
  return rates.finish();
}
