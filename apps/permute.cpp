// permute: renumbers the rows and columns of a sparse matrix at random.
#include "kernels/permute.hpp"

#include <fmt/format.h>

#include "command_line/command_line.hpp"

namespace {

struct options : command_line::graph_options {
  std::uint64_t seed = 1;
  kernels::form form = kernels::form::words;
};

tess::task<bool> is_right(kernels::sparse_matrix from, kernels::sparse_matrix to, kernels::permutation rows,
                          kernels::permutation columns) {
  kernels::gathered_matrix const expected =
      kernels::permuted(co_await tess::gather(from), co_await kernels::gather(rows), co_await kernels::gather(columns));
  co_return expected == co_await tess::gather(to);
}

tess::task<int> work(options const& o) {
  command_line::loaded_graph const loaded = co_await command_line::load(o, graph::row_kinds::out);
  kernels::sparse_matrix const from = co_await kernels::matrix_of(loaded.graph);
  kernels::permutation const rows = co_await kernels::random_permutation(from.rows(), 2 * o.seed, o.form);
  kernels::permutation const columns = co_await kernels::random_permutation(from.rows(), 2 * o.seed + 1, o.form);

  tess::operation_counts const before = co_await tess::count_operations();
  command_line::stopwatch const watch;
  kernels::sparse_matrix const to = co_await kernels::permute(from, rows, columns, o.form);
  double const seconds = watch.seconds();
  tess::operation_counts const after = co_await tess::count_operations();

  fmt::print("{} entries in {} rows and columns, renumbered at {} places\n", to.entries(), to.rows(), tess::places());
  fmt::print("time: {:.6f} s, {:.2f} M entries/s\n", seconds, static_cast<double>(to.entries()) / seconds / 1e6);
  command_line::print_operations(before, after);
  bool right = true;
  if (o.verify) {
    right = co_await is_right(from, to, rows, columns);
    fmt::print("verified: {}\n", right ? "yes" : "NO, one thread gets another matrix");
    tess::report_result("verified", right ? "true" : "false");
  }
  tess::report_result("rows", std::to_string(to.rows()));
  tess::report_result("entries", std::to_string(to.entries()));
  tess::report_result("checksum", std::to_string(co_await kernels::checksum(to)));
  co_await kernels::sparse_matrix::release(to);
  co_await kernels::permutation::release(columns);
  co_await kernels::permutation::release(rows);
  co_await kernels::sparse_matrix::release(from);
  co_await graph::distributed_graph::release(loaded.graph);
  co_return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  command_line::parser app("Permutes rows and columns of a sparse matrix at random (without its diagonal).", "permute");
  options o;
  command_line::declare(app, static_cast<command_line::graph_options&>(o));
  command_line::declare(app, o.form);
  app.add_seed(o.seed, "of the two permutations").shows_default();
  if (auto const code = app.parse(argc, argv)) return *code;
  return tess::run(argc, argv, [&](tess::args) { return command_line::with_input_errors(work(o)); });
}
