// closeness: what is added up at each distance of the searches of a batch.
#include "kernels/closeness.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "kernels/gather_block_array.hpp"
#include "kernels/multi_source_bfs.hpp"
#include "kernels/vertex_list.hpp"

namespace kernels {

namespace {

template <unsigned Words>
using bits_of = typename multi_source_bfs<Words>::bits;

struct vertex_sums {
  std::uint64_t reached = 0;
  std::uint64_t distances = 0;
  double reciprocals = 0;  // a vertex adds up in the order of batches and distances
};

// Each vertex counts the sources that have reached it.
template <unsigned Words>
class at_vertices {
 public:
  at_vertices(vertex_sums* sums, vertex first) : sums_(sums), first_(first) {}

  void found(std::uint64_t, vertex v, bits_of<Words> const& bits, std::uint32_t distance) {
    std::uint64_t count = 0;
    for (std::uint64_t const word : bits) count += static_cast<std::uint64_t>(std::popcount(word));
    vertex_sums& s = sums_[v - first_];
    s.reached += count;
    s.distances += count * distance;
    s.reciprocals += static_cast<double>(count) * reciprocal_;
  }
  void end(std::uint32_t distance) { reciprocal_ = 1.0 / (distance + 1.0); }

 private:
  vertex_sums* sums_;
  vertex first_;
  double reciprocal_ = 1;  // of the present distance
};

// What a place has found for one source. Reciprocals in units of 2^-80, whose sum has no order.
struct source_sums {
  std::uint64_t reached = 0;
  std::uint64_t distances = 0;
  std::uint64_t reciprocals_low = 0;
  std::uint64_t reciprocals_high = 0;

  using fixed = unsigned __int128;
  [[nodiscard]] fixed reciprocals() const { return fixed{reciprocals_high} << 64 | reciprocals_low; }
  void add(std::uint64_t more_reached, std::uint64_t more_distances, fixed more_reciprocals) {
    reached += more_reached;
    distances += more_distances;
    fixed const sum = reciprocals() + more_reciprocals;
    reciprocals_low = static_cast<std::uint64_t>(sum);
    reciprocals_high = static_cast<std::uint64_t>(sum >> 64);
  }
};

// Counts for each source the vertices that it reaches: bit s of slice i is bit i of the count of source s.
template <unsigned Words>
class at_sources {
 public:
  explicit at_sources(source_sums* sums) : sums_(sums), counters_(tess::workers()) {}

  void found(std::uint64_t worker, vertex, bits_of<Words> const& bits, std::uint32_t) {
    counter& c = counters_[worker];
    for (unsigned k = 0; k < Words; ++k)
      for (std::uint64_t carry = bits[k], i = 0; carry != 0; ++i) {
        c.used = std::max(c.used, i + 1);
        carry &= std::exchange(c.slices[i][k], c.slices[i][k] ^ carry);
      }
  }

  void end(std::uint32_t distance) {
    source_sums::fixed const reciprocal = (source_sums::fixed{1} << 80) / distance;
    for (counter& c : counters_) {
      for (unsigned s = 0; c.used != 0 && s < 64 * Words; ++s) {
        std::uint64_t count = 0;
        for (std::uint64_t i = 0; i < c.used; ++i) count |= (c.slices[i][s / 64] >> (s % 64) & 1) << i;
        if (count != 0) sums_[s].add(count, count * distance, count * reciprocal);
      }
      std::fill_n(c.slices.begin(), c.used, bits_of<Words>{});
      c.used = 0;
    }
  }

 private:
  struct alignas(128) counter {
    std::array<bits_of<Words>, 33> slices{};  // vertices have 32 bits
    std::uint64_t used = 0;
  };
  source_sums* sums_;
  std::vector<counter> counters_;
};

// f(searches) with searches for as many sources as there are, at most.
template <class F>
auto with_searches(graph::distributed_graph g, std::uint64_t sources, F f) -> tess::task<distance_sums> {
  if (sources <= multi_source_bfs<1>::sources_max) {
    auto const few = co_await multi_source_bfs<1>::make(g);
    distance_sums const made = co_await f(few);
    co_await multi_source_bfs<1>::release(few);
    co_return made;
  }
  auto const many = co_await multi_source_bfs<4>::make(g);
  distance_sums const made = co_await f(many);
  co_await multi_source_bfs<4>::release(many);
  co_return made;
}

// Batch after batch, as one task of every place.
template <unsigned Words, class MakeVisit>
tess::task<void> run_batches(multi_source_bfs<Words> searches, vertex_list list, search_edges edges,
                             MakeVisit make_visit) {
  std::vector<vertex> const all = co_await list.read();
  for (std::uint64_t begin = 0; begin < all.size(); begin += searches.sources_max) {
    auto visit = make_visit(begin);
    co_await searches.run_here(std::span(all).subspan(begin, std::min(searches.sources_max, all.size() - begin)), edges,
                               visit);
  }
}

template <unsigned Words>
tess::task<distance_sums> add_up_at_vertices(graph::distributed_graph g, multi_source_bfs<Words> searches,
                                             std::vector<vertex> const& sources) {
  auto const sums = co_await tess::global_array<vertex_sums>::make(g.block() * tess::places());
  vertex_list const list(sources);
  co_await tess::on_all_places(
      [](graph::distributed_graph all, multi_source_bfs<Words> by, tess::global_array<vertex_sums> into,
         vertex_list from) {
        return run_batches(by, from, search_edges::out,
                           [=](std::uint64_t) { return at_vertices<Words>(into.local().data(), all.part().first); });
      },
      g, searches, sums, list);
  vertex_list::release(list);
  distance_sums made;
  for (vertex_sums const& s : co_await gather_block_array(g, sums)) {
    made.reached.push_back(s.reached);
    made.distances.push_back(static_cast<double>(s.distances));
    made.reciprocals.push_back(s.reciprocals);
  }
  co_await tess::global_array<vertex_sums>::release(sums);
  co_return made;
}

template <unsigned Words>
tess::task<distance_sums> add_up_at_sources(multi_source_bfs<Words> searches, std::vector<vertex> const& targets) {
  std::uint64_t const count = targets.size();
  std::uint64_t const room = (count + 64 * Words - 1) / (64 * Words) * (64 * Words);
  auto const sums = co_await tess::global_array<source_sums>::make(std::max<std::uint64_t>(room, 1) * tess::places());
  vertex_list const list(targets);
  co_await tess::on_all_places(
      [](multi_source_bfs<Words> by, tess::global_array<source_sums> into, vertex_list from) {
        return run_batches(by, from, search_edges::in,
                           [=](std::uint64_t begin) { return at_sources<Words>(into.local().data() + begin); });
      },
      searches, sums, list);
  vertex_list::release(list);
  std::vector<source_sums> total(count), more(count);
  for (unsigned p = 0; p < tess::places() && count != 0; ++p) {
    co_await tess::get(sums[p * sums.block()], std::span(more));
    for (std::uint64_t i = 0; i < count; ++i) total[i].add(more[i].reached, more[i].distances, more[i].reciprocals());
  }
  co_await tess::global_array<source_sums>::release(sums);
  distance_sums made;
  for (source_sums const& s : total) {
    made.reached.push_back(s.reached);
    made.distances.push_back(static_cast<double>(s.distances));
    made.reciprocals.push_back(static_cast<double>(s.reciprocals()) * 0x1p-80);
  }
  co_return made;
}

}  // namespace

tess::task<distance_sums> sums_from(graph::distributed_graph g, std::vector<vertex> sources) {
  return with_searches(g, sources.size(),
                       [g, from = std::move(sources)](auto searches) { return add_up_at_vertices(g, searches, from); });
}

tess::task<distance_sums> sums_to(graph::distributed_graph g, std::vector<vertex> targets) {
  return with_searches(g, targets.size(),
                       [to = std::move(targets)](auto searches) { return add_up_at_sources(searches, to); });
}

}  // namespace kernels
