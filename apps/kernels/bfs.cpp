// bfs: chooses the direction of each level, and the steps in which all places agree on it.
#include "kernels/bfs.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "kernels/bfs_steps.hpp"
#include "kernels/vertex_list.hpp"

namespace kernels {

namespace {

// The paper's: upwards when the front has more than 1/alpha of the unexplored edges and grows, downwards again when it
// has less than 1/beta of the vertices and shrinks. Without "grows" and "shrinks" each of the last levels of a
// road-like graph, which has few unexplored edges left, would scan all vertices.
constexpr std::uint64_t alpha = 15;
constexpr std::uint64_t beta = 18;

bfs_front operator+(bfs_front a, bfs_front b) noexcept {
  return {a.size + b.size, a.edges + b.edges};
}

}  // namespace

// One search, from the view of one place; all places take the same decisions, from the same reports.
class bfs_search {
 public:
  explicit bfs_search(bfs const& b, bool keeps_levels = false)
      : b_(b),
        keeps_levels_(keeps_levels),
        s_(*b.state_),
        maps_{b.now_.local().data(), b.next_.local().data(), b.sent_.local().data(), s_.part.first / word_bits},
        unexplored_(b.graph_.edges()) {}

  tess::task<void> run(std::span<vertex const> sources) {
    co_await forget(s_, maps_, b_.sent_.size());
    for (vertex const source : sources)
      if (s_.part.owns(source)) s_.claim_pairs(std::array{parent_edge{source, source}});
    // No place sends before all places have reset the state of the search before.
    level_ = co_await agree(s_.found());
    advance();
    while (level_.size > 0) {
      if (!counted_ && upwards_pays(level_))
        co_await go_up();
      else
        co_await go_down();
    }
  }

  [[nodiscard]] bfs_result result() && { return std::move(result_); }

 private:
  [[nodiscard]] bool upwards_pays(bfs_front front) const noexcept {
    std::uint64_t const left = unexplored_ - std::min(unexplored_, front.edges);
    return front.edges > left / alpha && front.size > before_size_;
  }

  void advance() {
    s_.advance();
    note_level();
  }

  void note_level() {
    if (keeps_levels_) s_.level_begins.push_back(s_.level_begin);
  }

  void count(bfs_front exact) {
    result_.levels.push_back(exact.size);
    result_.reached += exact.size;
    result_.edges += exact.edges;
    unexplored_ -= exact.edges;
  }

  // The sum of the reports of all places.
  tess::task<bfs_front> agree(bfs_front mine) {
    for (unsigned p = 0; p < tess::places(); ++p) {
      bfs_report& report = b_.reports_.to(p);
      report.found = mine;
      report.pairs_count = 0;
      report.packets_for_you = 0;
    }
    bfs_front sum;
    for (bfs_report const& r : co_await b_.reports_.swap()) sum = sum + r.found;
    co_return sum;
  }

  // One level down. How large the next one is, is only bounded if children were sent: the places agree on it if the
  // bound leaves its direction open.
  tess::task<void> go_down() {
    co_await expand(b_.state_, b_.graph_, maps_);
    bfs_report const sum = co_await report();
    // All children sent in the last level may have been claimed before: then it was the last one.
    if (sum.expanded.size == 0) {
      level_ = {};
      co_return;
    }
    if (!counted_) count(sum.expanded);
    counted_ = false;
    before_size_ = sum.expanded.size;
    level_ = {sum.found.size + sum.pairs, sum.found.edges + sum.pairs * b_.graph_.degree_max()};
    if (sum.pairs > 0 && upwards_pays(level_)) level_ = co_await agree(s_.found());
    advance();
  }

  // Sends the rest of what was found for others, and takes what they found for this place; returns the reports' sum.
  tess::task<bfs_report> report() {
    std::uint64_t const pairs = s_.pairs.load(std::memory_order_relaxed);
    for (unsigned p = 0; p < tess::places(); ++p) {
      bfs_report& mine = b_.reports_.to(p);
      hand_out(b_.state_, p, mine);
      mine.expanded = s_.present();
      mine.found = s_.found();
      mine.pairs = pairs;
    }
    bfs_report sum;
    for (bfs_report const& r : co_await b_.reports_.swap()) {
      sum.expanded = sum.expanded + r.expanded;
      sum.found = sum.found + r.found;
      sum.pairs += r.pairs;
      sum.packets_for_you += r.packets_for_you;
      if (r.pairs_count != 0) s_.claim_pairs({r.few, r.pairs_count});
    }
    if (sum.packets_for_you != 0) {
      tess::counter& arrived = s_.arrived[s_.half];
      arrived.expect(sum.packets_for_you);
      co_await arrived;
      s_.claim_inbox();
    }
    co_return sum;
  }

  // Levels up until they shrink.
  tess::task<void> go_up() {
    queue_to_bitmap(s_, maps_);
    count(level_);
    co_await agree({});
    do {
      co_await gather();
      bfs_front const next = co_await agree(co_await look_up(s_, maps_));
      swapped_ = !swapped_;
      std::swap(maps_.now, maps_.next);
      before_size_ = level_.size;
      level_ = next;
      if (keeps_levels_) {
        append_to_queue(s_, maps_.now, maps_.own_begin);
        note_level();
      }
      if (next.size == 0) co_return;
      count(next);
    } while (level_.size >= before_size_ || level_.size > b_.graph_.vertices() / beta);
    if (!keeps_levels_) bitmap_to_queue(s_, maps_);
    counted_ = true;
  }

  tess::task<void> gather() {
    if (tess::places() == 1) co_return;
    co_await (swapped_ ? b_.next_ : b_.now_).gather();
    // Vertices that any place reached need not be sent to their owners.
    std::uint64_t const words = b_.sent_.size();
    for (std::uint64_t i = 0; i < words; ++i) maps_.sent[i] |= maps_.now[i];
  }

  bfs const& b_;
  bool keeps_levels_;
  bfs_state& s_;
  bfs_bitmaps maps_;
  bool swapped_ = false;  // maps_.now lies in b_.next_
  std::uint64_t unexplored_;
  std::uint64_t before_size_ = 0;
  bfs_front level_;       // at least as large as the true one
  bool counted_ = false;  // level_ was counted on the way up
  bfs_result result_;
};

tess::task<bfs> bfs::make(graph::distributed_graph g) {
  bfs b;
  std::uint64_t const words = (g.vertices() + word_bits - 1) / word_bits;
  b.graph_ = g;
  b.parents_ = co_await tess::global_array<vertex>::make(g.block() * tess::places());
  b.queue_ = co_await tess::global_array<vertex>::make(g.block() * tess::places());
  b.now_ = co_await replicated<std::uint64_t>::make(words, g.block() / word_bits);
  b.next_ = co_await replicated<std::uint64_t>::make(words, g.block() / word_bits);
  b.sent_ = co_await replicated<std::uint64_t>::make(words, g.block() / word_bits);
  b.reports_ = co_await exchange<bfs_report>::make();
  b.state_ = co_await tess::place_local<bfs_state>::make();
  co_await tess::on_all_places(
      [](bfs all) { all.state_->prepare(all.graph_.part(), all.parents_.local(), all.queue_.local()); }, b);
  co_return b;
}

tess::task<void> bfs::release(bfs b) {
  co_await tess::place_local<bfs_state>::release(b.state_);
  co_await exchange<bfs_report>::release(b.reports_);
  co_await replicated<std::uint64_t>::release(b.sent_);
  co_await replicated<std::uint64_t>::release(b.next_);
  co_await replicated<std::uint64_t>::release(b.now_);
  co_await tess::global_array<vertex>::release(b.queue_);
  co_await tess::global_array<vertex>::release(b.parents_);
}

tess::task<bfs_result> bfs::run(vertex source) const {
  co_await tess::on_all_places(
      [](bfs all, vertex from) -> tess::task<void> {
        bfs_search search(all);
        co_await search.run(std::span(&from, 1));
        all.state_->result = std::move(search).result();
      },
      *this, source);
  // Every place has computed the same sum.
  co_return std::move(state_->result);
}

tess::task<bfs_result> bfs::run(std::vector<vertex> sources) const {
  vertex_list const list(sources);
  co_await tess::on_all_places(
      [](bfs all, vertex_list from) -> tess::task<void> {
        std::vector<vertex> const starts = co_await from.read();
        bfs_search search(all);
        co_await search.run(starts);
        all.state_->result = std::move(search).result();
      },
      *this, list);
  vertex_list::release(list);
  co_return std::move(state_->result);
}

tess::task<void> bfs::run_here_and_keep_levels(std::vector<vertex> sources) const {
  state_->level_begins.clear();
  bfs_search search(*this, true);
  co_await search.run(sources);
  bfs_state& s = *state_;
  s.result = std::move(search).result();
  // The last levels noted may be empty everywhere.
  s.level_begins.resize(s.result.levels.size());
  s.level_begins.push_back(s.tail);
}

std::vector<std::uint64_t> const& bfs::level_begins() const {
  return state_->level_begins;
}

}  // namespace kernels
