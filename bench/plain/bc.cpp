// bc: two sweeps over the levels of a search, pulling.
#include <algorithm>

#include "plain/kernels.hpp"

namespace plain {
namespace {

constexpr int vertices_at_once = 256;
// A level with fewer vertices is faster on one thread.
constexpr std::uint64_t vertices_worth_sharing = 1024;

double sum(csr_view const& rows, vertex v, double const* done) noexcept {
  double total = 0;
  for (vertex const u : rows.neighbours(v)) total += done[u];
  return total;
}

}  // namespace

bc::bc(graph_view graph, int threads)
    : graph_(graph),
      threads_(threads),
      search_(graph, threads),
      scores_(graph.n()),
      paths_(graph.n()),
      shares_(graph.n()),
      done_(graph.n()) {}

std::span<double const> bc::run(std::span<vertex const> sources) {
  std::ranges::fill(scores_, 0.0);
  for (vertex const source : sources) add_from(source);
  return scores_.span();
}

void bc::add_from(vertex source) {
  bfs::levels const found = search_.run_for_levels(source);
  vertex const* const order = found.order.data();
  std::size_t const levels = found.begins.size() - 1;
  double* const done = done_.data();
  // f(i) for the vertices of a level, whose values then become those of a finished level.
  auto const over = [&](std::size_t level, double const* values, auto const& f) {
    std::uint64_t const begin = found.begins[level];
    std::uint64_t const end = found.begins[level + 1];
#pragma omp parallel num_threads(threads_) if (end - begin >= vertices_worth_sharing)
    {
#pragma omp for schedule(dynamic, vertices_at_once)
      for (std::uint64_t i = begin; i < end; ++i) f(i);
#pragma omp for
      for (std::uint64_t i = begin; i < end; ++i) done[order[i]] = values[i];
    }
  };
  auto const forget = [&] {
    std::uint32_t const n = graph_.n();
#pragma omp parallel for num_threads(threads_)
    for (vertex v = 0; v < n; ++v) done[v] = 0;
  };
  forget();
  paths_[0] = done[source] = 1;
  for (std::size_t level = 1; level < levels; ++level)
    over(level, paths_.data(), [&](std::uint64_t i) { paths_[i] = sum(graph_.in, order[i], done); });
  forget();
  for (std::size_t level = levels - 1; level > 0; --level)
    over(level, shares_.data(), [&](std::uint64_t i) {
      double const dependency = level + 1 == levels ? 0 : paths_[i] * sum(graph_.out, order[i], done);
      scores_[order[i]] += dependency;
      shares_[i] = (1 + dependency) / paths_[i];
    });
}

}  // namespace plain
