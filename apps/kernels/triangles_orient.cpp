// triangles_orient: memory, the order of the vertices, and the turned rows.
#include <algorithm>
#include <memory>
#include <numeric>

#include "kernels/triangles_parts.hpp"

namespace kernels {

namespace {

using graph::vertex;

constexpr std::uint64_t rows_per_task = 1024;

}  // namespace

// The step, from the view of one place. A vertex's key is its degree, then its new name; edges go to the larger key.
class triangles_orient {
 public:
  explicit triangles_orient(triangles const& t)
      : t_(t), part_(t.graph_.part()), s_(*t.state_), keys_(t.keys_.local()) {}

  tess::task<void> run() {
    sort_by_degree();
    for (std::uint64_t i = 0; i < part_.count; ++i) set_key(i, part_.out.degree(s_.order[i]));
    co_await gather_keys();
    co_await turn_rows();
    // The degrees are not needed any more: from here on, keys begin with the lengths of the turned rows.
    co_await tess::barrier();
    for (std::uint64_t i = 0; i < part_.count; ++i) set_key(i, s_.row(i).size());
    t_.turned_.local()[0] = {s_.offsets_memory, s_.targets_memory, part_.count, s_.offsets[part_.count]};
    co_await gather_keys();
    s_.turned.resize(tess::places());
    tess::counter done;
    for (unsigned p = 0; p < tess::places(); ++p) tess::get(t_.turned_[p], std::span(s_.turned).subspan(p, 1), done);
    co_await done;
  }

 private:
  void set_key(std::uint64_t i, std::uint64_t length) {
    keys_[part_.first + s_.order[i]] = length << 32 | (part_.first + i);
  }

  tess::task<void> gather_keys() const {
    co_await tess::barrier();
    co_await t_.keys_.gather();
  }

  // By counting, stable.
  void sort_by_degree() {
    std::uint64_t const most = t_.graph_.degree_max();
    std::vector<std::uint64_t> begin(most + 2);
    for (std::uint64_t i = 0; i < part_.count; ++i) ++begin[most - part_.out.degree(i) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    s_.order.resize(part_.count);
    for (vertex i = 0; i < part_.count; ++i) s_.order[begin[most - part_.out.degree(i)]++] = i;
  }

  tess::task<void> turn_rows() {
    s_.offsets[0] = 0;
    co_await over_rows([this](std::uint64_t i) {
      std::uint64_t const own = key_of(s_.order[i]);
      std::uint64_t higher = 0;
      for (vertex const v : neighbours(i)) higher += keys_[v] > own;
      s_.offsets[i + 1] = higher;
    });
    std::partial_sum(s_.offsets, s_.offsets + part_.count + 1, s_.offsets);
    co_await over_rows([this](std::uint64_t i) {
      std::uint64_t const own = key_of(s_.order[i]);
      vertex* to = s_.targets + s_.offsets[i];
      for (vertex const v : neighbours(i))
        if (std::uint64_t const key = keys_[v]; key > own) *to++ = static_cast<vertex>(key);
    });
  }

  [[nodiscard]] std::uint64_t key_of(vertex own) const noexcept { return keys_[part_.first + own]; }
  [[nodiscard]] std::span<vertex const> neighbours(std::uint64_t i) const noexcept {
    // Rows by descending degree are scattered: the row a few positions ahead is prefetched.
    constexpr std::uint64_t ahead = 8;
    if (i + ahead < part_.count) __builtin_prefetch(part_.out.targets + part_.out.offsets[s_.order[i + ahead]]);
    return part_.out.neighbours(s_.order[i]);
  }

  template <class F>
  tess::task<void> over_rows(F f) {
    return tess::forall_chunks(0, part_.count, rows_per_task, [f](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i < end; ++i) f(i);
    });
  }

  triangles const& t_;
  graph::graph_part const& part_;
  triangles_state& s_;
  std::span<std::uint64_t> keys_;
};

tess::task<triangles> triangles::make(graph::distributed_graph g) {
  triangles t;
  t.graph_ = g;
  t.keys_ = co_await replicated<std::uint64_t>::make(g.vertices(), g.block());
  t.turned_ = co_await tess::global_array<turned_rows>::make(tess::places());
  t.state_ = co_await tess::place_local<triangles_state>::make();
  co_await tess::on_all_places(
      [](triangles all) {
        graph::graph_part const& part = all.graph_.part();
        triangles_state& s = *all.state_;
        s.graph = all.graph_;
        s.offsets_memory = tess::allocate<std::uint64_t>(part.count + std::uint64_t{1});
        s.targets_memory = tess::allocate<vertex>(std::max<std::uint64_t>(part.out.offsets[part.count], 1));
        s.offsets = s.offsets_memory.local();
        s.targets = s.targets_memory.local();
      },
      t);
  co_return t;
}

tess::task<void> triangles::release(triangles t) {
  co_await tess::on_all_places(
      [](triangles all) {
        triangles_state& s = *all.state_;
        tess::deallocate(s.offsets_memory);
        tess::deallocate(s.targets_memory);
      },
      t);
  co_await tess::place_local<triangles_state>::release(t.state_);
  co_await tess::global_array<turned_rows>::release(t.turned_);
  co_await replicated<std::uint64_t>::release(t.keys_);
}

tess::task<void> triangles::orient() const {
  return tess::on_all_places(
      [](triangles t) -> tess::task<void> {
        triangles_orient one(t);
        co_await one.run();
      },
      *this);
}

}  // namespace kernels
