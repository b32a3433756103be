// topological_sort_verify: generates matrices to sort, and checks whether one was sorted.
#include <cmath>
#include <span>

#include "kernels/random_word.hpp"
#include "kernels/topological_sort.hpp"

namespace kernels {

namespace {

// Columns of a row at and above the diagonal, in order: gaps between random ones have a geometric distribution, so that
// a row takes as long as it has entries. A function of the row and the seed.
template <class Visit>
void for_each_column(std::uint64_t row, std::uint64_t size, double density, std::uint64_t seed, Visit const& visit) {
  visit(static_cast<vertex>(row));
  if (density <= 0) return;
  std::uint64_t const row_seed = random_word(seed, row);
  double const scale = density < 1 ? 1 / std::log1p(-density) : 0;
  std::uint64_t column = row;
  for (std::uint64_t k = 0;; ++k) {
    // In (0, 1], of 53 bits.
    double const uniform = static_cast<double>((random_word(row_seed, k) >> 11) + 1) * 0x1p-53;
    double const gap = std::floor(std::log(uniform) * scale);
    if (gap >= static_cast<double>(size - column - 1)) return;
    column += static_cast<std::uint64_t>(gap) + 1;
    visit(static_cast<vertex>(column));
  }
}

}  // namespace

tess::task<sparse_matrix> random_upper_triangle(std::uint64_t size, double density, std::uint64_t seed) {
  // Each place generates rows far from each other, because the first rows are the longest.
  return sparse_matrix::make(size, size, [size, density, seed](sparse_matrix::adder const& add) {
    for (std::uint64_t i = tess::here(); i < size; i += tess::places())
      for_each_column(i, size, density, seed, [&](vertex column) { add(i, column); });
  });
}

std::string what_is_wrong(gathered_matrix const& m, std::vector<std::uint32_t> const& rows,
                          std::vector<std::uint32_t> const& columns) {
  if (!is_permutation(rows) || !is_permutation(columns)) return "a row or column got no number of its own";
  for (std::uint64_t i = 0; i < rows.size(); ++i) {
    bool diagonal = false;
    for (std::uint64_t k = m.offsets[i]; k < m.offsets[i + 1]; ++k) {
      std::uint32_t const column = columns[m.columns[k]];
      if (column < rows[i]) return "row " + std::to_string(i) + " has an entry below the diagonal";
      diagonal = diagonal || column == rows[i];
    }
    if (!diagonal) return "row " + std::to_string(i) + " has no entry on the diagonal";
  }
  return "";
}

}  // namespace kernels
