// triangles_flat: counting where no vertex has many neighbours: rows are merged as they are, without an order.
#include <algorithm>
#include <limits>
#include <vector>

#include "kernels/triangles_parts.hpp"

namespace kernels {

namespace {

using graph::vertex;
using row = std::span<vertex const>;

// Rows of another place, from the smallest to the largest vertex that own rows refer to.
struct rows_there {
  vertex first = std::numeric_limits<vertex>::max();
  vertex last = 0;
  std::vector<std::uint64_t> offsets_copy;
  std::vector<vertex> targets_copy;
  std::uint64_t const* offsets = nullptr;  // of `first`
  vertex const* targets = nullptr;         // at offsets[0]

  [[nodiscard]] bool wanted() const noexcept { return first <= last; }
  void want(vertex v) noexcept {
    first = std::min(first, v);
    last = std::max(last, v);
  }
  [[nodiscard]] row neighbours(vertex v) const noexcept {
    std::uint64_t const* const at = offsets + (v - first);
    return {targets + (at[0] - offsets[0]), targets + (at[1] - offsets[0])};
  }
};

// A place's rows for the others: global addresses, or numbers of those in the one process that all places share.
struct row_addresses {
  tess::global_ptr<std::uint64_t> offsets;
  tess::global_ptr<vertex> targets;
  std::uint64_t borrowed_offsets = 0;
  std::uint64_t borrowed_targets = 0;
};

// The number of those in `a` that are in `b` and below `end`; `a` is short.
std::uint64_t common_below(row a, row b, vertex end) noexcept {
  std::uint64_t found = 0;
  std::size_t i = 0;
  for (vertex const w : b) {
    if (w >= end) break;
    while (i < a.size() && a[i] < w) ++i;
    if (i == a.size()) break;
    found += a[i] == w;
  }
  return found;
}

}  // namespace

// One run, from the view of one place. A triangle w < v < u is found at the owner of u.
class triangles_flat {
  static constexpr std::uint64_t rows_per_task = 4096;

 public:
  explicit triangles_flat(graph::distributed_graph const& g) : g_(g), part_(g.part()) {}

  tess::task<std::uint64_t> run() {
    if (tess::here() != 0) co_await fetch();
    std::atomic<std::uint64_t> found{0};
    co_await tess::forall_chunks(0, part_.count, rows_per_task, [&](std::uint64_t begin, std::uint64_t end) {
      std::uint64_t here = 0;
      for (std::uint64_t i = begin; i < end; ++i) here += of_row(i);
      found.fetch_add(here, std::memory_order_relaxed);
    });
    co_return found;
  }

 private:
  // The own row's vertices below its own.
  [[nodiscard]] row smaller(std::uint64_t i) const noexcept {
    row const all = part_.out.neighbours(i);
    vertex const own = part_.first + static_cast<vertex>(i);
    std::size_t n = 0;
    while (n < all.size() && all[n] < own) ++n;
    return all.first(n);
  }

  [[nodiscard]] std::uint64_t of_row(std::uint64_t i) const noexcept {
    row const below = smaller(i);
    std::uint64_t found = 0;
    for (std::size_t k = 1; k < below.size(); ++k)
      found += common_below(below.first(k), neighbours(below[k]), below[k]);
    return found;
  }

  [[nodiscard]] row neighbours(vertex v) const noexcept {
    if (v >= part_.first) [[likely]]
      return part_.out.neighbours(v - part_.first);
    return there_[g_.owner(v)].neighbours(v);
  }

  // The rows of other places: their vertices are smaller, so they belong to earlier places.
  tess::task<void> fetch() {
    there_.resize(tess::here());
    for (std::uint64_t i = 0; i < part_.count; ++i) {
      row const below = smaller(i);
      for (std::size_t k = 1; k < below.size() && below[k] < part_.first; ++k)
        there_[g_.owner(below[k])].want(below[k]);
    }
    for (std::size_t p = 0; p < there_.size(); ++p)
      if (there_[p].wanted()) co_await fetch_from(static_cast<tess::place_id>(p), there_[p]);
  }

  tess::task<void> fetch_from(tess::place_id p, rows_there& to) const {
    row_addresses const from = co_await tess::at(
        p,
        [](graph::distributed_graph g) {
          graph::graph_part const& part = g.part();
          row_addresses a;
          if (part.borrowed) {
            a.borrowed_offsets = reinterpret_cast<std::uint64_t>(part.out.offsets);
            a.borrowed_targets = reinterpret_cast<std::uint64_t>(part.out.targets);
          } else {
            a.offsets = tess::to_global(const_cast<std::uint64_t*>(part.out.offsets));
            a.targets = tess::to_global(const_cast<vertex*>(part.out.targets));
          }
          return a;
        },
        g_);
    std::uint64_t const skipped = to.first - g_.begin_at(p);
    if (from.borrowed_offsets != 0) {
      to.offsets = reinterpret_cast<std::uint64_t const*>(from.borrowed_offsets) + skipped;
      to.targets = reinterpret_cast<vertex const*>(from.borrowed_targets) + to.offsets[0];
      co_return;
    }
    to.offsets_copy.resize(to.last - to.first + std::size_t{2});
    co_await tess::get(from.offsets + static_cast<std::ptrdiff_t>(skipped), std::span(to.offsets_copy));
    to.offsets = to.offsets_copy.data();
    to.targets_copy.resize(to.offsets_copy.back() - to.offsets_copy.front());
    to.targets = to.targets_copy.data();
    if (!to.targets_copy.empty())
      co_await tess::get(from.targets + static_cast<std::ptrdiff_t>(to.offsets[0]), std::span(to.targets_copy));
  }

  graph::distributed_graph const& g_;
  graph::graph_part const& part_;
  std::vector<rows_there> there_;  // by place
};

tess::task<std::uint64_t> count_flat(graph::distributed_graph g) {
  triangles_flat one(g);
  co_return co_await one.run();
}

}  // namespace kernels
