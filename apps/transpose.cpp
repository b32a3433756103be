// transpose: rows of a sparse matrix become columns; written as MatrixMarket on request.
#include "kernels/transpose.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <iterator>

#include "command_line/command_line.hpp"

namespace {

struct options : command_line::graph_options {
  kernels::form form = kernels::form::words;
  std::string output;
};

// This place's rows, the format's numbers beginning with 1; before them, at place 0, the format's header.
std::string lines_here(kernels::sparse_matrix const& m) {
  std::string lines;
  if (tess::here() == 0)
    lines =
        fmt::format("%%MatrixMarket matrix coordinate pattern general\n{} {} {}\n", m.rows(), m.columns(), m.entries());
  kernels::matrix_rows const& rows = m.local();
  for (std::uint64_t i = 0; i < rows.count; ++i)
    for (graph::vertex const column : rows.columns_of(i))
      fmt::format_to(std::back_inserter(lines), "{} {}\n", rows.first + i + 1, column + std::uint64_t{1});
  return lines;
}

tess::task<void> write_matrix(std::string path, kernels::sparse_matrix matrix) {
  return tess::on_all_places(
      [](std::string name, kernels::sparse_matrix m) -> tess::task<void> {
        tess::file out = co_await tess::file::open(name, tess::file_mode::write);
        co_await out.write_ordered(lines_here(m));
        co_await out.close();
      },
      std::move(path), matrix);
}

tess::task<int> work(options const& o) {
  command_line::loaded_graph const loaded = co_await command_line::load(o, graph::row_kinds::out);
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
  tess::report_result("rows", std::to_string(to.rows()));
  tess::report_result("entries", std::to_string(to.entries()));
  tess::report_result("checksum", std::to_string(co_await kernels::checksum(to)));
  std::string failure;
  if (right && !o.output.empty()) {
    try {
      co_await write_matrix(o.output, to);
    } catch (tess::error const& e) {
      failure = std::string("--output: ") + e.what() + '\n';
    }
  }
  std::fputs(failure.c_str(), stderr);
  co_await kernels::sparse_matrix::release(to);
  co_await kernels::sparse_matrix::release(from);
  co_await graph::distributed_graph::release(loaded.graph);
  co_return right&& failure.empty() ? 0 : 1;
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
