// pagerank: for each group, a pass over its own rows, one over its shares, and a gathering of those of other places.
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

constexpr std::uint64_t block_vertices = 64;  // of a sum of doubles

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

// Over vertices: of an iteration's changes, of the scores, and of the scores of those without out-edges. In units of
// twice the scores' sum before the iteration: rank passes a group once at most, so the sum grows eightfold at most.
struct sums {
  std::int64_t change = 0;
  std::int64_t all = 0;
  std::int64_t dangling = 0;

  friend sums operator+(sums const& a, sums const& b) noexcept {
    return {a.change + b.change, a.all + b.all, a.dangling + b.dangling};
  }
};

}  // namespace

struct pagerank_state {
  using ranges_of_groups = std::vector<std::vector<element_range>>;

  ranges_of_groups own;   // vertices of this place
  ranges_of_groups read;  // of the shares, at other places
  std::atomic<std::int64_t> change{0};
  std::atomic<std::int64_t> all{0};
  std::atomic<std::int64_t> dangling{0};
  pagerank_result result;

  void prepare(graph::distributed_graph const& g) {
    graph::graph_part const& part = g.part();
    update_groups const groups(g.vertices());
    auto const referred = tess::places() == 1 ? std::vector<element_range>{} : referenced(g, part, part.in);
    own.resize(groups.count());
    read.resize(groups.count());
    for (std::uint64_t k = 0; k < groups.count(); ++k) {
      own[k] = groups.within(k, part.first, part.first + part.count);
      for (auto const [begin, end] : referred) {
        auto const some = groups.within(k, begin, end);
        read[k].insert(read[k].end(), some.begin(), some.end());
      }
    }
  }
};

// One run, from the view of one place.
template <class Share>
class pagerank_iteration {
 public:
  explicit pagerank_iteration(pagerank const& k)
      : k_(k),
        s_(*k.state_),
        part_(k.graph_.part()),
        n_(static_cast<double>(part_.vertices)),
        scores_(k.scores_.local().data()),
        shares_(shares().local().data()) {}

  tess::task<void> run(pagerank_rules rules) {
    pagerank_result& result = s_.result;
    result = {0, rules.tolerance};
    damping_ = rules.damping;
    double const square_unit = tolerance_squared / (rules.tolerance * rules.tolerance);
    std::fill_n(scores_, part_.count, 1 / n_);
    for (auto const& own : s_.own) co_await over(own, &pagerank_iteration::share);
    // As if vertices without out-edges had no rank yet. In an undirected graph, where nothing leads to them, the others
    // have their part of all rank from the start. With a damping of 1 there might be no other rank.
    double const without_edges = 2 * from_fixed((co_await total()).dangling);
    double dangling = damping_ < 1 ? 0 : without_edges;
    for (auto const& read : s_.read) co_await shares().gather(read);
    co_await tess::barrier();  // before the first group's shares change
    while (result.iterations < rules.iterations_max && result.change >= rules.tolerance) {
      base_ = ((1 - damping_) * sum_ + damping_ * dangling) / n_;
      unit_ = 1 / (2 * sum_);
      square_unit_ = square_unit / (sum_ * sum_);
      sums const found = co_await update_all(rules.norm == change_norm::sum ? &pagerank_iteration::pull<false>
                                                                            : &pagerank_iteration::pull<true>);
      double const grown = 2 * from_fixed(found.all);
      dangling = 2 * from_fixed(found.dangling) * sum_;
      sum_ *= grown;
      double const change = from_fixed(found.change);
      result.change = (rules.norm == change_norm::sum ? 2 * change : std::sqrt(change / square_unit)) / grown;
      ++result.iterations;
    }
    std::for_each_n(scores_, part_.count, [this](double& score) { score /= sum_; });
  }

 private:
  using pass = sums (pagerank_iteration::*)(std::uint64_t begin, std::uint64_t end);

  [[nodiscard]] replicated<Share> const& shares() const {
    if constexpr (std::is_same_v<Share, float>)
      return k_.float_shares_;
    else
      return k_.shares_;
  }

  // The groups in turn. Shares of a group are read by other places until they reach the barrier of the next one.
  tess::task<sums> update_all(pass pull) {
    sums found;
    for (std::size_t k = 0; k < s_.own.size(); ++k) {
      co_await over(s_.own[k], pull);
      co_await over(s_.own[k], &pagerank_iteration::share);
      if (k + 1 == s_.own.size())
        found = co_await total();
      else if (tess::places() > 1)
        co_await tess::barrier();
      if (tess::places() > 1) co_await shares().gather(s_.read[k]);
    }
    co_return found;
  }

  // A pass over own vertices, block by block; adds the sums up.
  tess::task<void> over(std::vector<element_range> const& own, pass f) {
    auto const some = [&](std::uint64_t from, std::uint64_t to) {
      sums found;
      for (std::uint64_t k = from; k < to; ++k) {
        std::uint64_t const end = own[k].end - part_.first;
        for (std::uint64_t b = own[k].begin - part_.first; b < end; b += block_vertices)
          found = found + (this->*f)(b, std::min(b + block_vertices, end));
      }
      s_.change.fetch_add(found.change, std::memory_order_relaxed);
      s_.all.fetch_add(found.all, std::memory_order_relaxed);
      s_.dangling.fetch_add(found.dangling, std::memory_order_relaxed);
    };
    if (tess::workers() == 1)
      some(0, own.size());
    else
      co_await tess::forall_chunks(0, own.size(), 1, some);
  }

  // The sums of all places.
  tess::task<sums> total() {
    return tess::all_reduce(sums{s_.change.exchange(0), s_.all.exchange(0), s_.dangling.exchange(0)});
  }

  template <bool Squares>
  sums pull(std::uint64_t begin, std::uint64_t end) {
    double change = 0;
    double all = 0;
    for (std::uint64_t i = begin; i < end; ++i) {
      double const score = base_ + damping_ * sum_of(shares_, part_.in.neighbours(i));
      double const by = score - scores_[i];
      change += Squares ? by * by : std::fabs(by);
      scores_[i] = score;
      all += score;
    }
    return {to_fixed(Squares ? std::min(change * square_unit_, block_squares_max) : change * unit_),
            to_fixed(all * unit_), 0};
  }

  // The shares of vertices whose scores are new. A vertex without out-edges gets an infinite share, which nothing
  // reads.
  sums share(std::uint64_t begin, std::uint64_t end) {
    Share* const out = shares_ + part_.first;
    double dangling = 0;
    for (std::uint64_t i = begin; i < end; ++i) {
      std::uint64_t const degree = part_.out.degree(i);
      out[i] = static_cast<Share>(divided(scores_[i], degree));
      dangling += degree == 0 ? scores_[i] : 0;
    }
    return {0, 0, to_fixed(dangling * unit_)};
  }

  pagerank const& k_;
  pagerank_state& s_;
  graph::graph_part const& part_;
  double n_;
  double* scores_;
  Share* shares_;
  double sum_ = 1;   // of the scores
  double base_ = 0;  // what every vertex gets in this iteration
  double damping_ = 0;
  double unit_ = 0.5;
  double square_unit_ = 1;
};

tess::task<pagerank> pagerank::make(graph::distributed_graph g) {
  pagerank k;
  k.graph_ = g;
  k.scores_ = co_await tess::global_array<double>::make(g.block() * tess::places());
  k.shares_ = co_await replicated<double>::make(g.vertices(), g.block());
  k.float_shares_ = co_await replicated<float>::make(g.vertices(), g.block());
  k.state_ = co_await tess::place_local<pagerank_state>::make();
  co_await tess::on_all_places([](pagerank made) { made.state_->prepare(made.graph_); }, k);
  co_return k;
}

tess::task<void> pagerank::release(pagerank k) {
  co_await tess::place_local<pagerank_state>::release(k.state_);
  co_await replicated<double>::release(k.shares_);
  co_await replicated<float>::release(k.float_shares_);
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
