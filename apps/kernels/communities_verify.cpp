// communities_verify: modularity by its definition, and what single changes would gain, on rows fetched to one place.
#include <algorithm>
#include <unordered_map>

#include "kernels/communities.hpp"
#include "kernels/gathered_rows.hpp"
#include "kernels/gathered_weights.hpp"

namespace kernels {

namespace {

bool well_labelled(std::vector<vertex> const& labels) {
  for (vertex v = 0; v < labels.size(); ++v)
    if (labels[v] > v || labels[labels[v]] != labels[v]) return false;
  return true;
}

std::uint64_t pair_of(vertex a, vertex b) {
  return std::uint64_t{std::min(a, b)} << 32 | std::max(a, b);
}

// The lead of the strongest label among the neighbours over the own one, as a share of the weight of all.
double lead(std::unordered_map<vertex, double> const& weights, vertex own, double strength) {
  if (weights.empty()) return 0;
  auto const mine = weights.find(own);
  double most = 0;
  for (auto const& [label, weight] : weights) most = std::max(most, weight);
  return (most - (mine == weights.end() ? 0 : mine->second)) / strength;
}

}  // namespace

tess::task<communities_check> check_communities(graph::distributed_graph g, std::vector<vertex> const& labels,
                                                double resolution, std::optional<graph::edge_weights> w) {
  gathered_rows const rows = co_await gather_rows(g);
  std::vector<double> const weights = co_await gather_weights(g, w ? &*w : nullptr);
  communities_check check;
  check.labelled = labels.size() == g.vertices() && well_labelled(labels);
  if (!check.labelled) co_return check;
  std::vector<double> inside(labels.size());
  std::vector<double> strengths(labels.size());
  std::unordered_map<std::uint64_t, double> between;  // two communities, both directions
  double all = 0;
  for (vertex v = 0; v < labels.size(); ++v) {
    std::unordered_map<vertex, double> near;
    double strength = 0;
    for (std::uint64_t e = rows.offsets[v]; e < rows.offsets[v + std::uint64_t{1}]; ++e) {
      if (weights[e] == 0) continue;
      vertex const other = labels[rows.targets[e]];
      near[other] += weights[e];
      strength += weights[e];
      if (other == labels[v])
        inside[other] += weights[e];
      else
        between[pair_of(other, labels[v])] += weights[e];
    }
    strengths[labels[v]] += strength;
    all += strength;
    check.label_lead_max = std::max(check.label_lead_max, lead(near, labels[v], strength));
  }
  if (all == 0) co_return check;
  for (vertex c = 0; c < labels.size(); ++c)
    check.modularity += inside[c] / all - resolution * (strengths[c] / all) * (strengths[c] / all);
  for (auto const& [pair, weight] : between) {
    double const expected = resolution * (strengths[pair >> 32] / all) * (strengths[pair & UINT32_MAX] / all);
    check.merge_gain_max = std::max(check.merge_gain_max, weight / all - 2 * expected);
  }
  co_return check;
}

}  // namespace kernels
