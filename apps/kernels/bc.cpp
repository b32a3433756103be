// bc: two sweeps over the levels of a search.
#include "kernels/bc.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>
#include <span>

#include "kernels/vertex_list.hpp"

namespace kernels {

namespace {

constexpr std::uint64_t chunk_vertices = 256;

}  // namespace

// Where the search data of another place are.
struct bc_other {
  std::vector<std::uint64_t> level_begins;
  std::vector<vertex> order;
  std::vector<double> values;  // of the current level
};

struct bc_state {
  std::vector<bc_other> others;  // [place]
  bc_result result;
};

// All sources, from the view of one place.
class bc_run {
 public:
  bc_run(bc const& b, path_ends ends)
      : b_(b),
        ends_(ends),
        s_(*b.state_),
        part_(b.graph_.part()),
        order_(b.search_.order().local().data()),
        paths_(b.paths_.local().data()),
        shares_(b.shares_.local().data()),
        scores_(b.scores_.local().data()),
        done_(b.done_[tess::here() * b.done_.block()].local()) {}

  tess::task<void> run(std::vector<vertex> sources) {
    s_.result = {};
    s_.others.resize(tess::places());
    std::fill_n(scores_, part_.count, 0.0);
    for (vertex const source : sources) {
      co_await b_.search_.run_here_and_keep_levels({source});
      co_await learn();
      std::fill_n(done_, part_.vertices, 0.0);
      co_await count_paths();
      std::fill_n(done_, part_.vertices, 0.0);
      co_await share_out();
      if (ends_ == path_ends::counted && part_.owns(source)) scores_[source - part_.first] += others_reached();
      s_.result.levels += levels_;
      // No place starts the next search before all places have read this one's results.
      co_await tess::barrier();
      tess::deallocate(table_);
    }
    s_.result.counted = (co_await tess::all_reduce(std::uint64_t{!counted_})) == 0;
  }

 private:
  struct range {
    std::uint64_t begin;
    std::uint64_t end;
  };
  [[nodiscard]] range own(std::uint64_t level) const { return {begins_[level], begins_[level + 1]}; }

  // Where the levels of the other places begin, and which vertices they hold.
  tess::task<void> learn() {
    begins_ = b_.search_.level_begins();
    levels_ = begins_.size() - 1;
    table_ = tess::allocate<std::uint64_t>(begins_.size());
    std::ranges::copy(begins_, table_.local());
    for (unsigned p = 0; p < tess::places(); ++p) b_.reports_.to(p) = {table_};
    std::span<bc_report const> const tables = co_await b_.reports_.swap();
    tess::counter done;
    for (unsigned p = 0; p < tess::places(); ++p) {
      if (p == tess::here()) continue;
      s_.others[p].level_begins.resize(begins_.size());
      tess::get(tables[p].level_begins, std::span(s_.others[p].level_begins), done);
    }
    co_await done;
    for (unsigned p = 0; p < tess::places(); ++p) {
      if (p == tess::here()) continue;
      s_.others[p].order.resize(s_.others[p].level_begins.back());
      if (s_.others[p].order.empty()) continue;
      tess::get(b_.search_.order()[p * b_.search_.order().block()], std::span(s_.others[p].order), done);
    }
    co_await done;
  }

  [[nodiscard]] double others_reached() const {
    std::uint64_t reached = begins_.back();
    for (unsigned p = 0; p < tess::places(); ++p)
      if (p != tess::here()) reached += s_.others[p].level_begins.back();
    return static_cast<double>(reached - 1);
  }

  // f(begin, end) for pieces of a level's part of order_.
  template <class F>
  tess::task<void> over(range level, F f) {
    if (tess::workers() == 1 || level.end - level.begin <= chunk_vertices)
      f(level.begin, level.end);
    else
      co_await tess::forall_chunks(level.begin, level.end, chunk_vertices, f);
    co_return;
  }

  // Away from the source.
  tess::task<void> count_paths() {
    std::fill(paths_ + own(0).begin, paths_ + own(0).end, 1.0);
    for (std::uint64_t level = 0; level < levels_; ++level) {
      if (level > 0)
        co_await over(own(level), [this](std::uint64_t begin, std::uint64_t end) { return count(begin, end); });
      if (level + 1 < levels_) co_await tell(level, b_.paths_, paths_);
    }
  }

  void count(std::uint64_t begin, std::uint64_t end) {
    double most = 0;
    for (std::uint64_t i = begin; i < end; ++i) {
      paths_[i] = sum(part_.in, order_[i]);
      most = std::max(most, paths_[i]);
    }
    if (most > std::numeric_limits<double>::max()) counted_ = false;
  }

  // Back towards it, which needs no share of the last level and of the source.
  tess::task<void> share_out() {
    for (std::uint64_t level = levels_ - 1; level > 0; --level) {
      bool const last = level + 1 == levels_;
      co_await over(own(level),
                    [this, last](std::uint64_t begin, std::uint64_t end) { return share(begin, end, last); });
      if (level > 1) co_await tell(level, b_.shares_, shares_);
    }
  }

  void share(std::uint64_t begin, std::uint64_t end, bool last) const {
    for (std::uint64_t i = begin; i < end; ++i) {
      vertex const v = order_[i];
      double const dependency = last ? 0 : paths_[i] * sum(part_.out, v);
      scores_[v - part_.first] += ends_ == path_ends::counted ? dependency + 1 : dependency;
      shares_[i] = (1 + dependency) / paths_[i];
    }
  }

  [[nodiscard]] double sum(graph::rows const& rows, vertex v) const noexcept {
    double total = 0;
    for (vertex const u : rows.neighbours(v - part_.first)) total += done_[u];
    return total;
  }

  // A level is done: its values, of all places, are copied to where they are read.
  tess::task<void> tell(std::uint64_t level, tess::global_array<double> const& all, double const* mine) {
    if (tess::places() > 1) co_await tess::barrier();
    tess::counter done;
    for (unsigned step = 1; step < tess::places(); ++step) {
      unsigned const p = (tess::here() + step) % tess::places();
      bc_other& other = s_.others[p];
      std::uint64_t const begin = other.level_begins[level];
      other.values.resize(other.level_begins[level + 1] - begin);
      if (!other.values.empty()) tess::get(all[p * all.block() + begin], std::span(other.values), done);
    }
    auto const [begin, end] = own(level);
    for (std::uint64_t i = begin; i < end; ++i) done_[order_[i]] = mine[i];
    co_await done;
    for (unsigned p = 0; p < tess::places(); ++p) {
      if (p == tess::here()) continue;
      bc_other const& other = s_.others[p];
      vertex const* const vertices = other.order.data() + other.level_begins[level];
      for (std::uint64_t i = 0; i < other.values.size(); ++i) done_[vertices[i]] = other.values[i];
    }
  }

  bc const& b_;
  path_ends ends_;
  bc_state& s_;
  graph::graph_part const& part_;
  vertex const* order_;
  double* paths_;
  double* shares_;
  double* scores_;
  double* done_;
  std::vector<std::uint64_t> begins_;
  std::uint64_t levels_ = 0;
  tess::global_ptr<std::uint64_t> table_;
  std::atomic<bool> counted_{true};
};

tess::task<bc> bc::make(graph::distributed_graph g) {
  bc b;
  std::uint64_t const own = g.block() * tess::places();
  b.graph_ = g;
  b.search_ = co_await bfs::make(g);
  b.reports_ = co_await exchange<bc_report>::make();
  b.scores_ = co_await tess::global_array<double>::make(own);
  b.paths_ = co_await tess::global_array<double>::make(own);
  b.shares_ = co_await tess::global_array<double>::make(own);
  b.done_ = co_await tess::global_array<double>::make(g.vertices() * tess::places());
  b.state_ = co_await tess::place_local<bc_state>::make();
  co_return b;
}

tess::task<void> bc::release(bc b) {
  co_await tess::place_local<bc_state>::release(b.state_);
  co_await tess::global_array<double>::release(b.done_);
  co_await tess::global_array<double>::release(b.shares_);
  co_await tess::global_array<double>::release(b.paths_);
  co_await tess::global_array<double>::release(b.scores_);
  co_await exchange<bc_report>::release(b.reports_);
  co_await bfs::release(b.search_);
}

tess::task<bc_result> bc::run(std::vector<vertex> sources, path_ends ends) const {
  vertex_list const list(sources);
  co_await tess::on_all_places(
      [](bc b, vertex_list from, path_ends counted) -> tess::task<void> {
        bc_run one(b, counted);
        co_await one.run(co_await from.read());
      },
      *this, list, ends);
  vertex_list::release(list);
  co_return state_->result;
}

std::vector<double> centrality_of(std::vector<double> scores, std::vector<vertex> const& sources, bool directed,
                                  path_ends ends, bool normalised) {
  bool const left_out = ends == path_ends::left_out;
  double const others = static_cast<double>(scores.size()) - (left_out ? 1 : 0);
  if (others < 2 || sources.empty()) return scores;
  double const whole = normalised ? 1 / (others - 1) : others / (directed ? 1 : 2);
  std::vector<std::uint8_t> is_source(scores.size());
  for (vertex const v : sources) is_source[v] = 1;
  for (std::size_t v = 0; v < scores.size(); ++v) {
    double const from = static_cast<double>(sources.size()) - (left_out && is_source[v] != 0 ? 1 : 0);
    scores[v] = from > 0 ? scores[v] * whole / from : std::numeric_limits<double>::quiet_NaN();
  }
  return scores;
}

tess::task<std::vector<vertex>> spread_sources(graph::distributed_graph g, std::uint64_t count, source_kind of) {
  constexpr double golden = 0.6180339887498949;
  std::uint64_t const n = g.vertices();
  auto step = static_cast<std::uint64_t>(golden * static_cast<double>(n));
  while (std::gcd(step, n) != 1) ++step;
  std::vector<vertex> sources;
  for (std::uint64_t i = 1; i <= n && sources.size() < count; ++i) {
    auto const v = static_cast<vertex>(i * step % n);
    if (of == source_kind::any) {
      sources.push_back(v);
      continue;
    }
    std::uint64_t const degree = co_await tess::at(
        g.owner(v),
        [](graph::distributed_graph all, vertex of) {
          graph::graph_part const& part = all.part();
          return part.out.degree(of - part.first);
        },
        g, v);
    if (degree != 0) sources.push_back(v);
  }
  co_return sources;
}

}  // namespace kernels
