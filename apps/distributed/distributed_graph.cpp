// distributed_graph: the order of loading: describe, count, allocate, fill, clean up; each step ends everywhere before
// the next, so that an error of one place leaves no place waiting in a barrier.
#include "distributed/distributed_graph.hpp"

#include <unistd.h>

#include <exception>
#include <string>

#include "distributed/loading.hpp"
#include "graph/edge_reader.hpp"
#include "graph/error.hpp"

namespace graph {

namespace {

constexpr std::uint64_t block_unit = 64;  // vertices: whole words of bitmaps

}  // namespace

class graph_loader {
 public:
  graph_loader(graph_input const& input, row_kinds kinds, loading_everywhere state, tess::place_local<graph_part> part)
      : input_(input), kinds_(kinds), state_(state) {
    g_.part_ = part;
    g_.directed_ = input.directed && kinds != row_kinds::symmetric;
  }

  tess::task<distributed_graph> load() {
    co_await open_everywhere();
    co_await lay_out();
    co_await tess::on_all_places(
        [](loading_everywhere l, distributed_graph g) -> tess::task<void> { return read_to_count(l, g); }, state_, g_);
    // Checked whatever the header states, before memory is allocated for it.
    if (input_.vertices_count) co_await check_entries_everywhere();
    co_await allocate_entries();
    co_await tess::on_all_places(
        [](loading_everywhere l, distributed_graph g) -> tess::task<void> { return read_to_fill(l, g); }, state_, g_);
    co_await tess::on_all_places(
        [](loading_everywhere l, std::uint64_t vertices) -> tess::task<void> {
          for (unsigned k = 0; k < l->kinds; ++k) co_await l->tidy_rows(k, vertices);
        },
        state_, g_.vertices());
    co_await check_digests();
    co_await hand_over();
    co_return g_;
  }

 private:
  tess::task<void> open_everywhere() {
    tess::global_ptr<char> const spec = tess::allocate<char>(std::max<std::size_t>(input_.spec.size(), 1));
    std::ranges::copy(input_.spec, spec.local());
    std::exception_ptr failed;
    try {
      co_await tess::on_all_places(
          [](loading_everywhere l, tess::global_ptr<char> text, std::uint64_t bytes,
             file_version version) -> tess::task<void> { l->input = co_await open_here(text, bytes, version); },
          state_, spec, std::uint64_t{input_.spec.size()}, input_.version());
    } catch (...) {
      failed = std::current_exception();
    }
    tess::deallocate(spec);
    if (failed) std::rethrow_exception(failed);
    state_->talks = isatty(STDERR_FILENO) == 1;
  }

  // Blocks, and zeroed slots for them. The number of vertices of an edge list is known when all of it is read.
  tess::task<void> lay_out() {
    g_.vertices_ = input_.vertices_count.value_or(0);
    if (!input_.vertices_count) {
      co_await tess::on_all_places([](loading_everywhere l) -> tess::task<void> { return read_to_measure(l); }, state_);
      co_await check_entries_everywhere();
    }
    g_.lay_out(g_.vertices_);
    unsigned const kinds = g_.directed_ && kinds_ == row_kinds::out_and_in ? 2 : 1;
    co_await tess::check_room((g_.block_ + 2) * sizeof(std::uint64_t) * kinds);
    co_await tess::on_all_places(
        [](loading_everywhere l, distributed_graph g, unsigned kinds_of_rows) {
          l->first = static_cast<vertex>(g.begin_at(tess::here()));
          l->count = static_cast<vertex>(g.end_at(tess::here()) - g.begin_at(tess::here()));
          l->mirrored = !g.directed_;
          l->kinds = kinds_of_rows;
          l->allocate_slots();
        },
        state_, g_, kinds);
  }

  tess::task<void> allocate_entries() {
    co_await tess::on_all_places(
        [](loading_everywhere l) {
          for (unsigned k = 0; k < l->kinds; ++k) l->number_entries(k);
        },
        state_);
    std::uint64_t entries = 0;
    for (unsigned p = 0; p < tess::places(); ++p)
      entries += co_await tess::at(
          static_cast<tess::place_id>(p),
          [](loading_everywhere l) { return l->made[0].capacity + l->made[1].capacity; }, state_);
    co_await tess::check_room(entries / tess::places() * sizeof(vertex));
    co_await tess::on_all_places(
        [](loading_everywhere l) {
          for (unsigned k = 0; k < l->kinds; ++k) l->allocate_entries(k);
        },
        state_);
  }

  tess::task<void> check_entries_everywhere() {
    std::uint64_t entries = 0;
    for (unsigned p = 0; p < tess::places(); ++p) {
      auto const [read, found] = co_await tess::at(
          static_cast<tess::place_id>(p),
          [](loading_everywhere l) {
            struct counts {
              std::uint64_t entries, vertices;
            };
            return counts{l->entries_count.load(), l->vertices_count.load()};
          },
          state_);
      entries += read;
      g_.vertices_ = std::max(g_.vertices_, found);
    }
    check_entries(input_, entries);
    check_vertices(input_, g_.vertices_, entries);
  }

  // The rows hold what was counted.
  tess::task<void> check_digests() {
    std::uint64_t counted = 0;
    std::uint64_t stored = 0;
    for (unsigned p = 0; p < tess::places(); ++p) {
      auto const [c, s] = co_await tess::at(
          static_cast<tess::place_id>(p),
          [](loading_everywhere l) {
            struct digests {
              std::uint64_t counted, stored;
            };
            return digests{l->counted_digest.load(), l->stored_digest.load()};
          },
          state_);
      counted += c;
      stored += s;
    }
    if (counted != stored) throw_changed(input_.spec);
  }

  // From `loading` to `graph_part`, which owns the rows from here on.
  tess::task<void> hand_over() {
    for (unsigned p = 0; p < tess::places(); ++p) {
      auto const [edges, degree] = co_await tess::at(
          static_cast<tess::place_id>(p),
          [](loading_everywhere l) {
            struct counts {
              std::uint64_t edges;
              vertex degree_max;
            };
            return counts{l->made[0].slots[l->count], l->degree_max};
          },
          state_);
      g_.edges_ += edges;
      g_.degree_max_ = std::max(g_.degree_max_, degree);
    }
    co_await tess::on_all_places(
        [](loading_everywhere l, distributed_graph g) {
          graph_part& part = *g.part_;
          rows const out{l->made[0].slots, l->made[0].entries};
          part = {l->first, l->count, g.vertices_, g.edges_, out, {}};
          if (!g.directed_) part.in = out;
          if (l->kinds == 2) part.in = {l->made[1].slots, l->made[1].entries};
          l->made[0] = l->made[1] = {};
        },
        state_, g_);
  }

  graph_input const& input_;
  row_kinds kinds_;
  loading_everywhere state_;
  distributed_graph g_;
};

tess::task<distributed_graph> distributed_graph::load(graph_input const& input, row_kinds kinds) {
  auto const part = co_await tess::place_local<graph_part>::make();
  auto const state = co_await loading_everywhere::make();
  distributed_graph made;
  std::exception_ptr failed;
  std::string wrong_input;
  try {
    graph_loader loader(input, kinds, state, part);
    made = co_await loader.load();
  } catch (input_error const& e) {
    wrong_input = e.what();
  } catch (tess::error const& e) {
    wrong_input = e.what();
  } catch (...) {
    failed = std::current_exception();
  }
  co_await tess::on_all_places([](loading_everywhere l) { l->release(); }, state);
  co_await loading_everywhere::release(state);
  if (!wrong_input.empty() || failed) co_await tess::place_local<graph_part>::release(part);
  if (!wrong_input.empty()) throw input_error(wrong_input);
  if (failed) std::rethrow_exception(failed);
  co_return made;
}

void distributed_graph::lay_out(std::uint64_t vertices) {
  vertices_ = vertices;
  std::uint64_t const share = (vertices + tess::places() - 1) / tess::places();
  block_ = std::max((share + block_unit - 1) / block_unit * block_unit, block_unit);
  reciprocal_ = ~std::uint64_t{0} / block_ + 1;
}

tess::task<void> distributed_graph::release(distributed_graph g) {
  co_await tess::on_all_places(
      [](tess::place_local<graph_part> part) {
        auto const give_back = [&](rows const& r) {
          if (r.offsets == nullptr) return;
          tess::deallocate(tess::to_global(const_cast<std::uint64_t*>(r.offsets)));
          if (!part->borrowed) tess::deallocate(tess::to_global(const_cast<vertex*>(r.targets)));
        };
        if (part->in.offsets != part->out.offsets) give_back(part->in);
        give_back(part->out);
      },
      g.part_);
  co_await tess::place_local<graph_part>::release(g.part_);
}

}  // namespace graph
