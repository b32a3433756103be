// edge_weights: by a function of an edge's ends, or by one more pass over the file.
#include "distributed/edge_weights.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "distributed/loading.hpp"
#include "distributed/packet.hpp"
#include "graph/edge_reader.hpp"
#include "graph/error.hpp"

namespace graph {

namespace {

constexpr auto relaxed = std::memory_order_relaxed;
constexpr std::uint64_t chunk_rows = 4096;

// The sum of the weights of any path must fit, so that no addition needs a check: n times the largest weight.
constexpr double path_max = std::numeric_limits<std::uint32_t>::max() - 1;

struct weighing {
  std::optional<graph_input> input;
};
using weighing_everywhere = tess::place_local<weighing>;
using weights_everywhere = tess::place_local<weights_part>;

struct weighted_entry {
  vertex source;
  vertex target;
  double weight;
};

std::uint64_t entries_of(graph_part const& part) {
  return part.out.offsets[part.count];
}

// Relaxed: the finish of the pass comes before any read.
// An edge that the graph does not have is left out: then another one lacks its weight.
void lower(double* reals, graph_part const& part, weighted_entry e) noexcept {
  std::uint64_t const row = e.source - part.first;
  vertex const* const begin = part.out.targets + part.out.offsets[row];
  vertex const* const end = part.out.targets + part.out.offsets[row + 1];
  vertex const* const entry = std::lower_bound(begin, end, e.target);
  if (entry == end || *entry != e.target) return;
  std::atomic_ref<double> const slot(reals[entry - part.out.targets]);
  double known = slot.load(relaxed);
  while (e.weight < known && !slot.compare_exchange_weak(known, e.weight, relaxed)) {
  }
}

struct send_entries {
  weights_everywhere w;
  distributed_graph g;
  void operator()(tess::place_id target, packet<weighted_entry> const& p) const {
    tess::at_async(
        target,
        [](weights_everywhere there, distributed_graph graph, packet<weighted_entry> const& entries) {
          for (weighted_entry const e : entries.view()) lower(there->reals.local(), graph.part(), e);
        },
        w, g, p);
  }
};

tess::task<void> read_share(weighing_everywhere l, weights_everywhere w, distributed_graph g, std::uint64_t worker) {
  std::uint64_t const reader = std::uint64_t{tess::here()} * tess::workers() + worker;
  std::uint64_t const readers = std::uint64_t{tess::places()} * tess::workers();
  packer<weighted_entry, send_entries> away(tess::places(), send_entries{w, g});
  graph_part const& part = g.part();
  double* const reals = w->reals.local();
  auto const take = [&](weighted_entry e) {
    if (part.owns(e.source))
      lower(reals, part, e);
    else
      away.add(g.owner(e.source), e);
  };
  try {
    edge_reader edges(*l->input, {reader, readers}, weight_rule::nonnegative);
    std::vector<edge> batch;
    while (edges.next(batch)) {
      for (edge const& e : batch) {
        if (e.source == e.target) continue;
        if (std::max(e.source, e.target) >= g.vertices()) throw_changed(l->input->spec);
        take({e.source, e.target, e.weight});
        if (!g.directed()) take({e.target, e.source, e.weight});
      }
      co_await tess::yield();
    }
    away.flush();
  } catch (input_error const& e) {
    throw tess::error(e.what());
  }
}

// f(source, first entry, one past the last) for the own rows.
template <class F>
tess::task<void> for_own_rows(graph_part const& part, F f) {
  co_await tess::forall_chunks(0, part.count, chunk_rows, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i)
      f(static_cast<vertex>(part.first + i), part.out.offsets[i], part.out.offsets[i + 1]);
  });
}

struct kind_of_weights {
  bool integers;
  double max;
};

kind_of_weights look_at(std::uint64_t vertices, double const* weights, std::uint64_t count) {
  kind_of_weights seen{true, 0};
  for (std::uint64_t i = 0; i < count; ++i) {
    seen.integers = seen.integers && weights[i] >= 0 && weights[i] == std::floor(weights[i]);
    seen.max = std::max(seen.max, weights[i]);
  }
  seen.integers = seen.integers && seen.max * static_cast<double>(vertices) <= path_max;
  return seen;
}

void make_integers(weights_part& w, std::uint64_t count) {
  tess::global_ptr<std::uint32_t> const integers = tess::allocate<std::uint32_t>(std::max<std::uint64_t>(count, 1));
  std::transform(w.reals.local(), w.reals.local() + count, integers.local(),
                 [](double weight) { return static_cast<std::uint32_t>(weight); });
  tess::deallocate(w.reals);
  w.integers = integers;
  w.reals = {};
}

}  // namespace

class weights_loader {
 public:
  weights_loader(graph_input const& input, distributed_graph g, weights_everywhere part) : input_(input), g_(g) {
    w_.part_ = part;
  }

  // Each place's part of weights that lie at this place.
  static tess::task<edge_weights> adopt(csr const& whole, distributed_graph g, weights_everywhere part, adoption how) {
    edge_weights w;
    w.part_ = part;
    kind_of_weights const seen = look_at(whole.vertices(), whole.out.weights.data(), whole.out.weights.size());
    w.integers_ = whole.out.weights.empty() || seen.integers;
    w.max_ = whole.out.weights.empty() ? 1 : seen.max;
    bool const ones = whole.out.weights.empty();
    tess::counter done;
    for (unsigned p = 0; p < tess::places(); ++p) {
      auto const place = static_cast<tess::place_id>(p);
      std::uint64_t const begin = whole.out.offsets[g.begin_at(place)], end = whole.out.offsets[g.end_at(place)];
      std::span<double const> const block = ones ? whole.out.weights : whole.out.weights.subspan(begin, end - begin);
      if (how == adoption::borrow && !w.integers_) {
        auto const at = reinterpret_cast<std::uint64_t>(block.data());  // in the memory of the one process
        co_await tess::at(
            place, tess::unchecked([at](weights_everywhere to) { to->borrowed = reinterpret_cast<double const*>(at); }),
            part);
        continue;
      }
      auto const reals = co_await tess::at(
          place,
          [](weights_everywhere to, std::uint64_t count, bool are_one) {
            count = std::max<std::uint64_t>(count, 1);
            if (are_one) {
              to->integers = tess::allocate<std::uint32_t>(count);
              std::fill_n(to->integers.local(), count, 1U);
            } else {
              to->reals = tess::allocate<double>(count);
            }
            return to->reals;
          },
          part, end - begin, ones);
      if (!block.empty()) tess::put(block, reals, done);
    }
    co_await done;
    if (w.integers_ && !ones)
      co_await tess::on_all_places(
          [](weights_everywhere to, distributed_graph of) { make_integers(*to, entries_of(of.part())); }, part, g);
    co_return w;
  }

  tess::task<edge_weights> load() {
    if (auto const* const from = std::get_if<generator>(&input_.source)) {
      co_await generate(*from);
    } else if (!input_.weighted) {
      co_await fill_with_ones();
    } else {
      co_await read();
      co_await choose_kind();
    }
    co_return w_;
  }

 private:
  template <class Weight>
  static Weight* allocate(tess::global_ptr<Weight>& weights, distributed_graph const& g) {
    weights = tess::allocate<Weight>(std::max<std::uint64_t>(entries_of(g.part()), 1));
    return weights.local();
  }

  template <class Weight>
  static tess::task<void> draw(graph_part const& part, generator spec, Weight* weights) {
    return for_own_rows(part, [=, &part](vertex source, std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t e = begin; e < end; ++e)
        weights[e] = static_cast<Weight>(random_weight(spec, source, part.out.targets[e]));
    });
  }

  tess::task<void> generate(generator from) {
    w_.max_ = random_weight_max;
    w_.integers_ = w_.max_ * static_cast<double>(g_.vertices()) <= path_max;
    return tess::on_all_places(
        [](weights_everywhere w, distributed_graph g, generator spec, bool integers) -> tess::task<void> {
          if (integers)
            co_await draw(g.part(), spec, allocate(w->integers, g));
          else
            co_await draw(g.part(), spec, allocate(w->reals, g));
        },
        w_.part_, g_, from, w_.integers_);
  }

  tess::task<void> fill_with_ones() {
    return tess::on_all_places(
        [](weights_everywhere w, distributed_graph g) {
          std::fill_n(allocate(w->integers, g), entries_of(g.part()), 1U);
        },
        w_.part_, g_);
  }

  tess::task<void> read() {
    auto const state = co_await weighing_everywhere::make();
    tess::global_ptr<char> const spec = tess::allocate<char>(std::max<std::size_t>(input_.spec.size(), 1));
    std::ranges::copy(input_.spec, spec.local());
    std::exception_ptr failed;
    try {
      co_await tess::on_all_places(
          [](weighing_everywhere l, weights_everywhere w, distributed_graph g, tess::global_ptr<char> text,
             std::uint64_t bytes, file_version version) -> tess::task<void> {
            l->input = co_await open_here(text, bytes, version);
            std::fill_n(allocate(w->reals, g), entries_of(g.part()), std::numeric_limits<double>::infinity());
          },
          state, w_.part_, g_, spec, std::uint64_t{input_.spec.size()}, input_.version());
      co_await tess::on_all_places(
          [](weighing_everywhere l, weights_everywhere w, distributed_graph g) -> tess::task<void> {
            co_await tess::forall_chunks(
                0, tess::workers(), 1,
                [=](std::uint64_t worker, std::uint64_t) -> tess::task<void> { return read_share(l, w, g, worker); });
          },
          state, w_.part_, g_);
    } catch (...) {
      failed = std::current_exception();
    }
    tess::deallocate(spec);
    co_await weighing_everywhere::release(state);
    if (failed) std::rethrow_exception(failed);
  }

  tess::task<void> choose_kind() {
    kind_of_weights all{true, 0};
    for (unsigned p = 0; p < tess::places(); ++p) {
      kind_of_weights const seen = co_await tess::at(
          static_cast<tess::place_id>(p),
          [](weights_everywhere w, distributed_graph g) {
            return look_at(g.vertices(), w->reals.local(), entries_of(g.part()));
          },
          w_.part_, g_);
      all = {all.integers && seen.integers, std::max(all.max, seen.max)};
    }
    if (all.max == std::numeric_limits<double>::infinity()) throw_changed(input_.spec);  // an edge got no weight
    w_.integers_ = all.integers;
    w_.max_ = all.max;
    if (all.integers)
      co_await tess::on_all_places(
          [](weights_everywhere w, distributed_graph g) { make_integers(*w, entries_of(g.part())); }, w_.part_, g_);
  }

  graph_input const& input_;
  distributed_graph g_;
  edge_weights w_;
};

tess::task<edge_weights> edge_weights::load(graph_input const& input, distributed_graph g) {
  edge_weights made;
  made.part_ = co_await weights_everywhere::make();
  std::exception_ptr failed;
  std::string wrong_input;
  try {
    weights_loader loader(input, g, made.part_);
    made = co_await loader.load();
  } catch (tess::error const& e) {
    wrong_input = e.what();
  } catch (...) {
    failed = std::current_exception();
  }
  if (!wrong_input.empty() || failed) co_await release(made);
  if (!wrong_input.empty()) throw input_error(wrong_input);
  if (failed) std::rethrow_exception(failed);
  co_return made;
}

tess::task<edge_weights> edge_weights::adopt(csr const& whole, distributed_graph g, adoption how) {
  auto const part = co_await weights_everywhere::make();
  std::exception_ptr failed;
  edge_weights made;
  made.part_ = part;
  try {
    made = co_await weights_loader::adopt(whole, g, part, how);
  } catch (...) {
    failed = std::current_exception();
  }
  if (failed) {
    co_await release(made);
    std::rethrow_exception(failed);
  }
  co_return made;
}

tess::task<void> edge_weights::release(edge_weights w) {
  co_await tess::on_all_places(
      [](weights_everywhere part) {
        tess::deallocate(part->integers);
        tess::deallocate(part->reals);
      },
      w.part_);
  co_await weights_everywhere::release(w.part_);
}

}  // namespace graph
