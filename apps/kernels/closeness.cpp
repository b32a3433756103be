// closeness: what is added up at each distance of the searches of a batch.
#include "kernels/closeness.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <span>
#include <utility>

#include "kernels/bfs.hpp"
#include "kernels/gather_block_array.hpp"
#include "kernels/multi_source_bfs.hpp"
#include "kernels/vertex_list.hpp"

namespace kernels {

namespace {

// The interface of multi_source_bfs, with one search after the other: for graphs of long paths, where hardly two
// searches are at the same vertex at the same distance.
class single_searches {
 public:
  using bits = std::array<std::uint64_t, 1>;
  static constexpr std::size_t sources_max = 64;

  static tess::task<single_searches> make(graph::distributed_graph g) {
    single_searches s;
    s.search_ = co_await bfs::make(g);
    co_return s;
  }
  static tess::task<void> release(single_searches s) { return bfs::release(s.search_); }

  // Along out-edges.
  template <class Visit>
  tess::task<void> run_here(std::span<vertex const> sources, search_edges, Visit& visit) const {
    for (std::size_t i = 0; i < sources.size(); ++i) {
      co_await search_.run_here_and_keep_levels({sources[i]});
      vertex const* const order = search_.order().local().data();
      std::vector<std::uint64_t> const& begins = search_.level_begins();
      for (std::uint32_t distance = 1; distance + std::size_t{1} < begins.size(); ++distance) {
        for (std::uint64_t k = begins[distance]; k < begins[distance + 1]; ++k)
          visit.found(0, order[k], bits{std::uint64_t{1} << i}, distance);
        visit.end(distance);
      }
      visit.begin();
    }
  }

  // How many levels the search from this vertex has.
  [[nodiscard]] tess::task<std::uint64_t> levels_from(vertex source) const {
    co_return (co_await search_.run(source)).levels.size();
  }

 private:
  bfs search_;
};

struct vertex_sums {
  std::uint64_t reached = 0;
  std::uint64_t distances = 0;
  double reciprocals = 0;  // a vertex adds up in the order of batches and distances
};

// Each vertex counts the sources that have reached it.
template <class Bits>
class at_vertices {
 public:
  at_vertices(vertex_sums* sums, vertex first) : sums_(sums), first_(first) {}

  void found(std::uint64_t, vertex v, Bits const& bits, std::uint32_t distance) {
    std::uint64_t count = 0;
    for (std::uint64_t const word : bits) count += static_cast<std::uint64_t>(std::popcount(word));
    vertex_sums& s = sums_[v - first_];
    s.reached += count;
    s.distances += count * distance;
    s.reciprocals += static_cast<double>(count) * reciprocal_;
  }
  void begin() { reciprocal_ = 1; }
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
template <class Bits>
class at_sources {
 public:
  explicit at_sources(source_sums* sums) : sums_(sums), counters_(tess::workers()) {}

  void found(std::uint64_t worker, vertex, Bits const& bits, std::uint32_t) {
    counter& c = counters_[worker];
    for (std::size_t k = 0; k < bits.size(); ++k)
      for (std::uint64_t carry = bits[k], i = 0; carry != 0; ++i) {
        c.used = std::max(c.used, i + 1);
        carry &= std::exchange(c.slices[i][k], c.slices[i][k] ^ carry);
      }
  }

  void begin() {}
  void end(std::uint32_t distance) {
    source_sums::fixed const reciprocal = (source_sums::fixed{1} << 80) / distance;
    for (counter& c : counters_) {
      for (unsigned s = 0; c.used != 0 && s < 64 * std::tuple_size_v<Bits>; ++s) {
        std::uint64_t count = 0;
        for (std::uint64_t i = 0; i < c.used; ++i) count |= (c.slices[i][s / 64] >> (s % 64) & 1) << i;
        if (count != 0) sums_[s].add(count, count * distance, count * reciprocal);
      }
      std::fill_n(c.slices.begin(), c.used, Bits{});
      c.used = 0;
    }
  }

 private:
  struct alignas(128) counter {
    std::array<Bits, 33> slices{};  // vertices have 32 bits
    std::uint64_t used = 0;
  };
  source_sums* sums_;
  std::vector<counter> counters_;
};

// A search at a vertex that no other is at takes a fraction of the time alone that it takes among others.
constexpr std::uint64_t levels_shared = 4;

template <class Searches, class F>
tess::task<distance_sums> with(graph::distributed_graph g, F f) {
  auto const searches = co_await Searches::make(g);
  distance_sums const made = co_await f(searches);
  co_await Searches::release(searches);
  co_return made;
}

// f(searches) with those that suit the graph and the number of sources.
template <class F>
tess::task<distance_sums> with_searches(graph::distributed_graph g, std::vector<vertex> const& sources,
                                        search_edges edges, F f) {
  if (!sources.empty() && (edges == search_edges::out || !g.directed())) {
    auto const alone = co_await single_searches::make(g);
    std::uint64_t const levels = co_await alone.levels_from(sources[0]);
    std::optional<distance_sums> made;
    if (std::min(sources.size(), multi_source_bfs<4>::sources_max) < levels * levels_shared) made = co_await f(alone);
    co_await single_searches::release(alone);
    if (made) co_return *made;
  }
  if (sources.size() <= multi_source_bfs<1>::sources_max) co_return co_await with<multi_source_bfs<1>>(g, f);
  co_return co_await with<multi_source_bfs<4>>(g, f);
}

// Batch after batch, as one task of every place.
template <class Searches, class MakeVisit>
tess::task<void> run_batches(Searches searches, vertex_list list, search_edges edges, MakeVisit make_visit) {
  std::vector<vertex> const all = co_await list.read();
  for (std::uint64_t begin = 0; begin < all.size(); begin += searches.sources_max) {
    auto visit = make_visit(begin);
    co_await searches.run_here(std::span(all).subspan(begin, std::min(searches.sources_max, all.size() - begin)), edges,
                               visit);
  }
}

template <class Searches>
tess::task<distance_sums> add_up_at_vertices(graph::distributed_graph g, Searches searches,
                                             std::vector<vertex> const& sources) {
  auto const sums = co_await tess::global_array<vertex_sums>::make(g.block() * tess::places());
  vertex_list const list(sources);
  co_await tess::on_all_places(
      [](graph::distributed_graph all, Searches by, tess::global_array<vertex_sums> into, vertex_list from) {
        return run_batches(by, from, search_edges::out, [=](std::uint64_t) {
          return at_vertices<typename Searches::bits>(into.local().data(), all.part().first);
        });
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

template <class Searches>
tess::task<distance_sums> add_up_at_sources(Searches searches, std::vector<vertex> const& targets) {
  std::uint64_t const count = targets.size();
  std::uint64_t const room = (count + Searches::sources_max - 1) / Searches::sources_max * Searches::sources_max;
  auto const sums = co_await tess::global_array<source_sums>::make(std::max<std::uint64_t>(room, 1) * tess::places());
  vertex_list const list(targets);
  co_await tess::on_all_places(
      [](Searches by, tess::global_array<source_sums> into, vertex_list from) {
        return run_batches(by, from, search_edges::in, [=](std::uint64_t begin) {
          return at_sources<typename Searches::bits>(into.local().data() + begin);
        });
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
  co_return co_await with_searches(g, sources, search_edges::out,
                                   [&](auto searches) { return add_up_at_vertices(g, searches, sources); });
}

tess::task<distance_sums> sums_to(graph::distributed_graph g, std::vector<vertex> targets) {
  co_return co_await with_searches(g, targets, search_edges::in,
                                   [&](auto searches) { return add_up_at_sources(searches, targets); });
}

}  // namespace kernels
