// program: the parts common to all kernels.
#include "imsuite/program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>

#include "command_line/command_line.hpp"
#include "graph/error.hpp"
#include "imsuite/names.hpp"

namespace imsuite {

void report::number(std::string const& name, std::int64_t value) {
  tess::report_result(name, fmt::format("{}", value));
  numbers_ += fmt::format("{}{} {}", numbers_.empty() ? "" : ", ", name, value);
}

void report::per_node(std::string const& name, std::span<std::int32_t const> values) {
  tess::report_result(name, fmt::format("[{}]", fmt::join(values, ", ")));
  for (std::size_t i = 0; i < values.size(); ++i) lines_ += fmt::format("{} {} {}\n", name, i, values[i]);
}

namespace detail {

std::optional<int> parse(kernel k, int argc, char** argv, program_options& into) {
  kernel_name const& name = imsuite::name_of(k);
  std::string const program = fmt::format("imsuite-{}", name.code);
  command_line::parser app(
      fmt::format("{} ({} of IMSuite). Without options: the paper's input; at 14 places, its table 5.", name.title,
                  name.paper),
      program);
  declare(app, into.from);
  app.add_option("--load", into.load, "no-operations that every body adds (the suite's -lfon)").not_negative();
  app.add_flag("--count-copies", into.count_copies, "count the graphs that leave their place, beside the paper's row");
  app.add_option("--output", into.output, "a file for the result of every node");
  app.add_flag("--verify,!--no-verify", into.verify, "check the result by other means (default: yes)");
  return app.parse(argc, argv);
}

void print_input(kernel k, program_options const& o, input const& in) {
  fmt::print("{}: {}, at {} places\n", name_of(k).paper, describe(k, o.from, in), tess::places());
  std::fflush(stdout);
}

void check_fit(kernel k, input const& in) {
  bool const connected = k == kernel::byzantine || k == kernel::leader_elect_dp || k == kernel::mst;
  if (connected && !in.connected())
    throw graph::input_error("the graph", 0, "not connected",
                             "a connected one: this kernel's nodes must reach each other");
  constexpr std::int32_t weight_max = infinity / nodes_max;
  if (k == kernel::dijkstra_routing)
    for (std::int32_t i = 0; i < in.nodes; ++i)
      for (std::int32_t const j : in.neighbors(i))
        if (in.weight(i, j) > weight_max)
          throw graph::input_error("the graph", 0, fmt::format("weight {} of edge ({}, {})", in.weight(i, j), i, j),
                                   fmt::format("weights of edges up to {}, so that sums fit 32 bits", weight_max));
}

namespace {
bool write_output(std::string const& file, std::string const& lines) {
  std::ofstream out(file);
  out << lines << std::flush;
  if (!out) fmt::print(stderr, "{}: cannot be written, expected a file in a folder that exists\n", file);
  return static_cast<bool>(out);
}
}  // namespace

int conclude(program_options const& o, report const& found, std::string const& wrong, double seconds,
             std::string const& counts) {
  fmt::print("{}\ntime: {:.6f} s\n", found.numbers(), seconds);
  if (o.verify) {
    fmt::print("{}\n", wrong.empty() ? "verified: yes" : "verified: NO, " + wrong);
    tess::report_result("verified", wrong.empty() ? "true" : "false");
  }
  fmt::print("{}", counts);
  if (!o.output.empty() && !write_output(o.output, found.lines())) return 2;
  return wrong.empty() || !o.verify ? 0 : 1;
}

tess::task<int> with_input_errors(tess::task<int> work) {
  return command_line::with_input_errors(std::move(work));
}

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace detail

}  // namespace imsuite
