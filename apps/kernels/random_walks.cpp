// random_walks: a step at a time; walkers move to the owners of their vertices, or of those before, to ask there.
#include "kernels/random_walks.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <span>
#include <utility>

#include "kernels/outboxes.hpp"
#include "kernels/random_word.hpp"

namespace kernels {

namespace {

// What its place has to do for a walker: draw its next step, or, for the vertex before, say whether the step drawn is
// one of its neighbours.
enum class errand : std::uint32_t { draw, ask };

struct walker {
  std::uint64_t walk;
  std::uint64_t step;  // the next one, from 1
  vertex at;
  vertex before;  // no_step at the start
  vertex drawn;
  std::uint32_t attempt;
  errand wants;
};

struct walked_step {
  std::uint64_t index;  // in the result
  vertex to;
};

constexpr std::uint64_t walkers_of_a_task = 64;
// After so many steps a task lets others, and whoever ends the run, have their turn.
constexpr std::uint64_t steps_of_a_turn = 1 << 16;

}  // namespace

struct walks_job {
  std::span<vertex const> starts;
  std::span<vertex> result;
};

// The view of one place.
class walking {
 public:
  walking(graph::distributed_graph g, walk_rules const& rules, outboxes<walker> const& walkers,
          outboxes<walked_step> const& steps, walks_job const& job)
      : g_(g),
        part_(g.part()),
        rules_(rules),
        walkers_(walkers),
        steps_(steps),
        job_(job),
        back_(1 / rules.p),
        away_(1 / rules.q),
        highest_(std::max(1.0, away_)),
        lowest_(std::min(1.0, away_)) {}

  tess::task<void> run(std::optional<graph::edge_weights> weights) {
    if (weights) add_up(*weights);
    auto& open = walkers_.of_worker(0);
    for (std::uint64_t k = 0; k < job_.starts.size(); ++k) {
      job_.result[k * (rules_.length + 1)] = job_.starts[k];
      if (rules_.length != 0)
        open[g_.owner(job_.starts[k])].push_back({k, 1, job_.starts[k], no_step, no_step, 0, errand::draw});
    }
    for (;;) {
      delivery<walker> const got = co_await walkers_.swap();
      std::span<walker const> const here = got.messages;
      sent_ = 0;
      std::atomic<std::uint64_t> next{0};
      bool const shared = tess::workers() > 1 && here.size() > walkers_of_a_task;
      auto const take = [&](std::uint64_t worker, std::uint64_t) -> tess::task<void> {
        std::uint64_t steps = 0;
        for (;;) {
          std::uint64_t const begin = next.fetch_add(walkers_of_a_task, std::memory_order_relaxed);
          if (begin >= here.size()) co_return;
          steps += walk(here.subspan(begin, std::min(walkers_of_a_task, here.size() - begin)), worker);
          if (steps < steps_of_a_turn) continue;
          steps = 0;
          co_await tess::yield();
        }
      };
      co_await tess::forall_chunks(0, shared ? tess::workers() : 1, 1, take);
      for (walked_step const& s : (co_await steps_.swap()).messages) job_.result[s.index] = s.to;
      if (co_await tess::all_reduce(sent_.load(std::memory_order_relaxed)) == 0) co_return;
    }
  }

 private:
  // Running sums of the weights of each row.
  void add_up(graph::edge_weights const& weights) {
    sums_.resize(part_.out.offsets[part_.count]);
    for (std::uint64_t i = 0; i < part_.count; ++i) {
      double sum = 0;
      for (std::uint64_t e = part_.out.offsets[i]; e < part_.out.offsets[i + 1]; ++e)
        sums_[e] = sum += weights.integers() ? weights.local<std::uint32_t>()[e] : weights.local<double>()[e];
    }
  }

  // In [0, 1): `which` of an attempt's numbers.
  [[nodiscard]] double random(walker const& w, unsigned which) const noexcept {
    std::uint64_t const stream = random_word(rules_.seed, w.walk);
    return static_cast<double>(splitmix(stream, w.step << 32 | std::uint64_t{w.attempt} << 2 | which) >> 11) * 0x1p-53;
  }

  [[nodiscard]] std::span<vertex const> row(vertex own) const { return part_.out.neighbours(own - part_.first); }
  [[nodiscard]] bool own_edge(vertex from, vertex to) const {
    // Without directions the edge is in both rows: the shorter one is searched, if it is here.
    if (!g_.directed() && part_.owns(to) && row(to).size() < row(from).size()) std::swap(from, to);
    return std::ranges::binary_search(row(from), to);
  }

  // Until all have left or ended, or go on in the next round; the number of steps. They take their steps in turn, so
  // that the memory's delays overlap.
  std::uint64_t walk(std::span<walker const> some, std::uint64_t worker) {
    std::array<walker, walkers_of_a_task> live;
    std::size_t count = some.size();
    std::ranges::copy(some, live.begin());
    std::uint64_t steps = 0;
    for (; count != 0 && steps < steps_of_a_turn; steps += count) {
      for (std::size_t k = 0; k < count; ++k) prefetch_edge(live[k]);
      for (std::size_t k = 0; k < count;) {
        if (advance(live[k], worker))
          __builtin_prefetch(&part_.out.offsets[live[k++].at - part_.first]);
        else
          live[k] = live[--count];
      }
    }
    for (std::size_t k = 0; k < count; ++k) send(live[k], tess::here(), worker);
    return steps;
  }

  // The edge that the next attempt will draw, if weights do not move it.
  void prefetch_edge(walker const& w) const {
    if (w.wants != errand::draw) return;
    std::span<vertex const> const targets = row(w.at);
    __builtin_prefetch(targets.data() + static_cast<std::size_t>(random(w, 0) * static_cast<double>(targets.size())));
  }

  // A step, or an attempt; whether the walker goes on here.
  bool advance(walker& w, std::uint64_t worker) {
    if (w.wants == errand::ask) {
      bool const near = own_edge(w.before, w.drawn);
      w.wants = errand::draw;
      if (acceptance(w) < (near ? 1 : away_)) return go(w, worker);
      ++w.attempt;
      return stay_with(w, w.at, worker);
    }
    if (!draw(w)) return false;
    return w.wants == errand::ask ? stay_with(w, w.before, worker) : go(w, worker);
  }

  // The height of an attempt's point above its edge.
  [[nodiscard]] double acceptance(walker const& w) const noexcept { return random(w, 1) * highest_; }

  // Draws the next vertex, or one that is to be asked about; false at the end of the walk.
  bool draw(walker& w) {
    std::span<vertex const> const targets = row(w.at);
    double const all = weight_of(w.at, targets.size());
    if (!(all > 0)) return false;
    bool const second_order = w.before != no_step && (back_ != 1 || away_ != 1);
    // Edges back are as wide as others and have the height `back_`: what is above `highest_` is an area apart.
    double const above = second_order && back_ > highest_ ? (back_ - highest_) * weight_back(w, targets) : 0;
    for (;; ++w.attempt) {
      double at = random(w, 0) * (all * highest_ + above) / highest_;
      if (at >= all) {
        if (above > 0) {
          w.drawn = w.before;
          return true;
        }
        at = all;  // by rounding
      }
      w.drawn = targets[edge_at(w.at, targets.size(), at)];
      if (!second_order) return true;
      double const height = acceptance(w);
      if (w.drawn == w.before) {
        if (height < back_) return true;
      } else if (height < lowest_) {
        return true;
      } else if (!part_.owns(w.before)) {
        w.wants = errand::ask;
        return true;
      } else if (height < (own_edge(w.before, w.drawn) ? 1 : away_)) {
        return true;
      }
    }
  }

  [[nodiscard]] double weight_of(vertex own, std::size_t degree) const {
    if (degree == 0 || sums_.empty()) return static_cast<double>(degree);
    return sums_[part_.out.offsets[own - part_.first] + degree - 1];
  }
  // The edge at this distance from the beginning of the row, which is less than its weight.
  [[nodiscard]] std::size_t edge_at(vertex own, std::size_t degree, double at) const {
    if (sums_.empty()) return std::min(static_cast<std::size_t>(at), degree - 1);
    std::span<double const> const sums(sums_.data() + part_.out.offsets[own - part_.first], degree);
    auto const found = static_cast<std::size_t>(std::ranges::upper_bound(sums, at) - sums.begin());
    // By rounding: the last edge that has a weight.
    return found < degree ? found
                          : static_cast<std::size_t>(std::ranges::lower_bound(sums, sums.back()) - sums.begin());
  }
  [[nodiscard]] double weight_back(walker const& w, std::span<vertex const> targets) const {
    if (sums_.empty() && !g_.directed()) return 1;
    auto const found = std::ranges::lower_bound(targets, w.before);
    if (found == targets.end() || *found != w.before) return 0;
    if (sums_.empty()) return 1;
    std::uint64_t const e = part_.out.offsets[w.at - part_.first] + static_cast<std::uint64_t>(found - targets.begin());
    return found == targets.begin() ? sums_[e] : sums_[e] - sums_[e - 1];
  }

  // Takes the step drawn; whether the walker goes on here.
  bool go(walker& w, std::uint64_t worker) {
    std::uint64_t const index = w.walk * (rules_.length + 1) + w.step;
    if (tess::here() == 0)
      job_.result[index] = w.drawn;
    else
      steps_.of_worker(worker)[0].push_back({index, w.drawn});
    w.before = w.at;
    w.at = w.drawn;
    w.attempt = 0;
    return ++w.step <= rules_.length && stay_with(w, w.at, worker);
  }

  bool stay_with(walker const& w, vertex v, std::uint64_t worker) {
    if (part_.owns(v)) return true;
    send(w, g_.owner(v), worker);
    return false;
  }

  void send(walker const& w, unsigned place, std::uint64_t worker) {
    walkers_.of_worker(worker)[place].push_back(w);
    sent_.fetch_add(1, std::memory_order_relaxed);
  }

  graph::distributed_graph g_;
  graph::graph_part const& part_;
  walk_rules rules_;
  outboxes<walker> const& walkers_;
  outboxes<walked_step> const& steps_;
  walks_job const& job_;
  double back_;  // factors of edges' weights
  double away_;
  double highest_;  // of edges that do not lead back
  double lowest_;
  std::vector<double> sums_;
  std::atomic<std::uint64_t> sent_{0};
};

tess::task<std::vector<vertex>> random_walks(graph::distributed_graph g, std::optional<graph::edge_weights> weights,
                                             std::vector<vertex> const& starts, walk_rules rules) {
  std::vector<vertex> result(starts.size() * (rules.length + 1), no_step);
  auto const walkers = co_await outboxes<walker>::make();
  auto const steps = co_await outboxes<walked_step>::make();
  auto const job = co_await tess::place_local<walks_job>::make();
  *job = {starts, result};
  struct arguments {
    graph::distributed_graph g;
    graph::edge_weights weights;
    bool weighted;
    walk_rules rules;
    outboxes<walker> walkers;
    outboxes<walked_step> steps;
    tess::place_local<walks_job> job;
  };
  co_await tess::on_all_places(
      [](arguments a) -> tess::task<void> {
        walking one(a.g, a.rules, a.walkers, a.steps, *a.job);
        co_await one.run(a.weighted ? std::optional(a.weights) : std::nullopt);
      },
      arguments{g, weights.value_or(graph::edge_weights{}), weights.has_value(), rules, walkers, steps, job});
  co_await tess::place_local<walks_job>::release(job);
  co_await outboxes<walked_step>::release(steps);
  co_await outboxes<walker>::release(walkers);
  co_return result;
}

}  // namespace kernels
