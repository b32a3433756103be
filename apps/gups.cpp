// gups: updates random words of a table over all places; measures a network's rate of single words.
//
//   Update k adds 1 to word splitmix(k) of the table. Each task keeps 32 updates in flight, so that it never waits
//   for a single word; with --each-awaited it keeps one, so that many tasks are needed to hide the latency.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "command_line/command_line.hpp"
#include "kernels/random_word.hpp"

namespace {

struct options {
  unsigned log2_words = 20;
  std::uint64_t bytes = 0;
  std::uint64_t updates = 0;
  unsigned tasks = 2;
  bool each_awaited = false;
  bool verify = true;
};

constexpr std::uint64_t replay_words_max = std::uint64_t{1} << 24;

// The word of a table of this size that update k changes.
constexpr std::uint64_t drawn(std::uint64_t k, std::uint64_t size) noexcept {
  return kernels::scaled(kernels::splitmix(0, k), size);
}

tess::task<void> update(tess::global_array<std::uint64_t> table, std::uint64_t begin, std::uint64_t end) {
  co_await tess::overlap<32>(begin, end,
                             [=](std::uint64_t k) { return tess::fetch_add(table[drawn(k, table.size())], 1); });
}

tess::task<void> update_one_by_one(tess::global_array<std::uint64_t> table, std::uint64_t begin, std::uint64_t end) {
  for (std::uint64_t k = begin; k < end; ++k) co_await tess::fetch_add(table[drawn(k, table.size())], 1);
}

// This place's part of the updates.
tess::task<void> update_here(tess::global_array<std::uint64_t> table, std::uint64_t updates, unsigned tasks,
                             bool each_awaited) {
  std::uint64_t const share = (updates + tess::places() - 1) / tess::places();
  std::uint64_t const begin = std::min(tess::here() * share, updates);
  std::uint64_t const end = std::min(begin + share, updates);
  std::uint64_t const all_tasks = std::uint64_t{tasks} * tess::workers();
  std::uint64_t const grain = std::max<std::uint64_t>((end - begin + all_tasks - 1) / all_tasks, 1);
  co_await tess::forall_chunks(begin, end, grain, [=](std::uint64_t from, std::uint64_t to) {
    return each_awaited ? update_one_by_one(table, from, to) : update(table, from, to);
  });
}

// The table after all updates, computed by one thread without the runtime.
std::vector<std::uint64_t> replay(std::uint64_t words, std::uint64_t updates) {
  std::vector<std::uint64_t> table(words);
  for (std::uint64_t k = 0; k < updates; ++k) ++table[drawn(k, words)];
  return table;
}

// The words' sum, and whether each equals the sequential result (if computed).
tess::task<std::uint64_t> sum_and_compare(tess::global_array<std::uint64_t> table,
                                          std::vector<std::uint64_t> const& expected, bool& equal) {
  std::uint64_t sum = 0;
  std::vector<std::uint64_t> block;
  for (unsigned p = 0; p < tess::places(); ++p) {
    auto const place = static_cast<tess::place_id>(p);
    std::uint64_t const begin = table.begin_at(place);
    block.resize(table.end_at(place) - begin);
    if (block.empty()) continue;
    co_await tess::get(table[begin], std::span(block));
    for (std::uint64_t const word : block) sum += word;
    if (!expected.empty())
      equal = equal && std::equal(block.begin(), block.end(), expected.begin() + static_cast<std::ptrdiff_t>(begin));
  }
  co_return sum;
}

tess::task<int> run(options const& o) {
  std::uint64_t const words = o.bytes != 0 ? std::max<std::uint64_t>(o.bytes / 8, 1) : std::uint64_t{1} << o.log2_words;
  std::uint64_t const updates = o.updates != 0 ? o.updates : 4 * words;
  auto const table = co_await tess::global_array<std::uint64_t>::make(words);
  tess::operation_counts const before = co_await tess::count_operations();
  command_line::stopwatch const watch;
  co_await tess::on_all_places([](tess::global_array<std::uint64_t> t, std::uint64_t n, unsigned tasks,
                                  bool one) -> tess::task<void> { return update_here(t, n, tasks, one); },
                               table, updates, o.tasks, o.each_awaited);
  double const seconds = watch.seconds();
  tess::operation_counts const after = co_await tess::count_operations();
  fmt::print("{} updates of {} words at {} places\n", updates, words, tess::places());
  fmt::print("time: {:.6f} s, {:.2f} M updates/s\n", seconds, static_cast<double>(updates) / seconds / 1e6);
  command_line::print_operations(before, after);
  bool right = true;
  if (o.verify) {
    std::vector<std::uint64_t> expected;
    if (words <= replay_words_max) expected = replay(words, updates);
    std::uint64_t const sum = co_await sum_and_compare(table, expected, right);
    right = right && sum == updates;
    fmt::print("verified: {}\n", right ? "yes" : "NO, updates were lost or went astray");
    tess::report_result("sum", std::to_string(sum));
    tess::report_result("verified", right ? "true" : "false");
  }
  tess::report_result("updates", std::to_string(updates));
  tess::report_result("words", std::to_string(words));
  co_await tess::global_array<std::uint64_t>::release(table);
  co_return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  command_line::parser app("Random updates of single words (giga updates per second, the classic).", "gups");
  options o;
  auto const size =
      app.add_option("--log2-words", o.log2_words, "the table has 2^N words of 8 bytes").shows_default().between(0, 40);
  app.add_option("--bytes", o.bytes, "the table's size instead, such as 64MiB").in_bytes().excludes(size);
  app.add_option("--updates", o.updates, "in all (default: 4 for each word)").positive();
  app.add_option("--tasks", o.tasks, "for each worker").shows_default().positive();
  app.add_flag("--each-awaited", o.each_awaited, "a task has one update on its way, not 32");
  app.add_flag("--verify,!--no-verify", o.verify, "check the table (default: yes)");
  if (auto const code = app.parse(argc, argv)) return *code;
  return tess::run(argc, argv, [&](tess::args) { return run(o); });
}
