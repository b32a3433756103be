// index_gather: reads random words of a table spread over all places.
#include "kernels/index_gather.hpp"

#include <fmt/format.h>

#include "command_line/random_words.hpp"
#include "kernels/random_word.hpp"

namespace {

using command_line::word_program;

// Word i of the table, so that a reader knows the expected value.
constexpr std::uint64_t content(std::uint64_t i) noexcept {
  return kernels::random_word(7, i);
}

// Wrong values at this place, and the sum of all.
struct outcome {
  std::uint64_t wrong = 0;
  std::uint64_t sum = 0;
};
outcome look_here(tess::global_array<std::uint64_t> out, word_program const& o) {
  outcome found;
  std::uint64_t k = out.begin_at(tess::here());
  for (std::uint64_t const value : out.local()) {
    found.sum += value;
    found.wrong += value != content(o.word_of(k++));
  }
  return found;
}

tess::task<int> run(word_program const& o) {
  auto const table = co_await kernels::gathered_table::make(o.words);
  co_await tess::forall(table, [](std::uint64_t i, std::uint64_t& word) { word = content(i); });
  auto const out = co_await tess::global_array<std::uint64_t>::make(o.numbers);
  tess::operation_counts const before = co_await tess::count_operations();
  command_line::stopwatch const watch;
  // Each place reads for its own block of the values.
  co_await tess::on_all_places([=] {
    return o.by_workers([=](std::uint64_t from, std::uint64_t to) {
      return kernels::index_gather(o.how, table, from, to, [o](std::uint64_t k) { return o.word_of(k); }, out[from]);
    });
  });
  o.print("words read", watch.seconds());
  command_line::print_operations(before, co_await tess::count_operations());
  outcome all;
  for (unsigned p = 0; o.verify && p < tess::places(); ++p) {
    outcome const found = co_await tess::at(static_cast<tess::place_id>(p), [out, o] { return look_here(out, o); });
    all.wrong += found.wrong;
    all.sum += found.sum;
  }
  if (o.verify) fmt::print("verified: {}\n", all.wrong == 0 ? "yes" : fmt::format("NO, {} are wrong", all.wrong));
  o.report(all.wrong == 0, all.sum);
  co_await tess::global_array<std::uint64_t>::release(out);
  co_await kernels::gathered_table::release(table);
  co_return all.wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  command_line::parser app("Reads random words of a table spread over all places.", "index-gather");
  word_program o;
  command_line::declare(app, o);
  if (auto const code = app.parse(argc, argv)) return *code;
  return tess::run(argc, argv, [&](tess::args) { return run(o); });
}
