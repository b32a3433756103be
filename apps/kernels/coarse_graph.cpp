// coarse_graph: own rows are added up by community, sent to the communities' owners, and added up there.
#include "kernels/coarse_graph.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace kernels {

namespace {

struct weighted_entry {
  vertex source;
  vertex target;
  double weight;
};
using entries = std::vector<weighted_entry>;

// A row under construction: the sums of weights by target.
class row_sum {
 public:
  explicit row_sum(std::uint64_t vertices) : sums_(vertices) {}

  void add(vertex target, double weight) {
    if (sums_[target] == 0 && weight != 0) targets_.push_back(target);
    sums_[target] += weight;
  }
  // take(target, sum) for all; then the row is empty.
  template <class Take>
  void move_to(Take take) {
    for (vertex const t : targets_) take(t, std::exchange(sums_[t], 0));
    targets_.clear();
  }

 private:
  std::vector<double> sums_;
  std::vector<vertex> targets_;
};

// The own vertices in the order of their communities; those of community c at [begins[c], begins[c + 1]).
struct members {
  std::vector<std::uint64_t> begins;
  std::vector<vertex> order;  // counted from the first own one
};

members sort_by_community(moving_rows fine, std::vector<vertex> const& labels, numbering const& communities) {
  members m;
  m.begins.resize(communities.count + 2);
  m.order.resize(fine.count);
  for (vertex i = 0; i < fine.count; ++i) ++m.begins[communities.number[labels[fine.first + i]] + 2];
  std::partial_sum(m.begins.begin(), m.begins.end(), m.begins.begin());
  for (vertex i = 0; i < fine.count; ++i)
    m.order[m.begins[communities.number[labels[fine.first + i]] + std::uint64_t{1}]++] = i;
  return m;
}

// What this place's rows add to those of communities [begin, end), in their order.
entries entries_of(moving_rows fine, std::vector<double> const& loops, std::vector<vertex> const& labels,
                   numbering const& communities, members const& m, std::uint64_t begin, std::uint64_t end) {
  entries made;
  row_sum sum(communities.count);
  for (std::uint64_t c = begin; c < end; ++c) {
    auto const community = static_cast<vertex>(c);
    for (std::uint64_t k = m.begins[c]; k < m.begins[c + 1]; ++k) {
      vertex const i = m.order[k];
      if (!loops.empty()) sum.add(community, loops[i]);
      for (std::uint64_t e = fine.offsets[i]; e < fine.offsets[i + std::uint64_t{1}]; ++e)
        sum.add(communities.number[labels[fine.targets[e]]], fine.weight(e));
    }
    sum.move_to([&](vertex target, double weight) { made.push_back({community, target, weight}); });
  }
  return made;
}

// Rows from parts that are each in the order of their sources.
void add_up(coarse_graph& made, std::vector<entries> const& parts) {
  row_sum sum(made.vertices);
  std::vector<std::size_t> next(parts.size());
  made.loops.resize(made.count);
  made.offsets.reserve(made.count + std::uint64_t{1});
  for (vertex i = 0; i < made.count; ++i) {
    vertex const c = made.first + i;
    for (std::size_t p = 0; p < parts.size(); ++p)
      for (std::size_t& k = next[p]; k < parts[p].size() && parts[p][k].source == c; ++k)
        sum.add(parts[p][k].target, parts[p][k].weight);
    sum.move_to([&](vertex target, double weight) {
      if (target == c) {
        made.loops[i] = weight;
        return;
      }
      made.targets.push_back(target);
      made.weights.push_back(weight);
    });
    made.offsets.push_back(made.targets.size());
  }
}

}  // namespace

numbering::numbering(std::vector<vertex> const& labels) : number(labels.size()) {
  for (vertex const label : labels) number[label] = 1;
  for (vertex& n : number) {
    bool const used = n != 0;
    n = static_cast<vertex>(count);
    count += used;
  }
}

tess::task<coarse_graph> coarsen(moving_rows fine, std::vector<double> const& loops, std::vector<vertex> const& labels,
                                 numbering const& communities, bool alone) {
  unsigned const places = tess::places();
  coarse_graph made;
  made.vertices = communities.count;
  made.alone = alone;
  std::uint64_t const share = alone ? made.vertices : (made.vertices + places - 1) / places;
  made.block = std::max<std::uint64_t>((share + 63) / 64 * 64, 64);
  std::uint64_t const first = std::min(tess::here() * made.block, made.vertices);
  made.first = static_cast<vertex>(first);
  made.count = static_cast<vertex>(std::min(first + made.block, made.vertices) - first);

  members const m = sort_by_community(fine, labels, communities);
  std::vector<entries> to(places);
  co_await tess::forall_chunks(0, places, 1, [&](std::uint64_t p, std::uint64_t) {
    if (p * made.block < made.vertices)
      to[p] = entries_of(fine, loops, labels, communities, m, p * made.block,
                         std::min((p + 1) * made.block, made.vertices));
  });
  add_up(made, co_await tess::all_to_all(std::move(to)));
  co_return made;
}

coarse_graph coarsen_alone(moving_rows fine, std::vector<double> const& loops, std::vector<vertex> const& labels,
                           numbering const& communities) {
  coarse_graph made;
  made.vertices = communities.count;
  made.block = std::max<std::uint64_t>((made.vertices + 63) / 64 * 64, 64);
  made.count = static_cast<vertex>(made.vertices);
  made.alone = true;
  members const m = sort_by_community(fine, labels, communities);
  add_up(made, {entries_of(fine, loops, labels, communities, m, 0, made.vertices)});
  return made;
}

}  // namespace kernels
