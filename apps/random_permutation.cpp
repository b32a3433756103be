// random_permutation: the numbers 0 to n - 1 in random order, over all places; the program `random-permutation`.
#include "kernels/random_permutation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "command_line/command_line.hpp"
#include "kernels/random_word.hpp"

namespace {

struct options {
  std::uint64_t size = std::uint64_t{1} << 20;
  std::uint64_t seed = 1;
  kernels::form form = kernels::form::words;
  bool verify = true;
};

constexpr std::size_t numbers_shown = 8;

// Depends on the order.
std::uint64_t checksum(std::vector<std::uint32_t> const& numbers) {
  std::uint64_t sum = 0;
  for (std::uint64_t k = 0; k < numbers.size(); ++k) sum += kernels::random_word(k, numbers[k]);
  return sum;
}

std::string what_is_wrong(std::vector<std::uint32_t> const& numbers, options const& o) {
  if (!kernels::is_permutation(numbers)) return "a number is missing or stands there twice";
  if (numbers != kernels::random_permutation_alone(o.size, o.seed)) return "one thread draws another order";
  return "";
}

tess::task<int> draw(options const& o) {
  tess::operation_counts const before = co_await tess::count_operations();
  command_line::stopwatch const watch;
  kernels::permutation const drawn = co_await kernels::random_permutation(o.size, o.seed, o.form);
  double const seconds = watch.seconds();
  tess::operation_counts const after = co_await tess::count_operations();

  std::vector<std::uint32_t> const numbers = co_await kernels::gather(drawn);
  std::size_t const shown = std::min(numbers.size(), numbers_shown);
  std::string first;
  for (std::uint32_t const k : std::span(numbers).first(shown)) first += fmt::format(" {}", k);
  fmt::print("{} numbers at {} places:{}{}\n", numbers.size(), tess::places(), first,
             shown < numbers.size() ? " ..." : "");
  fmt::print("time: {:.6f} s, {:.2f} M numbers/s\n", seconds, static_cast<double>(o.size) / seconds / 1e6);
  command_line::print_operations(before, after);
  bool right = true;
  if (o.verify) {
    std::string const wrong = what_is_wrong(numbers, o);
    right = wrong.empty();
    fmt::print("verified: {}\n", right ? "yes" : "NO, " + wrong);
    tess::report_result("verified", right ? "true" : "false");
  }
  tess::report_result("size", std::to_string(numbers.size()));
  tess::report_result("checksum", std::to_string(checksum(numbers)));
  co_await kernels::permutation::release(drawn);
  co_return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  command_line::parser app("A random permutation by dart throwing, the same for every number of places.",
                           "random-permutation");
  options o;
  app.add_option("--size", o.size, "numbers in all").shows_default().between(std::uint64_t{1}, std::uint64_t{1} << 31);
  app.add_seed(o.seed, "of the random order").shows_default();
  command_line::declare(app, o.form);
  app.add_flag("--verify,!--no-verify", o.verify, "repeat it by one thread (default: yes)");
  if (auto const code = app.parse(argc, argv)) return *code;
  return tess::run(argc, argv, [&](tess::args) { return draw(o); });
}
