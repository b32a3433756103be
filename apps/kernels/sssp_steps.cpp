// sssp_steps: the inner loops. Shared: tasks of several workers lower distances at the same time.
#include "kernels/sssp_steps.hpp"

#include <algorithm>

namespace kernels {

namespace {

constexpr auto relaxed = std::memory_order_relaxed;

// With fewer vertices, waking another worker takes longer than the bin.
constexpr std::uint64_t vertices_worth_sharing = 1024;
constexpr std::uint64_t vertices_at_once = 64;
constexpr std::uint64_t targets_at_once = 128;

// How many vertices ahead of its relaxation a row is requested from memory: which one is next depends on a comparison,
// so a processor does not get there by itself. First its offsets, then its first two lines.
constexpr std::uint64_t offsets_ahead = 16;
constexpr std::uint64_t targets_ahead = 8;
constexpr std::uint64_t line_bytes = 64;

// Relaxed everywhere: a distance only ever falls, and an outdated one costs work and not correctness.
template <bool Shared, class Distance>
bool lower(Distance& known, Distance d) noexcept {
  if constexpr (Shared) {
    std::atomic_ref<Distance> const shared(known);
    Distance before = shared.load(relaxed);
    while (d < before)
      if (shared.compare_exchange_weak(before, d, relaxed)) return true;
    return false;
  } else {
    if (!(d < known)) return false;
    known = d;
    return true;
  }
}

template <bool Shared, class Distance>
Distance look(Distance& known) noexcept {
  if constexpr (Shared)
    return std::atomic_ref<Distance>(known).load(relaxed);
  else
    return known;
}

template <class Distance>
void send_packet(tess::place_local<sssp_state<Distance>> state, unsigned p, distance_packet<Distance>& full) {
  state->packets_to[p].fetch_add(1, relaxed);
  tess::at_async(
      static_cast<tess::place_id>(p),
      [](tess::place_local<sssp_state<Distance>> there, unsigned half, distance_packet<Distance> const& found) {
        sssp_state<Distance>& s = *there;
        tess::place_atomic([&] { s.inbox[half].insert(s.inbox[half].end(), found.items, found.items + found.count); });
        s.arrived[half].acknowledge();
      },
      state, state->half, full);
  full.count = 0;
}

// The targets that are nearer through this row, without a branch on the result: it would be unpredictable, and
// the loads need not wait for each other.
template <bool Shared, class Distance>
std::uint32_t nearer(Distance* known, weighted_target<Distance> const* from, weighted_target<Distance> const* end,
                     Distance distance, distance_of<Distance>* hits) noexcept {
  std::uint32_t found = 0;
  for (; from != end; ++from) {
    Distance const d = distance + from->weight;
    hits[found] = {from->v, d};
    found += d < look<Shared>(known[from->v]);
  }
  return found;
}

// Alone: there is no other place.
template <bool Shared, bool Alone, class Distance>
void relax(tess::place_local<sssp_state<Distance>> state, graph::distributed_graph const& g,
           std::span<distance_of<Distance> const> front, sssp_worker<Distance>& mine) {
  sssp_state<Distance>& s = *state;
  vertex const first = s.part.first;
  vertex const count = s.part.count;
  std::uint64_t const* const offsets = s.part.out.offsets;
  weighted_target<Distance> const* const targets = s.targets;
  Distance* const known = s.known;
  distance_of<Distance> hits[targets_at_once];
  for (std::size_t i = 0; i < front.size(); ++i) {
    if (i + offsets_ahead < front.size()) __builtin_prefetch(offsets + (front[i + offsets_ahead].v - first));
    if (i + targets_ahead < front.size()) {
      weighted_target<Distance> const* const row = targets + offsets[front[i + targets_ahead].v - first];
      __builtin_prefetch(row);
      __builtin_prefetch(row + line_bytes / sizeof *row);
    }
    auto const [u, distance] = front[i];
    if (look<Shared>(known[u]) != distance) continue;  // outdated
    std::uint64_t const end = offsets[u - first + 1];
    for (std::uint64_t e = offsets[u - first]; e < end;) {
      std::uint64_t const stop = std::min(end, e + targets_at_once);
      std::uint32_t const found = nearer<Shared>(known, targets + e, targets + stop, distance, hits);
      e = stop;
      for (std::uint32_t k = 0; k < found; ++k) {
        auto const [v, d] = hits[k];
        if (!lower<Shared>(known[v], d)) continue;
        if (Alone || v - first < count) {
          mine.bins.push({v, d});
        } else {
          unsigned const p = g.owner(v);
          distance_packet<Distance>& to = mine.open[p];
          to.items[to.count++] = {v, d};
          mine.lowest_sent = std::min(mine.lowest_sent, d);
          if (to.count == distance_packet<Distance>::capacity) send_packet(state, p, to);
        }
      }
    }
  }
}

template <class Distance>
tess::task<void> relax_together(tess::place_local<sssp_state<Distance>> state, graph::distributed_graph const& g) {
  sssp_state<Distance>& s = *state;
  std::atomic<std::uint64_t> next{0};
  co_await tess::forall_chunks(0, tess::workers(), 1, [&](std::uint64_t worker, std::uint64_t) {
    for (;;) {
      std::uint64_t const from = next.fetch_add(vertices_at_once, relaxed);
      if (from >= s.front.size()) return;
      std::uint64_t const taken = std::min<std::uint64_t>(vertices_at_once, s.front.size() - from);
      relax<true, false>(state, g, std::span<distance_of<Distance> const>(s.front).subspan(from, taken),
                         s.workers[worker]);
    }
  });
}

}  // namespace

template <class Distance>
void sssp_state<Distance>::prepare(graph::graph_part const& p, Distance const* weights, Distance* all_known) {
  part = p;
  known = all_known;
  std::uint64_t const entries = part.out.offsets[part.count];
  rows = tess::allocate<weighted_target<Distance>>(std::max<std::uint64_t>(entries, 1));
  weighted_target<Distance>* const made = rows.local();
  for (std::uint64_t e = 0; e < entries; ++e) made[e] = {part.out.targets[e], weights[e]};
  targets = made;
  workers.resize(tess::workers());
  for (auto& w : workers) w.open.resize(tess::places());
  packets_to = std::vector<std::atomic<std::uint32_t>>(tess::places());
}

template <class Distance>
void sssp_state<Distance>::begin(double delta) {
  std::fill_n(known, part.vertices, infinitely_far<Distance>);
  for (auto& w : workers) w.bins.begin(bin_width<Distance>(delta));
  result = {};
}

template <class Distance>
void sssp_state<Distance>::claim(std::span<distance_of<Distance> const> found) {
  for (auto const& pair : found)
    if (lower<false>(known[pair.v], pair.distance)) workers[0].bins.push(pair);
}

template <class Distance>
void sssp_state<Distance>::claim_inbox() {
  claim(inbox[half]);
  inbox[half].clear();
}

template <class Distance>
tess::task<void> empty_bin(tess::place_local<sssp_state<Distance>> state, graph::distributed_graph const& g) {
  sssp_state<Distance>& s = *state;
  for (auto& w : s.workers) w.lowest_sent = infinitely_far<Distance>;
  for (;;) {
    s.front.clear();
    s.workers[0].bins.take(s.front);
    for (std::size_t i = 1; i < s.workers.size(); ++i) {
      if (s.workers[i].bins.present_empty()) continue;
      std::vector<distance_of<Distance>> others;
      s.workers[i].bins.take(others);
      s.front.insert(s.front.end(), others.begin(), others.end());
    }
    if (s.front.empty()) co_return;
    if (s.workers.size() > 1 && s.front.size() >= vertices_worth_sharing)
      co_await relax_together(state, g);
    else if (tess::places() == 1)
      relax<false, true>(state, g, std::span<distance_of<Distance> const>(s.front), s.workers[0]);
    else
      relax<false, false>(state, g, std::span<distance_of<Distance> const>(s.front), s.workers[0]);
  }
}

template <class Distance>
void hand_out(tess::place_local<sssp_state<Distance>> state, unsigned p, sssp_report<Distance>& report) {
  sssp_state<Distance>& s = *state;
  report.pairs_count = 0;
  for (sssp_worker<Distance>& w : s.workers) {
    distance_packet<Distance>& rest = w.open[p];
    if (rest.count == 0) continue;
    if (report.pairs_count + rest.count <= sssp_report<Distance>::pairs_max) {
      std::copy_n(rest.items, rest.count, report.few + report.pairs_count);
      report.pairs_count += rest.count;
      rest.count = 0;
    } else {
      send_packet(state, p, rest);
    }
  }
  report.packets_for_you = s.packets_to[p].exchange(0, relaxed);
}

template struct sssp_state<std::uint32_t>;
template struct sssp_state<double>;
template tess::task<void> empty_bin(tess::place_local<sssp_state<std::uint32_t>>, graph::distributed_graph const&);
template tess::task<void> empty_bin(tess::place_local<sssp_state<double>>, graph::distributed_graph const&);
template void hand_out(tess::place_local<sssp_state<std::uint32_t>>, unsigned, sssp_report<std::uint32_t>&);
template void hand_out(tess::place_local<sssp_state<double>>, unsigned, sssp_report<double>&);

}  // namespace kernels
