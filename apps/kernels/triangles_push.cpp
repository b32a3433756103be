// triangles_push: the form `messages`: rows are sent to the owners of their out-neighbours, which count.
#include <algorithm>

#include "distributed/packet.hpp"
#include "kernels/triangles_parts.hpp"

namespace kernels {

namespace {

using graph::vertex;

// Some targets at one place, and some marks to look up in their rows: {targets, marks, the targets, the marks}.
constexpr std::uint32_t targets_max = 96;
constexpr std::uint32_t marks_max = 368;
using row_packet = graph::packet<vertex>;
static_assert(2 + targets_max + marks_max <= row_packet::capacity);

// The sending side at one place, and what arrives there.
class triangles_push {
 public:
  explicit triangles_push(tess::place_local<triangles_state> everywhere)
      : everywhere_(everywhere), s_(*everywhere), graph_(s_.graph) {}

  tess::task<void> run() {
    s_.next = 0;
    co_await tess::forall_chunks(0, tess::workers(), 1, [&](std::uint64_t, std::uint64_t) { return send_rows(); });
  }

  void arrive(row_packet const& p) const {
    graph::graph_part const& part = graph_.part();
    std::uint64_t found = 0;
    auto marks = s_.take_marks(part.vertices);
    for (std::span<vertex const> rest = p.view(); !rest.empty();) {
      std::span<vertex const> const targets = rest.subspan(2, rest[0]);
      std::span<vertex const> const marked = rest.subspan(2 + rest[0], rest[1]);
      marks->set(marked);
      for (vertex const v : targets) found += marks->count(s_.row(v - part.first));
      marks->clear(marked);
      rest = rest.subspan(2 + targets.size() + marked.size());
    }
    s_.give_marks(std::move(marks));
    s_.found.fetch_add(found, std::memory_order_relaxed);
  }

 private:
  tess::task<void> send_rows() {
    std::vector<row_packet> open(tess::places());
    std::uint64_t const rows = s_.order.size();
    for (;;) {
      std::uint64_t const begin = s_.next.fetch_add(rows_per_chunk, std::memory_order_relaxed);
      if (begin >= rows) break;
      for (std::uint64_t i = begin; i < std::min(begin + rows_per_chunk, rows); ++i) send_row(s_.row(i), open);
      co_await tess::yield();
    }
    for (unsigned p = 0; p < open.size(); ++p) leave(static_cast<tess::place_id>(p), open[p]);
  }

  // Names of one place stand together, as neighbours were in order of their numbers.
  void send_row(std::span<vertex const> row, std::vector<row_packet>& open) const {
    if (row.size() < 2) return;
    for (std::span<vertex const> rest = row; !rest.empty();) {
      tess::place_id const place = graph_.owner(rest[0]);
      std::uint64_t const end = graph_.end_at(place);
      std::size_t n = 1;
      while (n < rest.size() && n < targets_max && rest[n] < end && graph_.owner(rest[n]) == place) ++n;
      for (std::size_t k = 0; k < row.size(); k += marks_max)
        add(place, rest.first(n), row.subspan(k, std::min<std::size_t>(marks_max, row.size() - k)), open[place]);
      rest = rest.subspan(n);
    }
  }

  void add(tess::place_id place, std::span<vertex const> targets, std::span<vertex const> marked,
           row_packet& to) const {
    if (to.count + 2 + targets.size() + marked.size() > row_packet::capacity) leave(place, to);
    vertex* next = to.items + to.count;
    *next++ = static_cast<vertex>(targets.size());
    *next++ = static_cast<vertex>(marked.size());
    next = std::ranges::copy(targets, next).out;
    next = std::ranges::copy(marked, next).out;
    to.count = static_cast<std::uint32_t>(next - to.items);
  }

  void leave(tess::place_id place, row_packet& p) const {
    if (p.count == 0) return;
    tess::at_async(
        place,
        [](tess::place_local<triangles_state> there, row_packet const& rows) { triangles_push(there).arrive(rows); },
        everywhere_, p);
    p.count = 0;
  }

  tess::place_local<triangles_state> everywhere_;
  triangles_state& s_;
  graph::distributed_graph const& graph_;
};

}  // namespace

tess::task<void> push_rows(tess::place_local<triangles_state> everywhere) {
  triangles_push one(everywhere);
  co_await one.run();
}

}  // namespace kernels
