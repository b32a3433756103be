// adopt: the rows of a graph in the memory of place 0's process, cut into the places' blocks.
#include <algorithm>
#include <exception>
#include <span>

#include "distributed/distributed_graph.hpp"

namespace graph {

namespace {

using part_everywhere = tess::place_local<graph_part>;

struct row_addresses {
  tess::global_ptr<std::uint64_t> offsets;
  tess::global_ptr<vertex> targets;
};

row_addresses allocate_rows(std::uint64_t count, std::uint64_t entries, bool targets_too) {
  row_addresses made{tess::allocate<std::uint64_t>(count + 1), {}};
  if (targets_too) made.targets = tess::allocate<vertex>(std::max<std::uint64_t>(entries, 1));
  return made;
}

// One place's block of `from`, as the rows `kind` (0 out, 1 in) of its part; copies are under way until `done`.
tess::task<void> hand_block(part_everywhere part, csr_rows const& from, distributed_graph const& g,
                            tess::place_id place, unsigned kind, adoption how, tess::counter& done) {
  std::uint64_t const first = g.begin_at(place), count = g.end_at(place) - first;
  std::uint64_t const begin = from.offsets[first], entries = from.offsets[first + count] - begin;
  bool const copies = how == adoption::copy;
  // What is borrowed lies in the memory of the one process.
  std::uint64_t const at = copies ? 0 : reinterpret_cast<std::uint64_t>(from.targets.data() + begin);
  row_addresses const to = co_await tess::at(
      place,
      tess::unchecked([at](part_everywhere of, std::uint64_t rows_count, std::uint64_t all, unsigned k, bool copied) {
        row_addresses const made = allocate_rows(rows_count, all, copied);
        of->borrowed = !copied;
        rows& into = k == 0 ? of->out : of->in;
        into.offsets = made.offsets.local();
        into.targets = copied ? made.targets.local() : reinterpret_cast<vertex const*>(at);
        return made;
      }),
      part, count, entries, kind, copies);
  tess::put(from.offsets.subspan(first, count + 1), to.offsets, done);
  if (copies && entries != 0) tess::put(from.targets.subspan(begin, entries), to.targets, done);
}

// Offsets of a block count from its own first entry.
void begin_at_zero(rows const& of, std::uint64_t count) {
  auto* const offsets = const_cast<std::uint64_t*>(of.offsets);
  std::uint64_t const first = offsets[0];
  for (std::uint64_t i = 0; first != 0 && i <= count; ++i) offsets[i] -= first;
}

struct describe_part {
  void operator()(part_everywhere part, distributed_graph g, bool two_kinds) const {
    part->first = static_cast<vertex>(g.begin_at(tess::here()));
    part->count = static_cast<vertex>(g.end_at(tess::here()) - g.begin_at(tess::here()));
    part->vertices = g.vertices();
    part->edges = g.edges();
    begin_at_zero(part->out, part->count);
    if (two_kinds) begin_at_zero(part->in, part->count);
    if (!g.directed()) part->in = part->out;
  }
};

}  // namespace

tess::task<distributed_graph> distributed_graph::adopt(csr const& whole, row_kinds kinds, adoption how) {
  if (whole.directed && kinds == row_kinds::symmetric)
    throw tess::error("distributed_graph::adopt", "the rows have directions", "those of without_directions()");
  bool const two_kinds = whole.directed && kinds == row_kinds::out_and_in;
  if (two_kinds && whole.in.offsets.empty())
    throw tess::error("distributed_graph::adopt", "there are no rows of in-edges", "transpose() before it");
  distributed_graph g;
  g.part_ = co_await part_everywhere::make();
  g.lay_out(whole.vertices());
  g.edges_ = whole.out.entries();
  g.directed_ = whole.directed;
  for (std::uint64_t v = 0; v < whole.vertices(); ++v)
    g.degree_max_ = std::max(g.degree_max_, static_cast<vertex>(whole.out.offsets[v + 1] - whole.out.offsets[v]));
  std::exception_ptr failed;
  tess::counter done;
  try {
    for (unsigned p = 0; p < tess::places(); ++p) {
      auto const place = static_cast<tess::place_id>(p);
      co_await hand_block(g.part_, whole.out, g, place, 0, how, done);
      if (two_kinds) co_await hand_block(g.part_, whole.in, g, place, 1, how, done);
    }
  } catch (...) {
    failed = std::current_exception();
  }
  co_await done;
  if (failed) {
    co_await release(g);
    std::rethrow_exception(failed);
  }
  co_await tess::on_all_places(describe_part{}, g.part_, g, two_kinds);
  co_return g;
}

}  // namespace graph
