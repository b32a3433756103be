// similarity: pairs go to their counters, short rows follow, and counts come back.
#include "kernels/similarity.hpp"

#include <algorithm>
#include <atomic>
#include <span>
#include <utility>

#include "kernels/degrees.hpp"
#include "kernels/outboxes.hpp"

namespace kernels {

namespace {

using row = std::span<vertex const>;

// A pair at the owner of its longer row.
struct pair_to_count {
  std::uint64_t index;
  vertex longer;
  vertex shorter;
};
struct counted_pair {
  std::uint64_t index;
  std::uint64_t common;
};
// A pair by its index at its counter, and its shorter row.
struct pair_and_row {
  std::uint64_t k;
  row shorter;
};
struct row_request {
  vertex of;
  std::uint32_t place;
};

constexpr std::uint64_t entries_sent_max = std::uint64_t{1} << 20;  // of a place in one exchange, beyond one row
constexpr std::uint64_t pairs_of_a_task = 512;
// Marking and unmarking a row takes about as long as so many binary searches in it for each of its entries.
constexpr std::size_t search_pays = 16;

bool has(row sorted, vertex v) {
  return std::ranges::binary_search(sorted, v);
}

std::uint64_t common(row longer, row shorter) {
  std::uint64_t found = 0;
  for (vertex const v : shorter) {
    auto const at = std::ranges::lower_bound(longer, v);
    longer = longer.subspan(static_cast<std::size_t>(at - longer.begin()));
    found += !longer.empty() && longer.front() == v ? 1 : 0;
  }
  return found;
}

// A bit for each vertex of the graph: those of one row are set.
class row_marks {
 public:
  explicit row_marks(std::uint64_t vertices) : words_(vertices / 64 + 1) {}

  void set(row of) {
    for (vertex const v : of) words_[v / 64] |= std::uint64_t{1} << v % 64;
  }
  void clear(row of) {
    for (vertex const v : of) words_[v / 64] = 0;
  }
  [[nodiscard]] std::uint64_t count(row of) const {
    std::uint64_t found = 0;
    for (vertex const v : of) found += words_[v / 64] >> v % 64 & 1;
    return found;
  }

 private:
  std::vector<std::uint64_t> words_;
};

struct boxes {
  outboxes<pair_to_count> pairs;
  outboxes<row_request> requests;
  outboxes<vertex> rows;  // a row is its vertex, its length, and its targets
  outboxes<counted_pair> counts;
};

// Place 0 has these.
struct job {
  std::span<vertex_pair const> pairs;
  std::span<vertex const> degrees;
  std::span<std::uint32_t> found;
};

// The view of one place.
class pair_counting {
 public:
  pair_counting(graph::distributed_graph g, boxes const& by, job const& of)
      : g_(g), part_(g.part()), by_(by), of_(of) {}

  tess::task<void> run() {
    co_await hand_out();
    common_.resize(mine_.size());
    if (tess::places() > 1) std::ranges::sort(mine_, {}, &pair_to_count::shorter);
    std::vector<pair_and_row> own;
    for (std::uint64_t k = 0; k < mine_.size(); ++k)
      if (part_.owns(mine_[k].shorter)) own.push_back({k, own_row(mine_[k].shorter)});
    co_await count(std::move(own));
    if (tess::places() > 1) {
      ask_for_rows();
      co_await answer((co_await by_.requests.swap()).messages);
    }
    co_await hand_back();
  }

 private:
  [[nodiscard]] row own_row(vertex v) const { return part_.out.neighbours(v - part_.first); }

  // Pairs that have the longer row in common are counted together.
  tess::task<void> count(std::vector<pair_and_row> pairs) {
    if (pairs.empty()) co_return;
    std::ranges::sort(pairs, {}, [this](pair_and_row const& p) { return mine_[p.k].longer; });
    std::atomic<std::uint64_t> next{0};
    co_await tess::forall_chunks(0, tess::workers(), 1, [&](std::uint64_t, std::uint64_t) {
      row_marks marks(part_.vertices);
      for (;;) {
        std::uint64_t const begin = next.fetch_add(pairs_of_a_task, std::memory_order_relaxed);
        if (begin >= pairs.size()) return;
        std::uint64_t const size = std::min<std::uint64_t>(pairs_of_a_task, pairs.size() - begin);
        count_some(std::span<pair_and_row const>(pairs).subspan(begin, size), marks);
      }
    });
  }

  void count_some(std::span<pair_and_row const> pairs, row_marks& marks) {
    while (!pairs.empty()) {
      vertex const u = mine_[pairs.front().k].longer;
      std::size_t same = 0;
      std::size_t entries = 0;
      for (; same < pairs.size() && mine_[pairs[same].k].longer == u; ++same) entries += pairs[same].shorter.size();
      row const longer = own_row(u);
      bool const loop = has(longer, u);
      bool const marked = entries * search_pays >= longer.size();
      if (marked) marks.set(longer);
      for (auto const& [k, shorter] : pairs.first(same)) {
        std::uint64_t const found = marked ? marks.count(shorter) : common(longer, shorter);
        // An end is in both rows by a self-loop only, which does not count.
        vertex const v = mine_[k].shorter;
        bool const u_in_both = loop && has(shorter, u);
        bool const v_in_both = u != v && found != 0 && has(shorter, v) && has(longer, v);
        common_[k] = found - (u_in_both ? 1 : 0) - (v_in_both ? 1 : 0);
      }
      if (marked) marks.clear(longer);
      pairs = pairs.subspan(same);
    }
  }

  tess::task<void> hand_out() {
    auto& open = by_.pairs.of_worker(0);
    for (std::uint64_t i = 0; i < of_.pairs.size(); ++i) {
      auto [longer, shorter] = of_.pairs[i];
      if (of_.degrees[longer] < of_.degrees[shorter]) std::swap(longer, shorter);
      open[g_.owner(longer)].push_back({i, longer, shorter});
    }
    auto const got = (co_await by_.pairs.swap()).messages;
    mine_.assign(got.begin(), got.end());
  }

  void ask_for_rows() {
    auto& open = by_.requests.of_worker(0);
    for (std::uint64_t k = 0; k < mine_.size(); ++k) {
      vertex const v = mine_[k].shorter;
      if (!part_.owns(v) && (k == 0 || v != mine_[k - 1].shorter)) open[g_.owner(v)].push_back({v, tess::here()});
    }
  }

  // Sends the rows asked for, and counts with those that come, until no place has any left.
  tess::task<void> answer(std::span<row_request const> asked) {
    std::vector<row_request> const requests(asked.begin(), asked.end());
    auto& open = by_.rows.of_worker(0);
    for (std::uint64_t next = 0;;) {
      std::uint64_t const before = next;
      for (std::uint64_t sent = 0; next < requests.size() && sent < entries_sent_max; ++next) {
        row const targets = own_row(requests[next].of);
        auto& to = open[requests[next].place];
        to.push_back(requests[next].of);
        to.push_back(static_cast<vertex>(targets.size()));
        to.insert(to.end(), targets.begin(), targets.end());
        sent += targets.size() + 2;
      }
      delivery<vertex> const got = co_await by_.rows.swap(next - before);
      if (got.total == 0) co_return;
      co_await count_with(got.messages);
    }
  }

  tess::task<void> count_with(row stream) {
    std::vector<pair_and_row> arrived;
    while (!stream.empty()) {
      vertex const of = stream[0];
      row const targets = stream.subspan(2, stream[1]);
      stream = stream.subspan(2 + targets.size());
      auto const range = std::ranges::equal_range(mine_, of, {}, &pair_to_count::shorter);
      for (auto p = range.begin(); p != range.end(); ++p)
        arrived.push_back({static_cast<std::uint64_t>(p - mine_.begin()), targets});
    }
    return count(std::move(arrived));
  }

  tess::task<void> hand_back() {
    auto& to_root = by_.counts.of_worker(0)[0];
    for (std::uint64_t k = 0; k < mine_.size(); ++k) to_root.push_back({mine_[k].index, common_[k]});
    for (counted_pair const& c : (co_await by_.counts.swap()).messages)
      of_.found[c.index] = static_cast<std::uint32_t>(c.common);
  }

  graph::distributed_graph g_;
  graph::graph_part const& part_;
  boxes const& by_;
  job const& of_;
  std::vector<pair_to_count> mine_;  // by the shorter row
  std::vector<std::uint64_t> common_;
};

tess::task<std::vector<std::uint32_t>> count_pairs(graph::distributed_graph g, std::vector<vertex_pair> const& pairs,
                                                   std::vector<vertex> const& degrees) {
  std::vector<std::uint32_t> found(pairs.size());
  boxes const by{co_await outboxes<pair_to_count>::make(), co_await outboxes<row_request>::make(),
                 co_await outboxes<vertex>::make(), co_await outboxes<counted_pair>::make()};
  auto const of = co_await tess::place_local<job>::make();
  *of = {pairs, degrees, found};
  co_await tess::on_all_places(
      [](graph::distributed_graph all, boxes b, tess::place_local<job> what) -> tess::task<void> {
        pair_counting one(all, b, *what);
        co_await one.run();
      },
      g, by, of);
  co_await tess::place_local<job>::release(of);
  co_await outboxes<counted_pair>::release(by.counts);
  co_await outboxes<vertex>::release(by.rows);
  co_await outboxes<row_request>::release(by.requests);
  co_await outboxes<pair_to_count>::release(by.pairs);
  co_return found;
}

}  // namespace

tess::task<std::vector<std::uint32_t>> common_neighbours(graph::distributed_graph g,
                                                         std::vector<vertex_pair> const& pairs) {
  std::vector<vertex> const degrees = co_await gather_degrees(g);
  co_return co_await count_pairs(g, pairs, degrees);
}

tess::task<std::vector<double>> similarities(graph::distributed_graph g, std::vector<vertex_pair> const& pairs,
                                             similarity_measure measure) {
  std::vector<vertex> const degrees = co_await gather_degrees(g);
  std::vector<std::uint32_t> const found = co_await count_pairs(g, pairs, degrees);
  std::vector<double> made(pairs.size());
  for (std::uint64_t i = 0; i < pairs.size(); ++i) {
    auto const [a, b] = std::pair<std::uint64_t, std::uint64_t>(degrees[pairs[i].a], degrees[pairs[i].b]);
    // A pair of the same vertex twice has its neighbours.
    std::uint64_t const of = measure == similarity_measure::overlap ? std::min(a, b) : a + b - found[i];
    if (of != 0) made[i] = static_cast<double>(found[i]) / static_cast<double>(of);
  }
  co_return made;
}

}  // namespace kernels
