// general_pagerank: probabilities of in-edges once, then iterations: a pass over own rows, a reduction, a gathering.
#include "kernels/general_pagerank.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>

#include "kernels/fixed_point.hpp"
#include "kernels/gather_block_array.hpp"
#include "kernels/outboxes.hpp"
#include "kernels/replicated.hpp"

namespace kernels {

namespace {

using graph::vertex;

constexpr std::uint64_t block_vertices = 64;    // of a sum of doubles
constexpr std::uint64_t chunk_vertices = 1024;  // of a task
constexpr std::uint64_t sent_max = std::uint64_t{1} << 18;

struct sums {
  std::int64_t change = 0;
  std::int64_t dangling = 0;  // rank of vertices without out-edges

  friend sums operator+(sums const& a, sums const& b) noexcept {
    return {a.change + b.change, a.dangling + b.dangling};
  }
};

// An edge from `source`, for the owner of `target`.
struct weighted_entry {
  vertex source;
  vertex target;
  double probability;
};

struct settings {
  double damping;
  double change_min;
  int iterations_max;
};

struct outcome {
  int iterations = 0;
  double change = 0;
  bool converged = false;
};

struct arrays {
  tess::global_array<double> scores;  // at first those to begin with
  tess::global_array<double> restart;
  tess::global_array<double> dangling;
  replicated<double> shares[2];
  outboxes<weighted_entry> boxes;
  tess::place_local<outcome> result;
};

double weight_of(graph::edge_weights const& w, std::uint64_t entry) {
  return w.integers() ? w.local<std::uint32_t>()[entry] : w.local<double>()[entry];
}

// The sum of a row's weights. If it is near the ends of a double's range, the weights are taken times a power of two.
class row_sum {
 public:
  row_sum(graph::edge_weights const& w, std::uint64_t begin, std::uint64_t end) {
    sum_ = add(w, begin, end);
    if (sum_ >= sum_min && std::isfinite(sum_)) return;
    double largest = 0;
    for (std::uint64_t e = begin; e < end; ++e) largest = std::max(largest, weight_of(w, e));
    if (largest == 0) return;
    exponent_ = -std::ilogb(largest);
    sum_ = add(w, begin, end);
  }
  // No weight is above 0.
  [[nodiscard]] bool none() const noexcept { return sum_ == 0; }
  [[nodiscard]] double probability(double weight) const { return scaled(weight) / sum_; }

 private:
  static constexpr double sum_min = 0x1p-900;

  [[nodiscard]] double scaled(double weight) const { return exponent_ == 0 ? weight : std::ldexp(weight, exponent_); }
  [[nodiscard]] double add(graph::edge_weights const& w, std::uint64_t begin, std::uint64_t end) const {
    double sum = 0;
    for (std::uint64_t e = begin; e < end; ++e) sum += scaled(weight_of(w, e));
    return sum;
  }

  double sum_ = 0;
  int exponent_ = 0;
};

// The probabilities of the in-rows' entries: the weight over the sum of its source's, which the source's place knows.
tess::task<std::vector<double>> in_probabilities(graph::distributed_graph g, graph::edge_weights weights,
                                                 outboxes<weighted_entry> boxes) {
  graph::graph_part const& part = g.part();
  std::vector<double> found(part.in.offsets[part.count]);
  auto& open = boxes.of_worker(0);
  for (std::uint64_t next = 0;;) {
    std::uint64_t sent = 0;
    for (; next < part.count && sent < sent_max; ++next) {
      auto const source = static_cast<vertex>(part.first + next);
      std::uint64_t const begin = part.out.offsets[next];
      std::uint64_t const end = part.out.offsets[next + 1];
      row_sum const of(weights, begin, end);
      if (of.none()) continue;
      for (std::uint64_t e = begin; e < end; ++e, ++sent) {
        vertex const target = part.out.targets[e];
        open[g.owner(target)].push_back({source, target, of.probability(weight_of(weights, e))});
      }
    }
    delivery<weighted_entry> const got = co_await boxes.swap(sent);
    for (weighted_entry const& entry : got.messages) {
      std::uint64_t const i = entry.target - part.first;
      std::span<vertex const> const row = part.in.neighbours(i);
      auto const at = std::ranges::lower_bound(row, entry.source) - row.begin();
      found[part.in.offsets[i] + static_cast<std::uint64_t>(at)] = entry.probability;
    }
    if (got.total == 0) co_return found;
  }
}

// The view of one place.
class iteration {
 public:
  iteration(graph::distributed_graph g, arrays const& all)
      : g_(g),
        part_(g.part()),
        all_(all),
        scores_(all.scores.local().data()),
        restart_(all.restart.local().data()),
        dangling_(all.dangling.local().data()),
        outs_(part_.count) {}

  tess::task<outcome> run(std::optional<graph::edge_weights> weights, settings s) {
    damping_ = s.damping;
    for (std::uint64_t i = 0; i < part_.count; ++i) {
      std::uint64_t const begin = part_.out.offsets[i];
      std::uint64_t const end = part_.out.offsets[i + 1];
      if (weights)
        outs_[i] = row_sum(*weights, begin, end).none() ? 0 : 1;
      else
        outs_[i] = static_cast<double>(end - begin);
    }
    if (weights) probabilities_ = co_await in_probabilities(g_, *weights, all_.boxes);
    if (tess::places() > 1) read_ = referenced(g_, part_, part_.in);

    outcome result{0, s.change_min, false};
    co_await over_blocks([this](std::uint64_t begin, std::uint64_t end) { return begin_with(begin, end); });
    sums total = co_await finish_step();
    while (result.iterations < s.iterations_max && !result.converged) {
      lost_ = from_fixed(total.dangling);
      if (weights)
        co_await over_blocks([this](std::uint64_t begin, std::uint64_t end) { return pull<true>(begin, end); });
      else
        co_await over_blocks([this](std::uint64_t begin, std::uint64_t end) { return pull<false>(begin, end); });
      total = co_await finish_step();
      result.change = from_fixed(total.change);
      result.converged = result.change < s.change_min;
      ++result.iterations;
    }
    co_return result;
  }

 private:
  [[nodiscard]] double* shares(int step) const { return all_.shares[step % 2].local().data(); }

  // f(begin, end) -> sums for blocks of own vertices; adds the sums up.
  template <class F>
  tess::task<void> over_blocks(F f) {
    co_await tess::forall_chunks(0, part_.count, chunk_vertices, [&](std::uint64_t begin, std::uint64_t end) {
      sums total;
      for (std::uint64_t b = begin; b < end; b += block_vertices)
        total = total + f(b, std::min(b + block_vertices, end));
      change_.fetch_add(total.change, std::memory_order_relaxed);
      at_dangling_.fetch_add(total.dangling, std::memory_order_relaxed);
    });
  }

  // The sums of all places, and the shares that they made.
  tess::task<sums> finish_step() {
    sums const mine{change_.exchange(0), at_dangling_.exchange(0)};
    sums const total = co_await tess::all_reduce(mine);
    ++step_;
    if (tess::places() > 1) co_await all_.shares[step_ % 2].gather(read_);
    co_return total;
  }

  // Sets what a vertex gives along each of its out-edges, with weights before their probabilities; returns the score of
  // a vertex that has no out-edges, and gives 0.
  double share(double* out, std::uint64_t i) const noexcept {
    bool const none = outs_[i] == 0;
    out[i] = none ? 0 : scores_[i] / outs_[i];
    return none ? scores_[i] : 0;
  }

  sums begin_with(std::uint64_t begin, std::uint64_t end) const {
    double* const out = shares(step_ + 1) + part_.first;
    double dangling = 0;
    for (std::uint64_t i = begin; i < end; ++i) dangling += share(out, i);
    return {0, to_fixed(dangling)};
  }

  template <bool Weighted>
  sums pull(std::uint64_t begin, std::uint64_t end) const {
    double const* const in = shares(step_);
    double* const out = shares(step_ + 1) + part_.first;
    double change = 0;
    double dangling = 0;
    for (std::uint64_t i = begin; i < end; ++i) {
      double pulled = 0;
      for (std::uint64_t e = part_.in.offsets[i]; e < part_.in.offsets[i + 1]; ++e) {
        double const part = in[part_.in.targets[e]];
        pulled += Weighted ? part * probabilities_[e] : part;
      }
      double const score = damping_ * (pulled + lost_ * dangling_[i]) + (1 - damping_) * restart_[i];
      change += std::fabs(score - scores_[i]);
      scores_[i] = score;
      dangling += share(out, i);
    }
    return {to_fixed(change), to_fixed(dangling)};
  }

  graph::distributed_graph g_;
  graph::graph_part const& part_;
  arrays const& all_;
  double* scores_;  // of own vertices, like the next
  double const* restart_;
  double const* dangling_;
  std::vector<double> outs_;           // out-edges; with weights 1, or 0 where none is above 0
  std::vector<double> probabilities_;  // of the in-rows' entries, with weights
  std::vector<element_range> read_;    // of the shares, at other places
  double damping_ = 0;
  double lost_ = 0;  // rank of vertices without out-edges, of all places
  int step_ = 0;     // shares(step_) are read, shares(step_ + 1) written
  std::atomic<std::int64_t> change_{0};
  std::atomic<std::int64_t> at_dangling_{0};
};

// The vector divided by its sum; if it is empty, `otherwise`, or the same for all vertices.
std::vector<double> normalised(std::vector<double> values, std::uint64_t vertices, std::string const& name,
                               std::vector<double> const& otherwise) {
  if (values.empty())
    return otherwise.empty() ? std::vector<double>(vertices, 1 / static_cast<double>(vertices)) : otherwise;
  if (values.size() != vertices)
    throw tess::error("pagerank", name + " has " + std::to_string(values.size()) + " numbers",
                      "one for each of " + std::to_string(vertices) + " vertices");
  double sum = 0;
  for (double const x : values) {
    if (!std::isfinite(x) || x < 0)
      throw tess::error("pagerank", name + " has the number " + std::to_string(x), "finite ones from 0");
    sum += x;
  }
  if (!std::isfinite(sum) || sum == 0)
    throw tess::error("pagerank", name + " has the sum " + std::to_string(sum), "a positive, finite sum");
  for (double& x : values) x /= sum;
  return values;
}

}  // namespace

tess::task<general_pagerank_result> general_pagerank(graph::distributed_graph g,
                                                     std::optional<graph::edge_weights> weights,
                                                     general_pagerank_options options) {
  std::uint64_t const n = g.vertices();
  std::vector<double> const restart = normalised(std::move(options.restart), n, "restart", {});
  std::vector<double> const dangling = normalised(std::move(options.dangling), n, "dangling", restart);
  std::vector<double> const start = normalised(std::move(options.start), n, "start", {});
  settings const s{options.damping, options.tolerance * static_cast<double>(n), options.iterations_max};

  arrays all;
  all.scores = co_await scatter_block_array(g, start);
  all.restart = co_await scatter_block_array(g, restart);
  all.dangling = co_await scatter_block_array(g, dangling);
  for (replicated<double>& shares : all.shares) shares = co_await replicated<double>::make(n, g.block());
  all.boxes = co_await outboxes<weighted_entry>::make();
  all.result = co_await tess::place_local<outcome>::make();
  co_await tess::on_all_places(
      [](graph::distributed_graph of, arrays those, bool weighted, graph::edge_weights w,
         settings how) -> tess::task<void> {
        iteration one(of, those);
        *those.result = co_await one.run(weighted ? std::optional(w) : std::nullopt, how);
      },
      g, all, weights.has_value(), weights.value_or(graph::edge_weights{}), s);
  outcome const ended = *all.result;
  general_pagerank_result result{co_await gather_block_array(g, all.scores), ended.iterations, ended.change,
                                 ended.converged};
  co_await tess::place_local<outcome>::release(all.result);
  co_await outboxes<weighted_entry>::release(all.boxes);
  for (replicated<double> const& shares : all.shares) co_await replicated<double>::release(shares);
  for (auto const& array : {all.dangling, all.restart, all.scores}) co_await tess::global_array<double>::release(array);
  co_return result;
}

}  // namespace kernels
