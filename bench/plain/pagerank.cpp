// pagerank: each vertex adds up the shares of its in-neighbours; one pass over the edges per iteration.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "plain/kernels.hpp"

namespace plain {
namespace {

// A block is the unit of scheduling and of the sum of changes; large relative to the cost of fetching one (0.1 us).
constexpr std::uint32_t block_vertices = 1024;

}  // namespace

pagerank::pagerank(graph_view graph, int threads)
    : graph_(graph),
      threads_(threads),
      blocks_((graph.n() + block_vertices - 1) / block_vertices),
      scores_(graph.n()),
      shares_(graph.n()),
      next_shares_(graph.n()),
      changes_(blocks_) {}

ranking pagerank::run(double tolerance, int iterations_max) {
  begin();
  ranking result{.scores = scores_.span(), .iterations = 0, .change = tolerance};
  while (result.iterations < iterations_max && result.change >= tolerance) {
    result.change = iterate();
    ++result.iterations;
  }
  return result;
}

void pagerank::begin() {
  std::uint32_t const n = graph_.n();
  double const first = 1.0 / n;
#pragma omp parallel for num_threads(threads_)
  for (std::uint32_t v = 0; v < n; ++v) {
    scores_[v] = first;
    // Infinite for a vertex without out-edges, but never read for it.
    shares_[v] = static_cast<float>(first / static_cast<double>(graph_.out.degree(v)));
  }
}

double pagerank::iterate() {
#pragma omp parallel for num_threads(threads_) schedule(dynamic, 4)
  for (std::uint32_t block = 0; block < blocks_; ++block) changes_[block] = pull_block(block);
  std::swap(shares_, next_shares_);
  return std::accumulate(changes_.begin(), changes_.end(), 0.0);
}

double pagerank::pull_block(std::uint32_t block) {
  std::uint32_t const n = graph_.n();
  std::uint32_t const begin = block * block_vertices;
  std::uint32_t const end = begin + std::min(block_vertices, n - begin);
  double const base = (1 - damping) / n;
  float const* const shares = shares_.data();
  double change = 0;
  for (vertex v = begin; v < end; ++v) {
    // Two sums, so that an addition need not wait for the one before it.
    double even = 0;
    double odd = 0;
    auto const of = graph_.in.neighbours(v);
    std::size_t k = 0;
    for (; k + 1 < of.size(); k += 2) {
      even += shares[of[k]];
      odd += shares[of[k + 1]];
    }
    if (k < of.size()) even += shares[of[k]];
    double const score = base + damping * (even + odd);
    change += std::fabs(score - scores_[v]);
    scores_[v] = score;
    next_shares_[v] = static_cast<float>(score / static_cast<double>(graph_.out.degree(v)));
  }
  return change;
}

}  // namespace plain
