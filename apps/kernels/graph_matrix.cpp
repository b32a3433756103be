// graph_matrix: a view of a graph's rows, and the plain counterparts of verifiers.
#include "kernels/graph_matrix.hpp"

#include <algorithm>
#include <numeric>

#include "kernels/random_word.hpp"

namespace kernels {

tess::task<sparse_matrix> matrix_of(graph::distributed_graph g) {
  return sparse_matrix::view(g.vertices(), g.vertices(), g.block(), [g] {
    graph::graph_part const& part = g.part();
    return matrix_rows{part.first, part.count, part.out.offsets, part.out.targets, nullptr};
  });
}

gathered_matrix sorted_matrix(std::uint64_t size, std::vector<entry> const& entries) {
  gathered_matrix made;
  made.offsets.assign(size + 1, 0);
  made.columns.resize(entries.size());
  for (entry const& e : entries) ++made.offsets[e.row + std::uint64_t{1}];
  std::partial_sum(made.offsets.begin(), made.offsets.end(), made.offsets.begin());
  std::vector<std::uint64_t> next = made.offsets;
  for (entry const& e : entries) made.columns[next[e.row]++] = e.column;
  for (std::uint64_t i = 0; i < size; ++i)
    std::sort(made.columns.data() + made.offsets[i], made.columns.data() + made.offsets[i + 1]);
  return made;
}

tess::task<std::uint64_t> checksum(sparse_matrix m) {
  std::uint64_t sum = 0;
  for (unsigned p = 0; p < tess::places(); ++p)
    sum += co_await tess::at(
        static_cast<tess::place_id>(p),
        [](sparse_matrix matrix) {
          matrix_rows const& mine = matrix.local();
          std::uint64_t here = 0;
          for (std::uint64_t i = 0; i < mine.count; ++i)
            for (vertex const column : mine.columns_of(i)) here += random_word(mine.first + i, column);
          return here;
        },
        m);
  co_return sum;
}

}  // namespace kernels
