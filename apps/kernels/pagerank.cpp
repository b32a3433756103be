// pagerank: an iteration is a pass over the own rows, a reduction, and a gathering of the shares.
#include "kernels/pagerank.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <span>
#include <type_traits>

#include "kernels/fixed_point.hpp"

namespace kernels {

namespace {

using graph::vertex;

constexpr std::uint64_t block_vertices = 64;    // of a sum of doubles
constexpr std::uint64_t chunk_vertices = 1024;  // of a task

// Squares are added up in a unit in which the tolerance's is this, which leaves 32 bits below it. What a block adds is
// bounded, so that 2^26 blocks do not overflow.
constexpr double tolerance_squared = 0x1p-28;
constexpr double block_squares_max = 0x1p-24;

// Degrees are small: as signed numbers they become doubles in one instruction.
double divided(double score, std::uint64_t degree) noexcept {
  return score / static_cast<double>(static_cast<std::int64_t>(degree));
}

// Two sums, so that an addition need not wait for the one before it.
template <class Share>
double sum_of(Share const* shares, std::span<vertex const> of) noexcept {
  double even = 0;
  double odd = 0;
  std::size_t k = 0;
  for (; k + 1 < of.size(); k += 2) {
    even += shares[of[k]];
    odd += shares[of[k + 1]];
  }
  if (k < of.size()) even += shares[of[k]];
  return even + odd;
}

struct sums {
  std::int64_t change = 0;
  std::int64_t dangling = 0;  // rank of vertices without out-edges, after the iteration

  friend sums operator+(sums const& a, sums const& b) noexcept {
    return {a.change + b.change, a.dangling + b.dangling};
  }
};

}  // namespace

struct pagerank_state {
  std::vector<element_range> read;  // of the shares, at other places
  std::atomic<std::int64_t> change{0};
  std::atomic<std::int64_t> dangling{0};
  pagerank_result result;
};

// One run, from the view of one place.
template <class Share>
class pagerank_iteration {
 public:
  explicit pagerank_iteration(pagerank const& k)
      : k_(k), part_(k.graph_.part()), n_(static_cast<double>(part_.vertices)), scores_(k.scores_.local().data()) {}

  tess::task<void> run(pagerank_rules rules) {
    pagerank_result& result = k_.state_->result;
    result = {0, rules.tolerance};
    square_unit_ = tolerance_squared / (rules.tolerance * rules.tolerance);
    co_await over_blocks([this](std::uint64_t begin, std::uint64_t end) { return start(begin, end); });
    sums total = co_await finish_step();
    while (result.iterations < rules.iterations_max && result.change >= rules.tolerance) {
      base_ = (1 - rules.damping) / n_ + rules.damping * from_fixed(total.dangling) / n_;
      damping_ = rules.damping;
      if (rules.norm == change_norm::sum)
        co_await over_blocks([this](std::uint64_t begin, std::uint64_t end) { return pull<false>(begin, end); });
      else
        co_await over_blocks([this](std::uint64_t begin, std::uint64_t end) { return pull<true>(begin, end); });
      total = co_await finish_step();
      result.change = from_fixed(total.change);
      if (rules.norm == change_norm::euclidean) result.change = std::sqrt(result.change / square_unit_);
      ++result.iterations;
    }
  }

 private:
  [[nodiscard]] replicated<Share> const& shares(int step) const {
    if constexpr (std::is_same_v<Share, float>)
      return k_.float_shares_[step % 2];
    else
      return k_.shares_[step % 2];
  }

  // f(begin, end) -> sums for blocks of own vertices; adds the sums up.
  template <class F>
  tess::task<void> over_blocks(F f) {
    pagerank_state& s = *k_.state_;
    auto const chunk = [&](std::uint64_t begin, std::uint64_t end) {
      sums total;
      for (std::uint64_t b = begin; b < end; b += block_vertices)
        total = total + f(b, std::min(b + block_vertices, end));
      s.change.fetch_add(total.change, std::memory_order_relaxed);
      s.dangling.fetch_add(total.dangling, std::memory_order_relaxed);
    };
    if (tess::workers() == 1)
      chunk(0, part_.count);
    else
      co_await tess::forall_chunks(0, part_.count, chunk_vertices, chunk);
    co_return;
  }

  // The sums of all places, and the shares that they made.
  tess::task<sums> finish_step() {
    pagerank_state& s = *k_.state_;
    sums const mine{s.change.exchange(0), s.dangling.exchange(0)};
    sums const total = co_await tess::all_reduce(mine);
    ++step_;
    if (tess::places() > 1) co_await shares(step_).gather(s.read);
    co_return total;
  }

  sums start(std::uint64_t begin, std::uint64_t end) {
    Share* const out = shares(step_ + 1).local().data() + part_.first;
    double const first = 1 / n_;
    std::uint64_t dangling = 0;
    for (std::uint64_t i = begin; i < end; ++i) {
      scores_[i] = first;
      std::uint64_t const degree = part_.out.degree(i);
      // A vertex without out-edges gets an infinite share, which nothing reads.
      out[i] = static_cast<Share>(divided(first, degree));
      dangling += degree == 0;
    }
    return {0, to_fixed(first * static_cast<double>(dangling))};
  }

  template <bool Squares>
  sums pull(std::uint64_t begin, std::uint64_t end) {
    Share const* const in = shares(step_).local().data();
    Share* const out = shares(step_ + 1).local().data() + part_.first;
    double change = 0;
    double dangling = 0;
    for (std::uint64_t i = begin; i < end; ++i) {
      double const score = base_ + damping_ * sum_of(in, part_.in.neighbours(i));
      double const by = score - scores_[i];
      change += Squares ? by * by : std::fabs(by);
      scores_[i] = score;
      std::uint64_t const degree = part_.out.degree(i);
      out[i] = static_cast<Share>(divided(score, degree));
      if (degree == 0) dangling += score;
    }
    if constexpr (Squares) change = std::min(change * square_unit_, block_squares_max);
    return {to_fixed(change), to_fixed(dangling)};
  }

  pagerank const& k_;
  graph::graph_part const& part_;
  double n_;
  double* scores_;
  double base_ = 0;
  double damping_ = 0;
  double square_unit_ = 1;
  int step_ = 0;  // shares(step_) are read, shares(step_ + 1) written
};

tess::task<pagerank> pagerank::make(graph::distributed_graph g) {
  pagerank k;
  k.graph_ = g;
  k.scores_ = co_await tess::global_array<double>::make(g.block() * tess::places());
  for (replicated<double>& shares : k.shares_) shares = co_await replicated<double>::make(g.vertices(), g.block());
  for (replicated<float>& shares : k.float_shares_) shares = co_await replicated<float>::make(g.vertices(), g.block());
  k.state_ = co_await tess::place_local<pagerank_state>::make();
  if (tess::places() > 1)
    co_await tess::on_all_places(
        [](pagerank made) {
          graph::graph_part const& part = made.graph_.part();
          made.state_->read = referenced(made.graph_, part, part.in);
        },
        k);
  co_return k;
}

tess::task<void> pagerank::release(pagerank k) {
  co_await tess::place_local<pagerank_state>::release(k.state_);
  for (replicated<double> const& shares : k.shares_) co_await replicated<double>::release(shares);
  for (replicated<float> const& shares : k.float_shares_) co_await replicated<float>::release(shares);
  co_await tess::global_array<double>::release(k.scores_);
}

tess::task<pagerank_result> pagerank::run(pagerank_rules rules) const {
  co_await tess::on_all_places(
      [](pagerank k, pagerank_rules r) -> tess::task<void> {
        if (pagerank::by_floats(r.tolerance)) {
          pagerank_iteration<float> iteration(k);
          co_await iteration.run(r);
        } else {
          pagerank_iteration<double> iteration(k);
          co_await iteration.run(r);
        }
      },
      *this, rules);
  // Every place has computed the same sum.
  co_return state_->result;
}

}  // namespace kernels
