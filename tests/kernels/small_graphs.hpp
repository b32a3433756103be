// small_graphs: graphs of some vertices for tests, loaded from a temporary file; and the layouts to run them on.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "distributed/edge_weights.hpp"
#include "graph/graph_input.hpp"
#include "runtime/run_job.hpp"

namespace tess::test {

using ::graph::distributed_graph;
using ::graph::edge_weights;
using ::graph::row_kinds;
using ::graph::vertex;

struct weighted_edge {
  vertex source;
  vertex target;
  double weight = 1;
};

// A MatrixMarket file, there for as long as this object.
class graph_file {
 public:
  graph_file(std::uint64_t vertices, std::vector<weighted_edge> const& edges) {
    path_ = (std::filesystem::temp_directory_path() / "small_graph_XXXXXX.mtx").string();
    int const file = ::mkstemps(path_.data(), 4);
    if (file < 0) throw std::runtime_error("no temporary file");
    ::close(file);
    std::ofstream out(path_);
    out << "%%MatrixMarket matrix coordinate real general\n"
        << vertices << ' ' << vertices << ' ' << edges.size() << '\n';
    for (auto const& [source, target, weight] : edges) out << source + 1 << ' ' << target + 1 << ' ' << weight << '\n';
  }
  graph_file(graph_file const&) = delete;
  graph_file& operator=(graph_file const&) = delete;
  ~graph_file() { std::filesystem::remove(path_); }

  [[nodiscard]] std::string const& path() const noexcept { return path_; }

 private:
  std::string path_;
};

// use(graph) for a graph in a file or of a generator.
template <class Use>
task<void> with_graph(std::string spec, row_kinds kinds, Use use) {
  auto const g = co_await distributed_graph::load(::graph::open_graph(spec), kinds);
  co_await use(g);
  co_await distributed_graph::release(g);
}
template <class Use>
task<void> with_graph(std::uint64_t vertices, std::vector<weighted_edge> edges, row_kinds kinds, Use use) {
  graph_file const file(vertices, edges);
  co_await with_graph(file.path(), kinds, use);
}

// Cliques of `size` vertices, `count` of them, each joined to the next one by an edge.
inline std::vector<weighted_edge> chain_of_cliques(vertex count, vertex size) {
  std::vector<weighted_edge> edges;
  for (vertex c = 0; c < count; ++c) {
    for (vertex a = 0; a < size; ++a)
      for (vertex b = 0; b < a; ++b) edges.push_back({c * size + a, c * size + b});
    if (c + 1 < count) edges.push_back({c * size, (c + 1) * size});
  }
  return edges;
}

inline std::vector<layout> kernel_layouts() {
  return unless_launched({{"smp", 1, 1},
                          {"smp", 2, 1},
                          {"smp", 3, 1},
                          {"smp", 1, 2, 2},
                          {"smp", 3, 2, 2},
                          {"hostile", 2, 1, 2},
                          {"hostile", 3, 2, 2}});
}

}  // namespace tess::test
