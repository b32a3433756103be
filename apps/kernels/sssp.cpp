// sssp: the steps of a search, and how all places agree on the next bin.
#include "kernels/sssp.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "kernels/sssp_steps.hpp"
#include "kernels/vertex_list.hpp"

namespace kernels {

namespace {

// The largest number of bins that a weight spans: more bins cost more steps than they save work.
constexpr double bins_max = 128;

}  // namespace

// One search, from the view of one place; all places process the same bins, from the same reports.
template <class Distance>
class sssp_search {
 public:
  explicit sssp_search(sssp<Distance> const& k) : k_(k), s_(*k.state_) {}

  tess::task<void> run(std::span<vertex const> sources, double delta) {
    width_ = bin_width<Distance>(delta);
    s_.begin(delta);
    for (vertex const source : sources)
      if (s_.part.owns(source)) s_.claim(std::array{distance_of<Distance>{source, 0}});
    // No place sends before all places have reset the state of the search before.
    co_await tess::barrier();
    for (std::uint64_t bin = 0; bin != no_bin;) {
      for (auto& w : s_.workers) w.bins.advance(bin);
      co_await empty_bin(k_.state_, k_.graph_);
      bin = co_await agree();
      ++s_.result.steps;
    }
  }

 private:
  // Sends the rest of what was found for others, and takes what they found for this place; returns the next bin of all.
  tess::task<std::uint64_t> agree() {
    if (tess::places() == 1) co_return lowest_bin();
    std::uint64_t const lowest = lowest_bin();
    for (unsigned p = 0; p < tess::places(); ++p) {
      sssp_report<Distance>& mine = k_.reports_.to(p);
      hand_out(k_.state_, p, mine);
      mine.lowest_bin = lowest;
    }
    std::uint64_t next = no_bin;
    std::int64_t packets = 0;
    for (sssp_report<Distance> const& r : co_await k_.reports_.swap()) {
      next = std::min(next, r.lowest_bin);
      packets += r.packets_for_you;
      if (r.pairs_count != 0) s_.claim({r.few, r.pairs_count});
    }
    if (packets != 0) {
      tess::counter& arrived = s_.arrived[s_.half];
      arrived.expect(packets);
      co_await arrived;
      s_.claim_inbox();
    }
    s_.half = 1 - s_.half;
    co_return next;
  }

  [[nodiscard]] std::uint64_t lowest_bin() const noexcept {
    std::uint64_t lowest = no_bin;
    for (auto const& w : s_.workers) {
      lowest = std::min(lowest, w.bins.lowest());
      if (w.lowest_sent != infinitely_far<Distance>) lowest = std::min(lowest, width_.bin(w.lowest_sent));
    }
    return lowest;
  }

  sssp<Distance> const& k_;
  sssp_state<Distance>& s_;
  bin_width<Distance> width_;
};

template <class Distance>
tess::task<sssp<Distance>> sssp<Distance>::make(graph::distributed_graph g, graph::edge_weights w) {
  sssp k;
  k.graph_ = g;
  k.known_ = co_await replicated<Distance>::make(g.vertices(), g.block());
  k.reports_ = co_await exchange<sssp_report<Distance>>::make();
  k.state_ = co_await tess::place_local<sssp_state<Distance>>::make();
  co_await tess::on_all_places(
      [](sssp all, graph::edge_weights weights) {
        all.state_->prepare(all.graph_.part(), weights.template local<Distance>(), all.known_.local().data());
      },
      k, w);
  co_return k;
}

template <class Distance>
tess::task<void> sssp<Distance>::release(sssp k) {
  co_await tess::on_all_places([](sssp all) { tess::deallocate(all.state_->rows); }, k);
  co_await tess::place_local<sssp_state<Distance>>::release(k.state_);
  co_await exchange<sssp_report<Distance>>::release(k.reports_);
  co_await replicated<Distance>::release(k.known_);
}

template <class Distance>
tess::task<double> sssp<Distance>::usual_delta(graph::distributed_graph g, graph::edge_weights w) {
  std::uint64_t squares = 0;
  for (unsigned p = 0; p < tess::places(); ++p)
    squares += co_await tess::at(
        static_cast<tess::place_id>(p),
        [](graph::distributed_graph all) {
          graph::graph_part const& part = all.part();
          std::uint64_t sum = 0;
          for (std::uint64_t i = 0; i < part.count; ++i) sum += part.out.degree(i) * part.out.degree(i);
          return sum;
        },
        g);
  double const most = w.max();
  if (!(most > 0) || squares == 0) co_return 1.0;
  double const degree = static_cast<double>(squares) / static_cast<double>(g.edges());
  co_return std::max(most / std::clamp(degree, 1.0, bins_max), std::numeric_limits<double>::min());
}

template <class Distance>
tess::task<sssp_result> sssp<Distance>::run(vertex source, double delta) const {
  co_await tess::on_all_places(
      [](sssp all, vertex from, double width) -> tess::task<void> {
        sssp_search<Distance> search(all);
        co_await search.run(std::span(&from, 1), width);
      },
      *this, source, delta);
  co_return state_->result;
}

template <class Distance>
tess::task<sssp_result> sssp<Distance>::run(std::vector<vertex> sources, double delta) const {
  vertex_list const list(sources);
  co_await tess::on_all_places(
      [](sssp all, vertex_list from, double width) -> tess::task<void> {
        std::vector<vertex> const starts = co_await from.read();
        sssp_search<Distance> search(all);
        co_await search.run(starts, width);
      },
      *this, list, delta);
  vertex_list::release(list);
  co_return state_->result;
}

template <class Distance>
tess::task<std::vector<Distance>> sssp<Distance>::distances() const {
  co_await known_.gather();
  std::span<Distance const> const all = known_.local();
  co_return std::vector<Distance>(all.begin(), all.end());
}

template class sssp<std::uint32_t>;
template class sssp<double>;

}  // namespace kernels
