// held_graph: adopting, and giving back in the opposite order.
#include "held_graph.hpp"

#include <ranges>
#include <utility>

namespace engine {

namespace {

// Starting threads takes longer than a small graph does.
unsigned threads_for(graph::csr const& rows) {
  return rows.out.entries() < 1U << 16U ? 1 : 0;
}

}  // namespace

held_graph::~held_graph() {
  if (made_.empty()) return;
  // The rows stay until the places have forgotten them.
  session::the().retire(start_,
                        [made = std::move(made_), rows = rows_, undirected = undirected_]() -> tess::task<void> {
                          for (give_back const& how : made | std::views::reverse) co_await how();
                        });
}

graph::csr const& held_graph::with_in() {
  std::scoped_lock const held(forms_);
  graph::transpose(rows_, threads_for(rows_));
  return rows_;
}

graph::csr const& held_graph::undirected() {
  if (!rows_.directed) return rows_;
  static_cast<void>(with_in());
  std::scoped_lock const held(forms_);
  if (!undirected_) undirected_ = graph::without_directions(rows_, threads_for(rows_));
  return *undirected_;
}

void held_graph::forget_old() {
  if (start_ == session::the().start()) return;
  start_ = session::the().start();
  directed_at_places_.reset();
  undirected_at_places_.reset();
  weights_.reset();
  weights_undirected_.reset();
  kernels_.clear();
  made_.clear();
}

tess::task<graph::distributed_graph> held_graph::adopt(graph::csr const& rows, graph::row_kinds kinds) {
  auto const how = session::the().one_process() ? graph::adoption::borrow : graph::adoption::copy;
  graph::distributed_graph const made = co_await graph::distributed_graph::adopt(rows, kinds, how);
  keep([made] { return graph::distributed_graph::release(made); });
  co_return made;
}

tess::task<graph::distributed_graph> held_graph::adopted() {
  forget_old();
  if (!directed_at_places_) directed_at_places_ = co_await adopt(with_in(), graph::row_kinds::out_and_in);
  co_return *directed_at_places_;
}

tess::task<graph::distributed_graph> held_graph::adopted_undirected() {
  if (!rows_.directed) co_return co_await adopted();
  forget_old();
  if (!undirected_at_places_) undirected_at_places_ = co_await adopt(undirected(), graph::row_kinds::symmetric);
  co_return *undirected_at_places_;
}

tess::task<graph::edge_weights> held_graph::weights() {
  auto const g = co_await adopted();
  if (!weights_) {
    auto const how = session::the().one_process() ? graph::adoption::borrow : graph::adoption::copy;
    weights_ = co_await graph::edge_weights::adopt(rows_, g, how);
    keep([w = *weights_] { return graph::edge_weights::release(w); });
  }
  co_return *weights_;
}

tess::task<graph::edge_weights> held_graph::weights_undirected() {
  if (!rows_.directed) co_return co_await weights();
  auto const g = co_await adopted_undirected();
  if (!weights_undirected_) {
    auto const how = session::the().one_process() ? graph::adoption::borrow : graph::adoption::copy;
    weights_undirected_ = co_await graph::edge_weights::adopt(undirected(), g, how);
    keep([w = *weights_undirected_] { return graph::edge_weights::release(w); });
  }
  co_return *weights_undirected_;
}

}  // namespace engine
