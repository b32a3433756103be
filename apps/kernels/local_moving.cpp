// local_moving: rounds of turns; and integers for weights.
#include "kernels/local_moving.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "kernels/random_word.hpp"

namespace kernels {

namespace {

constexpr unsigned turns_max = 16;
constexpr std::size_t blocks_of_one_worker = 8;
constexpr std::size_t few_neighbours = 8;

// A gain must be more than what rounding makes.
constexpr double least_gain = 1e-10;

// Steps of the golden ratio meet all of [0, count) in an order that is far from their own: vertices that follow each
// other would make communities of rows.
std::uint64_t golden_step(std::uint64_t count) noexcept {
  auto step = static_cast<std::uint64_t>(0.6180339887498949 * static_cast<double>(count));
  while (std::gcd(step, count) != 1) ++step;
  return step;
}

}  // namespace

tess::task<moving_arrays> moving_arrays::make(graph::distributed_graph g) {
  moving_arrays a;
  a.vertices = g.vertices();
  a.block = g.block();
  a.reports = co_await exchange<moves_report>::make();
  a.moves = co_await tess::global_array<community_move>::make(2 * g.block() * tess::places());
  a.marks = co_await tess::global_array<std::uint8_t>::make(std::max<std::uint64_t>(g.vertices(), 1) * tess::places());
  co_return a;
}

tess::task<void> moving_arrays::release(moving_arrays a) {
  co_await tess::global_array<std::uint8_t>::release(a.marks);
  co_await tess::global_array<community_move>::release(a.moves);
  co_await exchange<moves_report>::release(a.reports);
}

local_moving::local_moving(moving_arrays const& arrays, moving_rows rows, std::vector<double> totals,
                           moving_rules rules)
    : arrays_(arrays),
      rows_(rows),
      rules_(rules),
      labels_(rows.vertices),
      totals_(std::move(totals)),
      strengths_(totals_.begin() + rows.first, totals_.begin() + rows.first + rows.count),
      scratches_(tess::workers()) {
  for (vertex v = 0; v < rows.vertices; ++v) labels_[v] = v;
  for (double const strength : totals_) all_ += strength;
  for (scratch& s : scratches_) {
    s.weights.resize(rows.vertices);
    s.shifts.resize(rows.vertices);
    s.near.resize(rows.vertices + 1);
  }
  if (rows.alone) {
    alone_marks_.assign(rows.vertices, 1);
    marks_ = alone_marks_.data();
    return;
  }
  marks_ = arrays.marks.local().data();
  std::fill_n(marks_, rows.vertices, std::uint8_t{0});
  active_.assign(rows.count, 1);
  sizes_.assign(rows.vertices, 1);
  std::uint64_t const blocks = (rows.vertices + block_vertices - 1) / block_vertices;
  turns_ = static_cast<unsigned>(std::clamp<std::uint64_t>(blocks, 1, turns_max));
  blocks_.resize(turns_);
}

tess::task<std::uint64_t> local_moving::run() {
  std::uint64_t all = 0;
  auto const enough = static_cast<std::uint64_t>(rules_.moves_min * static_cast<double>(rows_.vertices));
  for (std::uint64_t moved = 1; moved != 0 && round_ < rules_.rounds_max; ++round_) {
    moved = co_await play_round();
    all += moved;
    if (moved <= enough) moved = 0;
  }
  co_return all;
}

tess::task<std::uint64_t> local_moving::play_round() {
  if (rows_.alone) {
    moved_alone_ = 0;
    play({0, rows_.count, labels_.data()}, 0, scratches_[0]);
    co_return moved_alone_;
  }
  std::uint64_t moved = 0;
  sort_by_turns();
  for (unsigned turn = 0; turn < turns_; ++turn) {
    co_await play_turn(turn);
    moved += co_await exchange_moves();
  }
  if (moved != 0) co_await exchange_marks();
  co_return moved;
}

unsigned local_moving::turn_of(std::uint64_t block) const noexcept {
  return static_cast<unsigned>(scaled(random_word(rules_.seed + round_, block), turns_));
}

// Own blocks with vertices to be looked at.
void local_moving::sort_by_turns() {
  for (auto& blocks : blocks_) blocks.clear();
  for (std::uint64_t begin = 0; begin < rows_.count; begin += block_vertices) {
    std::uint64_t const end = std::min<std::uint64_t>(begin + block_vertices, rows_.count);
    if (std::ranges::count(std::span(active_).subspan(begin, end - begin), 1) == 0) continue;
    std::uint64_t const block = (rows_.first + begin) / block_vertices;
    blocks_[turn_of(block)].push_back(block);
  }
}

tess::task<void> local_moving::play_turn(unsigned turn) {
  std::vector<std::uint64_t> const& blocks = blocks_[turn];
  // With a few blocks, waking another worker takes longer than the turn.
  if (scratches_.size() == 1 || blocks.size() <= blocks_of_one_worker) {
    for (std::uint64_t const block : blocks) play_block(block, turn, scratches_[0]);
    co_return;
  }
  next_ = 0;
  co_await tess::forall_chunks(0, scratches_.size(), 1, [&](std::uint64_t worker, std::uint64_t) {
    for (std::uint64_t i; (i = next_.fetch_add(1, std::memory_order_relaxed)) < blocks.size();)
      play_block(blocks[i], turn, scratches_[worker]);
  });
}

void local_moving::play_block(std::uint64_t block, unsigned turn, scratch& s) {
  auto const first = static_cast<vertex>(block * block_vertices);
  vertex const count = std::min(block_vertices, rows_.first + rows_.count - first);
  std::copy_n(labels_.begin() + first, count, s.labels);
  play({first, count, s.labels}, turn, s);
  for (vertex const c : s.shifted) s.shifts[c] = 0;
  s.shifted.clear();
}

void local_moving::play(block_view b, unsigned turn, scratch& s) {
  std::uint64_t const step = golden_step(b.count);
  for (std::uint64_t k = 0, i = 0; k < b.count; ++k, i += i + step < b.count ? step : step - b.count) {
    auto const v = static_cast<vertex>(b.first + i);
    if ((rows_.alone ? std::exchange(marks_[v], 0) : active_[v - rows_.first]) == 0) continue;
    vertex const from = b.labels[v - b.first];
    vertex const to = best(v, b, s);
    if (to == from) continue;
    b.labels[v - b.first] = to;
    double const strength = strengths_[v - rows_.first];
    if (rows_.alone) {
      totals_[from] -= strength;
      totals_[to] += strength;
      ++moved_alone_;
    } else {
      s.shifts[from] -= strength;
      s.shifts[to] += strength;
      s.shifted.insert(s.shifted.end(), {from, to});
      s.moves.push_back({v, to, strength});
    }
    mark_neighbours(v, to, b, turn);
    // Moves of neighbours in the same turn were not seen.
    if (!rows_.alone) marks_[v] = static_cast<std::uint8_t>(turn + 1);
  }
}

vertex local_moving::best(vertex v, block_view b, scratch& s) const {
  std::uint64_t const begin = rows_.offsets[v - rows_.first], end = rows_.offsets[v - rows_.first + 1];
  vertex const from = b.labels[v - b.first];
  auto const label_of = [&](vertex u) { return u - b.first < b.count ? b.labels[u - b.first] : labels_[u]; };
  if (end - begin <= few_neighbours) {
    // In registers, and not in an array of all communities.
    std::array<vertex, few_neighbours> near;
    std::array<double, few_neighbours> sums;
    std::size_t count = 0;
    double own = 0;
    for (std::uint64_t e = begin; e < end; ++e) {
      vertex const c = label_of(rows_.targets[e]);
      double const weight = rows_.weight(e);
      if (weight == 0) continue;
      if (c == from) own += weight;
      std::size_t k = 0;
      while (k < count && near[k] != c) ++k;
      if (k == count) {
        near[count] = c;
        sums[count++] = 0;
      }
      sums[k] += weight;
    }
    return choose(v, from, own, std::span(near).first(count), [&](std::size_t k) { return sums[k]; }, s);
  }
  double* const weights = s.weights.data();
  vertex* const near = s.near.data();
  std::uint64_t count = 0;
  for (std::uint64_t e = begin; e < end; ++e) {
    vertex const c = label_of(rows_.targets[e]);
    double const weight = rows_.weight(e);
    // Without a branch, which nobody could predict.
    near[count] = c;
    count += weights[c] == 0 && weight != 0;
    weights[c] += weight;
  }
  vertex const to =
      choose(v, from, weights[from], std::span(near, count), [&](std::size_t k) { return weights[near[k]]; }, s);
  for (vertex const c : std::span(near, count)) weights[c] = 0;
  return to;
}

// The own community unless another one is better; of equal ones the one with the smallest number, or a random one.
template <class WeightOf>
vertex local_moving::choose(vertex v, vertex from, double own, std::span<vertex const> near, WeightOf weight_of,
                            scratch const& s) const {
  bool const modular = rules_.aim == moving_aim::modularity;
  double const strength = strengths_[v - rows_.first];
  double const share = modular ? rules_.resolution * strength / all_ : 0;
  // Totals do not count for the majority, and are far away in memory.
  auto const others = [&](vertex c) { return modular ? totals_[c] + s.shifts[c] : 0; };
  double const margin = least_gain * strength;
  vertex to = from;
  double most = own - share * (others(from) - strength) + margin;
  for (std::size_t k = 0; k < near.size(); ++k) {
    vertex const c = near[k];
    double const gain = weight_of(k) - share * others(c);
    if (c == from || gain < most || !may_join(from, c)) continue;
    if (gain == most && to != from) {
      if (modular ? c > to : random_word(rules_.seed ^ v, c) > random_word(rules_.seed ^ v, to)) continue;
    }
    most = gain;
    to = c;
  }
  return to;
}

// Two vertices in communities of their own would exchange places if both joined the other in one turn.
bool local_moving::may_join(vertex from, vertex to) const noexcept {
  return rows_.alone || rules_.aim != moving_aim::modularity || to < from || sizes_[from] > 1 || sizes_[to] > 1;
}

void local_moving::mark_neighbours(vertex v, vertex to, block_view b, unsigned turn) {
  std::uint64_t const i = v - rows_.first;
  for (std::uint64_t e = rows_.offsets[i]; e < rows_.offsets[i + 1]; ++e) {
    vertex const u = rows_.targets[e];
    vertex const c = u - b.first < b.count ? b.labels[u - b.first] : labels_[u];
    // Workers of a place write the same number.
    if (c != to) std::atomic_ref(marks_[u]).store(static_cast<std::uint8_t>(turn + 1), std::memory_order_relaxed);
  }
}

// All places' moves of a turn, applied here.
tess::task<std::uint64_t> local_moving::exchange_moves() {
  std::uint64_t const half = step_++ % 2 * arrays_.block;
  std::span<community_move> const mine = arrays_.moves.local().subspan(half, arrays_.block);
  std::uint64_t count = 0;
  for (scratch& s : scratches_) {
    std::ranges::copy(s.moves, mine.begin() + static_cast<std::ptrdiff_t>(count));
    count += s.moves.size();
    s.moves.clear();
  }
  unsigned const places = tess::places();
  for (unsigned p = 0; p < places; ++p) arrays_.reports.to(p) = {count};
  std::span<moves_report const> const reports = co_await arrays_.reports.swap();
  std::uint64_t all = 0;
  for (moves_report const& r : reports) all += r.count;
  incoming_.resize(all - count);
  tess::counter done;
  std::uint64_t at = 0;
  for (unsigned p = 0; p < places; ++p) {
    if (p == tess::here() || reports[p].count == 0) continue;
    std::span<community_move> const room = std::span(incoming_).subspan(at, reports[p].count);
    tess::get(arrays_.moves[p * arrays_.moves.block() + half], room, done);
    at += room.size();
  }
  apply(mine.first(count));
  co_await done;
  apply(incoming_);
  co_return all;
}

void local_moving::apply(std::span<community_move const> moves) {
  for (auto const& [v, to, strength] : moves) {
    vertex const from = std::exchange(labels_[v], to);
    totals_[from] -= strength;
    totals_[to] += strength;
    --sizes_[from];
    ++sizes_[to];
  }
}

// In [begin, end) of the own vertices, at any place.
bool local_moving::any_marked(std::uint64_t begin, std::uint64_t end) const noexcept {
  std::uint8_t any = 0;
  for (unsigned p = 0; p < tess::places(); ++p)
    for (std::uint64_t i = begin; i < end; ++i) any |= incoming_marks_[std::uint64_t{p} * rows_.count + i];
  return any != 0;
}

// Whether own vertices are looked at in the next round: if a neighbour at any place left after, or in, their own turn.
tess::task<void> local_moving::exchange_marks() {
  unsigned const places = tess::places();
  co_await tess::barrier();
  incoming_marks_.resize(std::uint64_t{places} * rows_.count);
  tess::counter done;
  for (unsigned step = 1; step < places && rows_.count != 0; ++step) {
    unsigned const p = (tess::here() + step) % places;
    tess::get(arrays_.marks[p * arrays_.marks.block() + rows_.first],
              std::span(incoming_marks_).subspan(std::uint64_t{p} * rows_.count, rows_.count), done);
  }
  std::copy_n(marks_ + rows_.first, rows_.count,
              incoming_marks_.begin() + static_cast<std::ptrdiff_t>(std::uint64_t{tess::here()} * rows_.count));
  co_await done;
  co_await tess::barrier();
  std::fill_n(marks_, rows_.vertices, std::uint8_t{0});
  for (std::uint64_t begin = 0; begin < rows_.count; begin += block_vertices) {
    std::uint64_t const end = std::min<std::uint64_t>(begin + block_vertices, rows_.count);
    unsigned const turn = turn_of((rows_.first + begin) / block_vertices);
    if (!any_marked(begin, end)) {
      std::fill(active_.begin() + static_cast<std::ptrdiff_t>(begin),
                active_.begin() + static_cast<std::ptrdiff_t>(end), std::uint8_t{0});
      continue;
    }
    for (std::uint64_t i = begin; i < end; ++i) {
      std::uint8_t last = 0;
      for (unsigned p = 0; p < places; ++p) last = std::max(last, incoming_marks_[std::uint64_t{p} * rows_.count + i]);
      bool const seen = active_[i] != 0 && turn >= last;
      active_[i] = last != 0 && !seen;
    }
  }
}

namespace {

// Every place's block of values, at each.
tess::task<std::vector<double>> gather_blocks(graph::distributed_graph g, std::vector<double> mine) {
  std::vector<double> all;
  all.reserve(g.vertices());
  for (std::vector<double> const& block : co_await tess::all_gather(std::move(mine)))
    all.insert(all.end(), block.begin(), block.end());
  co_return all;
}

std::vector<double> row_sums(graph::graph_part const& part, std::vector<double> const& weights) {
  std::vector<double> sums(part.count);
  for (std::uint64_t i = 0; i < part.count; ++i)
    for (std::uint64_t e = part.out.offsets[i]; e < part.out.offsets[i + 1]; ++e) sums[i] += weights[e];
  return sums;
}

}  // namespace

tess::task<quantised_weights> quantise(graph::distributed_graph g, graph::edge_weights const* w) {
  constexpr double sum_max = 0x1p52;
  graph::graph_part const& part = g.part();
  std::uint64_t const entries = part.out.offsets[part.count];
  quantised_weights made;
  if (w == nullptr) {
    std::vector<double> degrees(part.count);
    for (std::uint64_t i = 0; i < part.count; ++i) degrees[i] = static_cast<double>(part.out.degree(i));
    made.totals = co_await gather_blocks(g, std::move(degrees));
    co_return made;
  }
  if (w->integers())
    made.weights.assign(w->local<std::uint32_t>(), w->local<std::uint32_t>() + entries);
  else
    made.weights.assign(w->local<double>(), w->local<double>() + entries);
  if (!w->integers() && w->max() > 0)
    for (double& weight : made.weights) weight /= w->max();
  // In the order of the vertices, so that the sum is the same for every number of places.
  double sum = 0;
  for (double const strength : co_await gather_blocks(g, row_sums(part, made.weights))) sum += strength;
  if (!w->integers() || sum > sum_max) {
    double const scale = sum > 0 ? std::exp2(std::floor(std::log2(sum_max / sum))) : 1;
    for (double& weight : made.weights) weight = std::round(weight * scale);
  }
  made.totals = co_await gather_blocks(g, row_sums(part, made.weights));
  co_return made;
}

}  // namespace kernels
