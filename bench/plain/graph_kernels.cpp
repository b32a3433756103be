// graph_kernels: the kernels of apps/ on one and two places against the plain ones on as many threads, graph by graph.
//
//   Both run on the same graph, loaded once per number of places, from the same sources, in turn. Work that
//   both sides do once per graph is not timed: allocation, and in our pagerank finding the remote shares to be read.
//   The results of both sides' last runs are compared; if they differ, the benchmark fails. With --gap each kernel is
//   also measured against the program of the GAP benchmark suite, which allocates its arrays in the timed part.
//
// Units     edges: directed edges stored, all of them for bfs, components, sssp and triangles, all of them per
//           iteration for pagerank, per source for bc; against GAP's program all of them for pagerank, too, as the
//           numbers of iterations differ.
//           The two pageranks treat vertices without out-edges differently and may need other numbers of iterations.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "distributed/distributed_graph.hpp"
#include "distributed/edge_weights.hpp"
#include "graph/edge_reader.hpp"
#include "harness/clock.hpp"
#include "harness/splitmix.hpp"
#include "harness/suite.hpp"
#include "kernels/bc.hpp"
#include "kernels/bfs.hpp"
#include "kernels/components.hpp"
#include "kernels/gather_block_array.hpp"
#include "kernels/pagerank.hpp"
#include "kernels/sssp.hpp"
#include "kernels/triangles.hpp"
#include "plain/build.hpp"
#include "plain/gap.hpp"
#include "plain/kernels.hpp"
#include "plain/verify.hpp"
#include "tess/tess.hpp"

namespace {

constexpr double million = 1e6;
constexpr double tolerance = 1e-4;  // of GAPBS
constexpr int iterations_max = 20;  // likewise
constexpr double plain_delta_factor = 1;
constexpr int bc_sources = 4;  // likewise

// The edges of the distributed graph in the arrays of the plain kernels.
plain::csr_graph plain_graph(graph::graph_input const& input) {
  std::vector<plain::edge> edges;
  graph::edge_reader reader(input);
  std::vector<graph::edge> batch;
  while (reader.next(batch))
    for (graph::edge const& e : batch) edges.push_back({e.source, e.target});
  return {static_cast<std::uint32_t>(reader.vertices_count()), edges, plain::direction::both};
}

// A source with neighbours, a different one in each run.
plain::vertex some_source(plain::graph_view const& graph, std::uint64_t& drawn) {
  for (;;) {
    auto const v = static_cast<plain::vertex>(bench::splitmix(0, drawn++) % graph.n());
    if (graph.out.degree(v) > 0) return v;
  }
}

std::vector<plain::vertex> some_sources(plain::graph_view const& graph, int count) {
  std::vector<plain::vertex> sources;
  for (std::uint64_t drawn = 0; sources.size() < static_cast<std::size_t>(count);)
    sources.push_back(some_source(graph, drawn));
  return sources;
}

struct sides {
  bench::suite& rates;
  graph::graph_input const& input;
  std::string graph_name;
  int threads;
  plain::graph_view plain;
  plain::gap_programs* gap;  // null: not measured
  graph::distributed_graph ours;

  [[nodiscard]] double edges() const { return static_cast<double>(plain.out.edges()) / million; }
  [[nodiscard]] std::string name(char const* kernel) const { return std::string(kernel) + ' ' + graph_name; }
};

// Rounds of both sides, in changing order. limit(round) -> rate; ours(round) -> task with the rate.
template <class Limit, class Ours>
tess::task<void> compare(sides const& s, std::string const& name, Limit limit, Ours& ours) {
  std::vector<bench::round> rounds(static_cast<std::size_t>(s.rates.runs()));
  bool limit_first = true;
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    for (bool const limit_now : {limit_first, !limit_first}) {
      if (limit_now) {
        rounds[i].limit = limit(i);
        plain::rest();
      } else {
        rounds[i].ours = co_await ours(i);
      }
    }
    limit_first = !limit_first;
  }
  s.rates.record(name, s.threads, "M edges/s", rounds);
}

// The same against GAP's program. seconds(round) -> its time for `edges` million edges.
template <class Seconds, class Ours>
tess::task<void> compare_with_gap(sides const& s, char const* kernel, double edges, Seconds seconds, Ours& ours) {
  if (s.gap == nullptr) co_return;
  co_await compare(
      s, s.name(kernel) + " against GAP's program", [&](std::size_t i) { return edges / seconds(i); }, ours);
}

void expect_same(sides const& s, char const* kernel, bool same) {
  if (!same) throw tess::error(s.name(kernel), "other results than those of the plain kernel", "the same results");
}

// The same but for rounding in sums of another order.
bool are_close(std::span<double const> a, std::span<double const> b) {
  return std::ranges::equal(a, b, [](double x, double y) { return std::fabs(x - y) <= 1e-9 * std::max(1.0, y); });
}

// Only our side spreads the rank of vertices without out-edges over all, so scores are shares of their sum here. Both
// sides ended by one tolerance, or after as many iterations.
bool are_close_rankings(std::span<double const> a, std::span<double const> b) {
  double const a_sum = std::accumulate(a.begin(), a.end(), 0.0);
  double const b_sum = std::accumulate(b.begin(), b.end(), 0.0);
  double apart = 0;
  for (std::size_t v = 0; v < b.size(); ++v) apart += std::fabs(a[v] / a_sum - b[v] / b_sum);
  return a.size() == b.size() && apart <= 10 * tolerance;
}

tess::task<void> compare_bfs(sides const& s) {
  if (!s.rates.wants(s.name("bfs"))) co_return;
  plain::bfs plain(s.plain, s.threads);
  std::span<plain::vertex const> plain_parents;
  kernels::bfs const ours = co_await kernels::bfs::make(s.ours);
  std::vector<plain::vertex> const sources = some_sources(s.plain, s.rates.runs());
  auto const our_rate = [&](std::size_t i) -> tess::task<double> {
    double const begin = bench::timestamp();
    co_await ours.run(sources[i]);
    co_return s.edges() / (bench::timestamp() - begin);
  };
  co_await compare(
      s, s.name("bfs"),
      [&](std::size_t i) { return s.edges() / bench::seconds_of([&] { plain_parents = plain.run(sources[i]); }); },
      our_rate);
  co_await compare_with_gap(
      s, "bfs", s.edges(), [&](std::size_t i) { return s.gap->bfs(sources[i], s.threads); }, our_rate);
  // Which of several possible parents a vertex has is chance; the tree must be one of shortest paths.
  auto const parents = co_await kernels::gather_block_array(s.ours, ours.parents());
  expect_same(s, "bfs",
              plain::is_shortest_path_tree(s.plain.out, sources.back(), plain_parents.first(s.plain.n())) &&
                  plain::is_shortest_path_tree(s.plain.out, sources.back(), parents));
  co_await kernels::bfs::release(ours);
}

tess::task<void> compare_pagerank(sides const& s) {
  if (!s.rates.wants(s.name("pagerank"))) co_return;
  plain::pagerank plain(s.plain, s.threads);
  kernels::pagerank const ours = co_await kernels::pagerank::make(s.ours);
  std::span<double const> plain_scores;
  double our_seconds = 0;
  auto const our_rate = [&](std::size_t) -> tess::task<double> {
    double const begin = bench::timestamp();
    auto const result = co_await ours.run({.tolerance = tolerance, .iterations_max = iterations_max});
    our_seconds = bench::timestamp() - begin;
    co_return s.edges() * result.iterations / our_seconds;
  };
  co_await compare(
      s, s.name("pagerank"),
      [&](std::size_t) {
        plain::ranking found{};
        double const seconds = bench::seconds_of([&] { found = plain.run(tolerance, iterations_max); });
        plain_scores = found.scores;
        return s.edges() * found.iterations / seconds;
      },
      our_rate);
  auto const our_runs = [&](std::size_t i) -> tess::task<double> {
    static_cast<void>(co_await our_rate(i));
    co_return s.edges() / our_seconds;
  };
  co_await compare_with_gap(
      s, "pagerank", s.edges(), [&](std::size_t) { return s.gap->pagerank(tolerance, iterations_max, s.threads); },
      our_runs);
  auto const scores = co_await kernels::gather_block_array(s.ours, ours.scores());
  expect_same(s, "pagerank", are_close_rankings(scores, plain_scores));
  co_await kernels::pagerank::release(ours);
}

tess::task<void> compare_components(sides const& s) {
  if (!s.rates.wants(s.name("components"))) co_return;
  plain::components plain(s.plain, s.threads);
  kernels::components const ours = co_await kernels::components::make(s.ours);
  std::span<plain::vertex const> plain_labels;
  auto const our_rate = [&](std::size_t) -> tess::task<double> {
    double const begin = bench::timestamp();
    co_await ours.run();
    co_return s.edges() / (bench::timestamp() - begin);
  };
  co_await compare(
      s, s.name("components"),
      [&](std::size_t) { return s.edges() / bench::seconds_of([&] { plain_labels = plain.run(); }); }, our_rate);
  co_await compare_with_gap(
      s, "components", s.edges(), [&](std::size_t) { return s.gap->components(s.threads); }, our_rate);
  expect_same(s, "components", std::ranges::equal(co_await ours.labels(), plain_labels));
  co_await kernels::components::release(ours);
}

// Each side uses its best delta.
tess::task<void> compare_sssp(sides const& s) {
  auto const* const from = std::get_if<graph::generator>(&s.input.source);
  if (!s.rates.wants(s.name("sssp")) || from == nullptr) co_return;
  plain::weighted_targets const weighted(
      s.plain.out, [&](plain::vertex u, plain::vertex v) { return graph::random_weight(*from, u, v); });
  plain::sssp plain(weighted.view(), s.threads);
  graph::edge_weights const weights = co_await graph::edge_weights::load(s.input, s.ours);
  using kernel = kernels::sssp<std::uint32_t>;
  double const delta = co_await kernel::usual_delta(s.ours, weights);
  auto const plain_delta = static_cast<std::uint32_t>(std::max(delta * plain_delta_factor, 1.0));
  kernel const ours = co_await kernel::make(s.ours, weights);
  std::vector<plain::vertex> const sources = some_sources(s.plain, s.rates.runs());
  std::span<std::uint32_t const> plain_distances;
  auto const our_rate = [&](std::size_t i) -> tess::task<double> {
    double const begin = bench::timestamp();
    co_await ours.run(sources[i], delta);
    co_return s.edges() / (bench::timestamp() - begin);
  };
  co_await compare(
      s, s.name("sssp"),
      [&](std::size_t i) {
        return s.edges() / bench::seconds_of([&] { plain_distances = plain.run(sources[i], plain_delta); });
      },
      our_rate);
  if (s.gap != nullptr) s.gap->write_weights(weighted.view());
  co_await compare_with_gap(
      s, "sssp", s.edges(), [&](std::size_t i) { return s.gap->sssp(sources[i], plain_delta, s.threads); }, our_rate);
  expect_same(s, "sssp", std::ranges::equal(co_await ours.distances(), plain_distances));
  co_await kernel::release(ours);
  co_await graph::edge_weights::release(weights);
}

tess::task<void> compare_bc(sides const& s) {
  if (!s.rates.wants(s.name("bc"))) co_return;
  // The number of shortest paths in a grid of this size exceeds the range of a double.
  auto const* const from = std::get_if<graph::generator>(&s.input.source);
  if (from != nullptr && from->kind == graph::generator_kind::grid) co_return;
  plain::bc plain(s.plain, s.threads);
  kernels::bc const ours = co_await kernels::bc::make(s.ours);
  std::vector<plain::vertex> const sources = some_sources(s.plain, bc_sources);
  std::span<double const> plain_scores;
  double const edges = s.edges() * bc_sources;
  auto const our_rate = [&](std::size_t) -> tess::task<double> {
    double const begin = bench::timestamp();
    co_await ours.run(sources);
    co_return edges / (bench::timestamp() - begin);
  };
  co_await compare(
      s, s.name("bc"),
      [&](std::size_t) { return edges / bench::seconds_of([&] { plain_scores = plain.run(sources); }); }, our_rate);
  co_await compare_with_gap(s, "bc", edges, [&](std::size_t) { return s.gap->bc(bc_sources, s.threads); }, our_rate);
  expect_same(s, "bc", are_close(co_await kernels::gather_block_array(s.ours, ours.scores()), plain_scores));
  co_await kernels::bc::release(ours);
}

// Both sides number and turn the edges inside of the timed part.
tess::task<void> compare_triangles(sides const& s) {
  if (!s.rates.wants(s.name("triangles"))) co_return;
  plain::triangles plain(s.plain.out, s.threads);
  std::uint64_t expected = 0;
  kernels::triangles const ours = co_await kernels::triangles::make(s.ours);
  auto const our_rate = [&](std::size_t) -> tess::task<double> {
    double const begin = bench::timestamp();
    std::uint64_t const found = co_await ours.run(kernels::form::words);
    double const seconds = bench::timestamp() - begin;
    if (expected != 0) expect_same(s, "triangles", found == expected);
    co_return s.edges() / seconds;
  };
  co_await compare(
      s, s.name("triangles"),
      [&](std::size_t) { return s.edges() / bench::seconds_of([&] { expected = plain.run(); }); }, our_rate);
  co_await compare_with_gap(
      s, "triangles", s.edges(), [&](std::size_t) { return s.gap->triangles(s.threads); }, our_rate);
  co_await kernels::triangles::release(ours);
}

bool wants_any(bench::suite const& rates, std::string const& graph_name) {
  for (char const* const kernel : {"bfs ", "pagerank ", "components ", "sssp ", "bc ", "triangles "})
    if (rates.wants(kernel + graph_name)) return true;
  return false;
}

int measure(bench::suite& rates, std::string const& spec, int places_max, std::string const& gap_folder) {
  if (!wants_any(rates, spec)) return 0;
  graph::graph_input const input = graph::open_graph(spec);
  // Before any job: a job may pin this thread, and OpenMP's threads start where their maker may run.
  plain::csr_graph const arrays = plain_graph(input);
  plain::graph_view const view(arrays.view());
  std::optional<plain::gap_programs> gap;
  if (!gap_folder.empty()) gap.emplace(gap_folder, view.out);
  for (int places = 1; places <= places_max; places *= 2) {
    tess::settings settings;
    settings.places = static_cast<unsigned>(places);
    settings.workers = 1;
    int const code = tess::run(settings, {}, [&](tess::args) -> tess::task<int> {
      sides const s{.rates = rates,
                    .input = input,
                    .graph_name = spec,
                    .threads = places,
                    .plain = view,
                    .gap = gap ? &*gap : nullptr,
                    .ours = co_await graph::distributed_graph::load(input, graph::row_kinds::out_and_in)};
      if (s.ours.edges() != view.out.edges()) {
        std::fprintf(stderr, "%s: the two sides differ in edges\n", spec.c_str());
        co_return 1;
      }
      co_await compare_bfs(s);
      co_await compare_pagerank(s);
      co_await compare_components(s);
      co_await compare_sssp(s);
      co_await compare_bc(s);
      co_await compare_triangles(s);
      co_await graph::distributed_graph::release(s.ours);
      co_return 0;
    });
    if (code != 0) return code;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Our graph kernels beside plain shared-memory ones, in million edges per second.");
  bench::options chosen;
  std::vector<std::string> graphs{"kron:20", "grid:1024x1024"};
  int places_max = 2;
  std::string gap_folder;
  bench::declare(app, chosen);
  app.add_option("--graphs", graphs, "specifications of undirected generated graphs")->capture_default_str();
  app.add_option("--places", places_max, "measured with 1, 2, ... this many")->capture_default_str();
  app.add_option("--gap", gap_folder, "also measured: the programs in this folder of the GAP benchmark suite");
  if (auto const code = bench::parse(app, argc, argv)) return *code;

  bench::suite rates("graph_kernels", chosen);
  try {
    for (std::string const& spec : graphs)
      if (int const code = measure(rates, spec, places_max, gap_folder); code != 0) return code;
  } catch (std::runtime_error const& wrong) {
    std::fprintf(stderr, "graph_kernels: %s\n", wrong.what());
    return 2;
  }
  return rates.finish();
}
