// triangles_parts: state of a place that the two steps of triangles share.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/triangles.hpp"

namespace kernels {

// The number of rows that a worker takes at a time.
inline constexpr std::uint64_t rows_per_chunk = 128;

// One bit for each vertex of the graph.
class vertex_marks {
 public:
  explicit vertex_marks(std::uint64_t vertices) : words_(vertices / 64 + 1) {}

  void set(std::span<graph::vertex const> vertices) noexcept {
    for (graph::vertex const v : vertices) words_[v / 64] |= std::uint64_t{1} << v % 64;
  }
  void clear(std::span<graph::vertex const> vertices) noexcept {
    for (graph::vertex const v : vertices) words_[v / 64] = 0;
  }
  [[nodiscard]] bool has(graph::vertex v) const noexcept { return words_[v / 64] >> v % 64 & 1; }
  // The number of these that are marked.
  [[nodiscard]] std::uint64_t count(std::span<graph::vertex const> vertices) const noexcept {
    std::uint64_t const* const words = words_.data();
    std::uint64_t found = 0;
    for (graph::vertex const v : vertices) found += words[v / 64] >> v % 64 & 1;
    return found;
  }

 private:
  std::vector<std::uint64_t> words_;
};

// A place's own turned rows: row i is that of the own vertex with the i-th highest degree, whose name is first + i;
// targets are names.
struct triangles_state {
  graph::distributed_graph graph;
  std::vector<graph::vertex> order;  // own vertices by falling degree, counted from the place's first
  tess::global_ptr<std::uint64_t> offsets_memory;
  tess::global_ptr<graph::vertex> targets_memory;
  std::uint64_t* offsets = nullptr;
  graph::vertex* targets = nullptr;
  std::vector<turned_rows> turned;     // of every place
  std::atomic<std::uint64_t> next{0};  // row of the next chunk to take
  std::atomic<std::uint64_t> found{0};

  // For a message handler: its marks, all of them off.
  [[nodiscard]] std::unique_ptr<vertex_marks> take_marks(std::uint64_t vertices) {
    for (std::atomic<vertex_marks*>& m : unused_marks_)
      if (vertex_marks* const taken = m.exchange(nullptr)) return std::unique_ptr<vertex_marks>(taken);
    return std::make_unique<vertex_marks>(vertices);
  }
  void give_marks(std::unique_ptr<vertex_marks> marks) {
    for (std::atomic<vertex_marks*>& m : unused_marks_) {
      vertex_marks* expected = nullptr;
      if (!m.compare_exchange_strong(expected, marks.get())) continue;
      static_cast<void>(marks.release());
      return;
    }
  }
  ~triangles_state() {
    for (std::atomic<vertex_marks*>& m : unused_marks_) delete m.load();
  }

  [[nodiscard]] std::span<graph::vertex const> row(std::uint64_t i) const noexcept {
    return {targets + offsets[i], targets + offsets[i + 1]};
  }

 private:
  std::vector<std::atomic<vertex_marks*>> unused_marks_ = std::vector<std::atomic<vertex_marks*>>(tess::workers());
};

// By rows as they are, at the caller's place: the triangles whose largest vertex is its own.
[[nodiscard]] tess::task<std::uint64_t> count_flat(graph::distributed_graph g);

// The form `messages`, at the caller's place.
[[nodiscard]] tess::task<void> push_rows(tess::place_local<triangles_state> everywhere);

}  // namespace kernels
