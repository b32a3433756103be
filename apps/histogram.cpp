// histogram: counts random numbers in a table over all places: the smallest program that sends words everywhere.
#include "kernels/histogram.hpp"

#include <fmt/format.h>

#include "command_line/random_words.hpp"
#include "kernels/random_word.hpp"

namespace {

using command_line::word_program;

// The sum of the counts, and for small tables whether each equals a sequential count.
tess::task<bool> verified(kernels::histogram_table table, word_program const& o, std::uint64_t& checksum) {
  std::vector<std::uint64_t> expected;
  if (o.words <= command_line::replay_words_max) {
    expected.resize(o.words);
    for (std::uint64_t k = 0; k < o.numbers; ++k) ++expected[o.word_of(k)];
  }
  std::uint64_t sum = 0;
  bool equal = true;
  for (unsigned p = 0; p < tess::places(); ++p) {
    auto const place = static_cast<tess::place_id>(p);
    std::uint64_t const begin = table.begin_at(place);
    std::vector<std::uint64_t> block(table.end_at(place) - begin);
    if (block.empty()) continue;
    co_await tess::get(table[begin], std::span(block));
    for (std::uint64_t i = 0; i < block.size(); ++i) {
      sum += block[i];
      checksum += kernels::random_word(block[i], begin + i);
      equal = equal && (expected.empty() || block[i] == expected[begin + i]);
    }
  }
  co_return equal&& sum == o.numbers;
}

tess::task<int> run(word_program const& o) {
  auto const table = co_await kernels::histogram_table::make(o.words);
  tess::operation_counts const before = co_await tess::count_operations();
  command_line::stopwatch const watch;
  co_await tess::on_all_places([table, o] {
    return o.by_workers([table, o](std::uint64_t from, std::uint64_t to) {
      return kernels::histogram(o.how, table, from, to, [o](std::uint64_t k) { return o.word_of(k); });
    });
  });
  o.print("numbers counted", watch.seconds());
  command_line::print_operations(before, co_await tess::count_operations());
  std::uint64_t checksum = 0;
  bool const right = !o.verify || co_await verified(table, o, checksum);
  if (o.verify) fmt::print("verified: {}\n", right ? "yes" : "NO, numbers were lost or went astray");
  o.report(right, checksum);
  co_await kernels::histogram_table::release(table);
  co_return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  command_line::parser app("Counts random numbers in a table spread over all places.", "histogram");
  word_program o;
  command_line::declare(app, o);
  if (auto const code = app.parse(argc, argv)) return *code;
  return tess::run(argc, argv, [&](tess::args) { return run(o); });
}
