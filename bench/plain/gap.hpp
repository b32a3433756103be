// gap: the programs of the GAP benchmark suite, as its own Makefile builds them, as a side of a comparison.
//
//   A graph is written once in the suite's serialized forms, so that both sides have the same edges and weights. A
//   program is started for each measurement, reads the graph, and does its work a few times; the time is the median of
//   those that it prints. Its memory may have huge pages, and it may use the processors of whoever made the object: a
//   job may have pinned the thread that starts it.
//
// Units     seconds; deltas are in units of the weights.
// Threads   one.
// Errors    std::runtime_error: a program is missing, fails, or prints no time; a file cannot be written.
// Source    S. Beamer, K. Asanović, D. Patterson, "The GAP Benchmark Suite" (arXiv:1508.03619); the forms .sg and .wsg
//           are those of its converter: whether it is directed, the numbers of edges and vertices, offsets, and
//           neighbours, with 32-bit weights in .wsg.
#pragma once

#include <sched.h>

#include <filesystem>
#include <string>
#include <vector>

#include "plain/csr.hpp"

namespace plain {

class gap_programs {
 public:
  /// `programs`: the folder with bfs, pr, cc, sssp, bc and tc. `undirected` is written to a folder of its own, which
  /// goes with this object.
  gap_programs(std::filesystem::path programs, csr_view undirected);
  ~gap_programs();
  gap_programs(gap_programs const&) = delete;
  gap_programs& operator=(gap_programs const&) = delete;

  /// For sssp.
  void write_weights(weighted_view undirected);

  [[nodiscard]] double bfs(vertex source, int threads) const;
  /// Until the scores change by less than `tolerance` in sum.
  [[nodiscard]] double pagerank(double tolerance, int iterations_max, int threads) const;
  [[nodiscard]] double components(int threads) const;
  [[nodiscard]] double sssp(vertex source, std::uint32_t delta, int threads) const;
  /// From so many sources, which the suite draws.
  [[nodiscard]] double bc(int sources, int threads) const;
  [[nodiscard]] double triangles(int threads) const;

 private:
  using words = std::vector<std::string>;
  [[nodiscard]] double run(std::string const& program, words given, int threads, int times) const;
  [[nodiscard]] std::string graph_file() const { return (folder_ / "graph.sg").string(); }
  [[nodiscard]] std::string weighted_file() const { return (folder_ / "graph.wsg").string(); }

  std::filesystem::path programs_;
  std::filesystem::path folder_;
  cpu_set_t processors_{};
};

}  // namespace plain
