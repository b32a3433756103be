// edge_reader: one reader's part of a graph's edges, batch by batch, independent of the source.
//
//   Reader r of R gets the r-th part of a generator's stream or of a plain file's bytes; reader 0 gets all of a
//   compressed file. Together the readers get each edge exactly once. After all have reached their end:
//
//     check_entries(graph, the sum of entries_count());
//     n = the maximum of vertices_count();
//     check_vertices(graph, n, the sum of entries_count());
//
// Threads   A reader belongs to one thread; readers share nothing.
// Errors    input_error at its exact line. Which of several errors is met first depends on the number of readers.
// Cost      Memory: one chunk of text and one batch of edges, some MiB. A wrong count is found at once, its line by
//           reading the file again.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "graph/edge.hpp"
#include "graph/graph_input.hpp"
#include "graph/parse.hpp"
#include "graph/text_source.hpp"

namespace graph {

// Reader `reader` of `readers`.
struct reader_share {
  std::uint64_t reader = 0;
  std::uint64_t readers = 1;
};

// The source of one kind behind edge_reader.
class edge_stream {
 public:
  edge_stream() = default;
  edge_stream(edge_stream const&) = delete;
  edge_stream& operator=(edge_stream const&) = delete;
  virtual ~edge_stream() = default;

  // Appends edges; false at the end.
  [[nodiscard]] virtual bool next(std::vector<edge>& batch) = 0;
  [[nodiscard]] virtual std::uint64_t entries_count() const = 0;
  [[nodiscard]] virtual std::uint64_t vertices_count() const = 0;
};

class edge_reader {
 public:
  explicit edge_reader(graph_input const& graph, reader_share share = {}, weight_rule rule = weight_rule::any);

  // Replaces `batch` by the next edges; false at the end. A batch may be empty before that.
  [[nodiscard]] bool next(std::vector<edge>& batch);

  // So far: edges read, and vertices as known from the header or from those edges.
  [[nodiscard]] std::uint64_t entries_count() const { return stream_->entries_count(); }
  [[nodiscard]] std::uint64_t vertices_count() const { return stream_->vertices_count(); }

 private:
  std::unique_ptr<edge_stream> stream_;
};

// Throws unless the header promised as many entries as all readers found.
void check_entries(graph_input const& graph, std::uint64_t entries_count);

// Throws if a file does not say how many vertices there are, and its largest number is far above the number of edges:
// the number alone would ask for memory that no edge needs.
void check_vertices(graph_input const& graph, std::uint64_t vertices_count, std::uint64_t entries_count);

}  // namespace graph
