// random_walks_verify: every step of a walk is an edge, on rows fetched to one place.
#include <algorithm>

#include "kernels/gathered_rows.hpp"
#include "kernels/gathered_weights.hpp"
#include "kernels/random_walks.hpp"

namespace kernels {

tess::task<std::string> check_walks(graph::distributed_graph g, std::optional<graph::edge_weights> weights,
                                    std::vector<vertex> const& starts, std::uint64_t length,
                                    std::vector<vertex> const& walks) {
  gathered_rows const rows = co_await gather_rows(g);
  std::vector<double> const weight = co_await gather_weights(g, weights ? &*weights : nullptr);
  if (walks.size() != starts.size() * (length + 1)) co_return "not as many steps as were asked for";
  for (std::uint64_t k = 0; k < starts.size(); ++k) {
    vertex const* const walk = walks.data() + k * (length + 1);
    if (walk[0] != starts[k]) co_return "walk " + std::to_string(k) + " begins elsewhere";
    for (std::uint64_t step = 0; step < length; ++step) {
      std::string const where = "step " + std::to_string(step + 1) + " of walk " + std::to_string(k);
      if (walk[step] == no_step) {
        if (walk[step + 1] != no_step) co_return where + " is behind the end";
        continue;
      }
      auto const row = rows.neighbours(walk[step]);
      double const* const of = weight.data() + rows.offsets[walk[step]];
      auto const at = static_cast<std::size_t>(std::ranges::lower_bound(row, walk[step + 1]) - row.begin());
      if (walk[step + 1] == no_step) {
        if (std::any_of(of, of + row.size(), [](double w) { return w > 0; })) co_return where + " is missing";
      } else if (at == row.size() || row[at] != walk[step + 1] || !(of[at] > 0)) {
        co_return where + " is no edge";
      }
    }
  }
  co_return std::string();
}

}  // namespace kernels
