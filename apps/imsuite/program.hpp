// program: a kernel as a whole program: reads or generates the input, runs, verifies, reports.
//
//   Kernel has, in addition to the members that a benchmark requires (benchmark.hpp),
//     which                          its name
//     make_fields(input, builder)    a task<fields>
//     initialize(self, i)            makes the record of node i, at its place
//     run(self, input)               the kernel, a task<void>: timed and counted (the suite's region of interest)
//     finish(self, input, report)    gathers and reports the result, a task<std::string> with the error in it
//
// Exit     0 ok, 1 the result is wrong, 2 wrong use or input.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "imsuite/builder.hpp"
#include "imsuite/options.hpp"
#include "imsuite/travel.hpp"
#include "imsuite/verify.hpp"
#include "tess/tess.hpp"

namespace imsuite {

struct program_options {
  input_options from;
  std::int64_t load = 0;
  bool count_copies = false;
  bool verify = true;
  std::string output;
};

// The results of a kernel: for --stats, and line by line for --output.
class report {
 public:
  void number(std::string const& name, std::int64_t value);
  void per_node(std::string const& name, std::span<std::int32_t const> values);

  [[nodiscard]] std::string const& numbers() const noexcept { return numbers_; }
  [[nodiscard]] std::string const& lines() const noexcept { return lines_; }

 private:
  std::string numbers_;
  std::string lines_;
};

namespace detail {
[[nodiscard]] std::optional<int> parse(kernel k, int argc, char** argv, program_options& into);
void print_input(kernel k, program_options const& o, input const& in);
// Throws graph::input_error if the kernel cannot end, or is not correct, on such an input.
void check_fit(kernel k, input const& in);
// Prints the outcome; returns the exit code.
[[nodiscard]] int conclude(program_options const& o, report const& found, std::string const& wrong, double seconds,
                           std::string const& counts);
[[nodiscard]] tess::task<int> with_input_errors(tess::task<int> work);
[[nodiscard]] double now_seconds();

template <class Kernel>
tess::task<int> work(program_options const& o) {
  input const in = load(Kernel::which, o.from);
  check_fit(Kernel::which, in);
  print_input(Kernel::which, o, in);
  builder make(in.nodes);
  auto* const self = co_await make.object<Kernel>(o.load);
  self->own = co_await Kernel::make_fields(in, make);
  co_await initialize_nodes(self, [](benchmark<Kernel>* s, std::int32_t i) { return Kernel::initialize(s, i); });

  if (o.count_copies) co_await start_counting(self->copies);
  double const begin = now_seconds();
  tess::begin_measured_part();
  co_await Kernel::run(self, in);
  tess::end_measured_part();
  double const seconds = now_seconds() - begin;
  std::string counts;
  if (o.count_copies) counts = report_copies(Kernel::which, co_await stop_counting(self->copies), *self->copies);

  report found;
  std::string const wrong = co_await Kernel::finish(self, in, found);
  co_await make.release();
  co_return conclude(o, found, wrong, seconds, counts);
}
}  // namespace detail

template <class Kernel>
int program(int argc, char** argv) {
  program_options o;
  if (auto const code = detail::parse(Kernel::which, argc, argv, o)) return *code;
  return tess::run(argc, argv, [&](tess::args) { return detail::with_input_errors(detail::work<Kernel>(o)); });
}

}  // namespace imsuite
