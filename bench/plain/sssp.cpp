// sssp: delta stepping; with two barriers per bin, except for small bins.
#include <omp.h>

#include <algorithm>

#include "plain/kernels.hpp"

namespace plain {
namespace {

// As in GAPBS: a thread continues alone with the vertices that it found for the current bin, up to this number.
constexpr std::size_t fused_max = 1000;
constexpr std::size_t no_bin = SIZE_MAX;
constexpr std::size_t vertices_at_once = 64;

// Relaxed everywhere: distances only decrease, and an outdated one costs work, not correctness.
constexpr auto relaxed = std::memory_order_relaxed;

}  // namespace

struct sssp::worker {
  std::vector<std::vector<entry>> bins;
  std::vector<entry> fused;

  void push(std::size_t bin, entry e) {
    if (bin >= bins.size()) bins.resize(bin + 1);
    bins[bin].push_back(e);
  }
  [[nodiscard]] std::size_t lowest(std::size_t from) const noexcept {
    for (std::size_t bin = from; bin < bins.size(); ++bin)
      if (!bins[bin].empty()) return bin;
    return no_bin;
  }
};

sssp::sssp(weighted_view graph, int threads)
    : graph_(graph), threads_(threads), distances_(graph.n), workers_(static_cast<std::size_t>(threads)) {}
sssp::~sssp() = default;

std::span<std::uint32_t const> sssp::run(vertex source, std::uint32_t delta) {
  delta_ = delta;
  std::uint32_t const n = graph_.n;
#pragma omp parallel for num_threads(threads_)
  for (vertex v = 0; v < n; ++v) distances_[v] = infinitely_far;
  distances_[source] = 0;
  front_.assign(1, {source, 0});
  bin_ = 0;
  if (threads_ == 1) {
    while (bin_ != no_bin) {
      work<false>(0);
      share_bins();
    }
  } else {
#pragma omp parallel num_threads(threads_)
    while (bin_ != no_bin) {
      work<true>(omp_get_thread_num());
#pragma omp barrier
#pragma omp single
      share_bins();
    }
  }
  return distances_.span();
}

template <bool Shared>
void sssp::relax(entry from, worker& mine) {
  std::uint32_t* const distances = distances_.data();
  auto const look = [=](vertex v) {
    return Shared ? std::atomic_ref<std::uint32_t>(distances[v]).load(relaxed) : distances[v];
  };
  if (look(from.v) != from.distance) return;  // outdated
  for (auto const [v, weight] : graph_.neighbours(from.v)) {
    std::uint32_t const d = from.distance + weight;
    std::uint32_t known = look(v);
    if (known <= d) continue;
    if constexpr (Shared) {
      std::atomic_ref<std::uint32_t> const shared(distances[v]);
      while (d < known && !shared.compare_exchange_weak(known, d, relaxed)) {
      }
      if (known <= d) continue;
    } else {
      distances[v] = d;
    }
    mine.push(d / delta_, {v, d});
  }
}

/// The current frontier, shared; then vertices found for the current bin, alone, as long as they are few.
template <bool Shared>
void sssp::work(int thread) {
  worker& mine = workers_[static_cast<std::size_t>(thread)];
  if constexpr (Shared) {
#pragma omp for schedule(dynamic, vertices_at_once) nowait
    for (std::size_t i = 0; i < front_.size(); ++i) relax<true>(front_[i], mine);
  } else {
    for (entry const e : front_) relax<false>(e, mine);
  }
  while (bin_ < mine.bins.size() && !mine.bins[bin_].empty() && (!Shared || mine.bins[bin_].size() < fused_max)) {
    mine.fused.clear();
    mine.fused.swap(mine.bins[bin_]);
    for (entry const e : mine.fused) relax<Shared>(e, mine);
  }
}

/// The lowest bin of all threads becomes the frontier.
void sssp::share_bins() {
  std::size_t lowest = no_bin;
  for (worker const& w : workers_) lowest = std::min(lowest, w.lowest(bin_));
  bin_ = lowest;
  front_.clear();
  if (lowest == no_bin) return;
  for (worker& w : workers_) {
    if (lowest >= w.bins.size()) continue;
    front_.insert(front_.end(), w.bins[lowest].begin(), w.bins[lowest].end());
    w.bins[lowest].clear();
  }
}

}  // namespace plain
