// circustent: atomic operations on words of all places, by eight patterns of access: billions a second.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "circustent/benchmark.hpp"
#include "command_line/command_line.hpp"

namespace {

using circustent::arrays;
using circustent::benchmark;
using circustent::shape;

struct options {
  std::vector<std::string> names;
  std::uint64_t memory_bytes = 0;
  std::uint64_t places = 0;
  bool lists = false;
  bool all = false;
  bool verify = true;
  shape given;
};

std::vector<benchmark> all_benchmarks() {
  std::vector<benchmark> every;
  for (auto const by : {circustent::amo::add, circustent::amo::cas}) {
    for (std::size_t k = 0; k < circustent::pattern_names.size(); ++k)
      every.push_back({static_cast<circustent::pattern>(k), by});
  }
  return every;
}

// The reason why it cannot be run; empty if it can.
std::string refusal(benchmark const& of, shape const& given) {
  if (of.what == circustent::pattern::ptrchase) return {};
  if (given.elements < given.iterations)
    return fmt::format("{} iterations need as many words, and -m gives {}", given.iterations, given.elements);
  std::uint64_t const stride = of.what == circustent::pattern::striden ? given.stride : 1;
  if ((given.iterations - 1) > (given.elements - 1) / stride)
    return fmt::format("{} iterations by strides of {} leave the {} words of -m", given.iterations, stride,
                       given.elements);
  return {};
}

/// The results of one place.
struct part {
  double seconds = 0;
  std::uint64_t wrong = 0;
  std::uint64_t checksum = 0;  ///< Covers both arrays.
};

tess::task<part> run_here(benchmark of, shape given, arrays all, bool verify) {
  circustent::fill(of, given, all);
  co_await tess::barrier();
  command_line::stopwatch const watch;
  co_await circustent::run(of, given, all);
  co_await tess::barrier();
  part done{.seconds = watch.seconds()};
  if (verify) done.wrong = circustent::wrong_words(of, given, all);
  done.checksum = circustent::checksum(all);
  part const sum = co_await tess::all_reduce(done, [](part a, part b) {
    return part{std::max(a.seconds, b.seconds), a.wrong + b.wrong, a.checksum + b.checksum};
  });
  co_return sum;
}

// Returns false if the arrays are wrong afterwards.
tess::task<bool> run_one(benchmark of, options const& o) {
  std::uint64_t const places = tess::places();
  arrays const all{co_await tess::global_array<std::uint64_t>::make(places * o.given.elements),
                   co_await tess::global_array<std::uint64_t>::make(places * (o.given.iterations + 1))};
  tess::operation_counts const before = co_await tess::count_operations();
  auto const result = co_await tess::place_local<part>::make();
  co_await tess::on_all_places(
      [](benchmark b, shape s, arrays a, bool v, tess::place_local<part> r) -> tess::task<void> {
        *r = co_await run_here(b, s, a, v);
      },
      of, o.given, all, o.verify, result);
  part const sum = *result;
  double const operations = static_cast<double>(places * o.given.iterations * of.operations());
  double const gams = operations / 1e9 / sum.seconds;
  fmt::print("{}\nTiming (secs)        : {:.6f}\nGiga AMOs/sec (GAMS) : {:.6f}\n", of.name(), sum.seconds, gams);
  command_line::print_operations(before, co_await tess::count_operations());
  if (o.verify) fmt::print("verified: {}\n", sum.wrong == 0 ? "yes" : fmt::format("NO, {} words are wrong", sum.wrong));
  tess::report_result(of.name(), std::to_string(sum.checksum));
  co_await tess::place_local<part>::release(result);
  co_await tess::global_array<std::uint64_t>::release(all.index);
  co_await tess::global_array<std::uint64_t>::release(all.array);
  co_return sum.wrong == 0;
}

tess::task<int> run(options const& o, std::vector<benchmark> const& chosen) {
  if (o.places != 0 && o.places != tess::places()) {
    fmt::print(stderr, "circustent: -p {} where the job has {} places; expected the same number (tess run -n {})\n",
               o.places, tess::places(), o.places);
    co_return 2;
  }
  bool right = true;
  for (benchmark const& one : chosen) right = co_await run_one(one, o) && right;
  if (o.verify) tess::report_result("verified", right ? "true" : "false");
  co_return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  command_line::parser app("Atomic operations on words of all places (CircusTent).", "circustent");
  options o;
  app.add_option("-b,--bench", o.names, "such as RAND_ADD; repeatable");
  app.add_option("-m,--memsize", o.memory_bytes, "of each place's array, such as 64MiB").in_bytes();
  app.add_option("-i,--iters", o.given.iterations, "of each place").positive();
  app.add_option("-p,--pes", o.places, "places; that of `tess run -n`, or it is refused");
  app.add_option("-s,--stride", o.given.stride, "of STRIDEN, in words").shows_default().positive();
  app.add_seed(o.given.seed, "of arrays and positions").shows_default();
  app.add_option("--tasks", o.given.tasks, "that share a place's iterations; one operation of each is under way")
      .shows_default()
      .between(1, 1 << 20);
  app.add_flag("-l,--list", o.lists, "print the benchmarks' names and end");
  app.add_flag("-a,--all", o.all, "run all of them");
  app.add_flag("--verify,!--no-verify", o.verify, "check the arrays (default: yes)");
  if (auto const code = app.parse(argc, argv)) return *code;
  if (o.lists) {
    for (benchmark const& one : all_benchmarks()) fmt::print("{}\n", one.name());
    return 0;
  }
  std::vector<benchmark> chosen = o.all ? all_benchmarks() : std::vector<benchmark>();
  for (std::string const& name : o.names) {
    auto const one = circustent::named(name);
    if (!one) {
      fmt::print(stderr, "circustent: there is no benchmark {}; -l lists them\n", name);
      return 2;
    }
    chosen.push_back(*one);
  }
  o.given.elements = o.memory_bytes / sizeof(std::uint64_t);
  if (chosen.empty() || o.given.elements == 0 || o.given.iterations == 0) {
    fmt::print(stderr, "circustent: expected -b NAME (or -a), -m BYTES and -i ITERATIONS; see --help\n");
    return 2;
  }
  for (benchmark const& one : chosen) {
    if (std::string const why = refusal(one, o.given); !why.empty()) {
      fmt::print(stderr, "circustent: {}: {}\n", one.name(), why);
      return 2;
    }
  }
  return tess::run(argc, argv, [&](tess::args) { return run(o, chosen); });
}
