// topological_sort: restores an upper triangular matrix whose rows and columns were shuffled; the program
// `topological-sort`.
#include "kernels/topological_sort.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "command_line/command_line.hpp"
#include "kernels/permute.hpp"
#include "kernels/random_word.hpp"
#include "kernels/transpose.hpp"

namespace {

struct options {
  std::uint64_t size = 100000;
  double row_entries = 10;
  std::optional<double> density;
  std::uint64_t seed = 1;
  kernels::form form = kernels::form::words;
  bool verify = true;
};

// The fraction of entries above the diagonal that are set.
double density_of(options const& o) {
  if (o.density) return *o.density;
  return o.size < 2 ? 0 : std::min(2 * o.row_entries / static_cast<double>(o.size - 1), 1.0);
}

tess::task<kernels::sparse_matrix> shuffled_triangle(options const& o) {
  kernels::sparse_matrix const ordered = co_await kernels::random_upper_triangle(o.size, density_of(o), 3 * o.seed);
  kernels::permutation const rows = co_await kernels::random_permutation(o.size, 3 * o.seed + 1, o.form);
  kernels::permutation const columns = co_await kernels::random_permutation(o.size, 3 * o.seed + 2, o.form);
  kernels::sparse_matrix const shuffled = co_await kernels::permute(ordered, rows, columns, o.form);
  co_await kernels::permutation::release(columns);
  co_await kernels::permutation::release(rows);
  co_await kernels::sparse_matrix::release(ordered);
  co_return shuffled;
}

std::uint64_t checksum(std::vector<std::uint32_t> const& numbers) {
  std::uint64_t sum = 0;
  for (std::uint64_t k = 0; k < numbers.size(); ++k) sum += kernels::random_word(k, numbers[k]);
  return sum;
}

tess::task<int> sort(options const& o) {
  kernels::sparse_matrix const matrix = co_await shuffled_triangle(o);
  kernels::sparse_matrix const transposed = co_await kernels::transpose(matrix, o.form);
  tess::operation_counts const before = co_await tess::count_operations();
  command_line::stopwatch const watch;
  kernels::triangular_order const order = co_await kernels::topological_sort(matrix, transposed, o.form);
  double const seconds = watch.seconds();
  tess::operation_counts const after = co_await tess::count_operations();

  fmt::print("{} rows and columns with {} entries, in {} levels, sorted at {} places\n", matrix.rows(),
             matrix.entries(), order.levels, tess::places());
  fmt::print("time: {:.6f} s, {:.2f} M entries/s\n", seconds, static_cast<double>(matrix.entries()) / seconds / 1e6);
  command_line::print_operations(before, after);
  std::vector<std::uint32_t> const rows = co_await kernels::gather(order.rows);
  std::vector<std::uint32_t> const columns = co_await kernels::gather(order.columns);
  std::string wrong;
  if (o.verify) {
    wrong = kernels::what_is_wrong(co_await tess::gather(matrix), rows, columns);
    fmt::print("verified: {}\n", wrong.empty() ? "yes" : "NO, " + wrong);
    tess::report_result("verified", wrong.empty() ? "true" : "false");
  }
  tess::report_result("rows", std::to_string(matrix.rows()));
  tess::report_result("entries", std::to_string(matrix.entries()));
  tess::report_result("levels", std::to_string(order.levels));
  tess::report_result("checksum", std::to_string(checksum(rows) + 3 * checksum(columns)));
  co_await kernels::permutation::release(order.columns);
  co_await kernels::permutation::release(order.rows);
  co_await kernels::sparse_matrix::release(transposed);
  co_await kernels::sparse_matrix::release(matrix);
  co_return wrong.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  command_line::parser app("Sorts a shuffled upper triangular matrix: topological order of an acyclic graph.",
                           "topological-sort");
  options o;
  app.add_option("--size", o.size, "rows and columns")
      .shows_default()
      .between(std::uint64_t{1}, std::uint64_t{1} << 31);
  auto const mean = app.add_option("--row-entries", o.row_entries, "entries above the diagonal, for a row on average")
                        .shows_default()
                        .not_negative();
  app.add_option("--density", o.density, "the part of places above the diagonal that have an entry, instead")
      .between(0.0, 1.0)
      .excludes(mean);
  app.add_seed(o.seed, "of the matrix and of its shuffling").shows_default();
  command_line::declare(app, o.form);
  app.add_flag("--verify,!--no-verify", o.verify, "check the order entry by entry (default: yes)");
  if (auto const code = app.parse(argc, argv)) return *code;
  return tess::run(argc, argv, [&](tess::args) { return sort(o); });
}
