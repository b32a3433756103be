// held_graph: a graph of a script: its rows in this process, and what places have made of them so far.
//
//   Places adopt the rows when a call first needs them, and keep them, the kernels' arrays and the weights for the next
//   call. All of it is given back when the graph is collected, or when places start anew.
//
// Threads   the rows do not change; the rest in a run of the session.
#pragma once

#include <any>
#include <functional>
#include <memory>
#include <mutex>
#include <typeindex>
#include <unordered_map>
#include <vector>

#include "distributed/edge_weights.hpp"
#include "graph/csr.hpp"
#include "session.hpp"

namespace engine {

class held_graph {
 public:
  explicit held_graph(graph::csr rows) : rows_(std::move(rows)) {}
  ~held_graph();
  held_graph(held_graph const&) = delete;
  held_graph& operator=(held_graph const&) = delete;

  [[nodiscard]] graph::csr const& rows() const noexcept { return rows_; }
  // With rows of in-edges; without directions.
  [[nodiscard]] graph::csr const& with_in();
  [[nodiscard]] graph::csr const& undirected();

  // At the places. An undirected graph has one form only.
  [[nodiscard]] tess::task<graph::distributed_graph> adopted();
  [[nodiscard]] tess::task<graph::distributed_graph> adopted_undirected();
  [[nodiscard]] tess::task<graph::edge_weights> weights();
  [[nodiscard]] tess::task<graph::edge_weights> weights_undirected();

  // A kernel with arrays of its own, made by `make`, a task, at its first use.
  template <class Kernel, class Make>
  tess::task<Kernel> kernel(Make make) {
    std::type_index const key(typeid(Kernel));
    forget_old();
    if (auto const known = kernels_.find(key); known != kernels_.end()) co_return std::any_cast<Kernel>(known->second);
    Kernel const made = co_await make();
    keep([made] { return Kernel::release(made); });
    kernels_.emplace(key, made);
    co_return made;
  }

 private:
  using give_back = std::function<tess::task<void>()>;

  void forget_old();
  void keep(give_back how) { made_.push_back(std::move(how)); }
  tess::task<graph::distributed_graph> adopt(graph::csr const& rows, graph::row_kinds kinds);

  graph::csr rows_;
  std::mutex forms_;  // rows_.in and undirected_ are made once
  std::optional<graph::csr> undirected_;

  std::uint64_t start_ = 0;  // of the session, to which the rest belongs
  std::optional<graph::distributed_graph> directed_at_places_, undirected_at_places_;
  std::optional<graph::edge_weights> weights_, weights_undirected_;
  std::unordered_map<std::type_index, std::any> kernels_;
  std::vector<give_back> made_;  // in the order of making
};

}  // namespace engine
