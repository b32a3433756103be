// transpose: rows of a sparse matrix become columns; written as MatrixMarket on request.
#include "kernels/transpose.hpp"

#include <fmt/format.h>
#include <fmt/os.h>

#include <system_error>

#include "command_line/command_line.hpp"
#include "graph/error.hpp"

namespace {

struct options : command_line::graph_options {
  kernels::form form = kernels::form::words;
  std::string output;
};

// Row after row, the format's numbers beginning with 1.
void write_matrix(std::string const& path, kernels::gathered_matrix const& m) {
  try {
    auto file = fmt::output_file(path);
    std::uint64_t const size = m.offsets.size() - 1;
    file.print("%%MatrixMarket matrix coordinate pattern general\n{} {} {}\n", size, size, m.columns.size());
    for (std::uint64_t i = 0; i < size; ++i)
      for (std::uint64_t k = m.offsets[i]; k < m.offsets[i + 1]; ++k)
        file.print("{} {}\n", i + 1, m.columns[k] + std::uint64_t{1});
    file.close();
  } catch (std::system_error const& e) {
    throw graph::input_error(path, 0, e.what(), "a file that can be written");
  }
}

tess::task<int> work(options const& o) {
  command_line::loaded_graph const loaded = co_await command_line::load(o.spec, graph::row_kinds::out);
  kernels::sparse_matrix const from = co_await kernels::matrix_of(loaded.graph);

  tess::operation_counts const before = co_await tess::count_operations();
  command_line::stopwatch const watch;
  kernels::sparse_matrix const to = co_await kernels::transpose(from, o.form);
  double const seconds = watch.seconds();
  tess::operation_counts const after = co_await tess::count_operations();

  fmt::print("{} entries in {} rows, transposed at {} places\n", to.entries(), to.rows(), tess::places());
  fmt::print("time: {:.6f} s, {:.2f} M entries/s\n", seconds, static_cast<double>(to.entries()) / seconds / 1e6);
  command_line::print_operations(before, after);
  bool right = true;
  if (o.verify) {
    right = kernels::transposed(co_await tess::gather(from)) == co_await tess::gather(to);
    fmt::print("verified: {}\n", right ? "yes" : "NO, one thread gets another matrix");
    tess::report_result("verified", right ? "true" : "false");
  }
  kernels::gathered_matrix written;
  if (!o.output.empty()) written = co_await tess::gather(to);
  tess::report_result("rows", std::to_string(to.rows()));
  tess::report_result("entries", std::to_string(to.entries()));
  tess::report_result("checksum", std::to_string(co_await kernels::checksum(to)));
  co_await kernels::sparse_matrix::release(to);
  co_await kernels::sparse_matrix::release(from);
  co_await graph::distributed_graph::release(loaded.graph);
  // Last, because it may fail.
  if (!o.output.empty()) write_matrix(o.output, written);
  co_return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  command_line::parser app("Transposes a sparse matrix (without its diagonal).", "transpose");
  options o;
  command_line::declare(app, static_cast<command_line::graph_options&>(o));
  command_line::declare(app, o.form);
  app.add_option("--output", o.output, "write the result to this file, as MatrixMarket");
  if (auto const code = app.parse(argc, argv)) return *code;
  return tess::run(argc, argv, [&](tess::args) { return command_line::with_input_errors(work(o)); });
}
