// word: get, put (seq_cst and relaxed) and fetch_add on words of another place, against raw accesses of the same order.
//
//   hot: lines in one's own first-level cache. random: a dependent chain over 256 MiB. stolen: lines that the other
//   core has just written. One task, so that nothing hides the latency: what is measured is what the word path adds.
#include <CLI/CLI.hpp>
#include <string>

#include "harness/clock.hpp"
#include "harness/huge_pages.hpp"
#include "harness/job.hpp"
#include "harness/pin.hpp"
#include "harness/suite.hpp"
#include "limits/raw_words.hpp"
#include "primitives/word_loops.hpp"

namespace {

using bench::chain_at_one;
using bench::follow;
using bench::hot_lines;
using bench::touch;
using bench::word_op;
using bench::words;

constexpr std::uint32_t stolen_lines = 256;
constexpr std::uint32_t stolen_batches = 1000;
constexpr std::uint64_t hot_operations = 10'000'000;
constexpr std::uint64_t random_operations = 1'000'000;
constexpr auto random_lines = static_cast<std::uint32_t>((std::size_t{256} << 20U) / bench::line_bytes);

template <word_op Op>
tess::task<double> hot() {
  words const memory = co_await chain_at_one(hot_lines);
  co_await touch<Op>(memory, hot_lines);
  double const begin = bench::timestamp();
  co_await touch<Op>(memory, hot_operations);
  co_return (bench::timestamp() - begin) * bench::ns_per_second / hot_operations;
}

template <word_op Op>
tess::task<double> random() {
  words const memory = co_await chain_at_one(random_lines);
  double const begin = bench::timestamp();
  bench::do_not_optimize(co_await follow<Op>(memory, random_operations));
  co_return (bench::timestamp() - begin) * bench::ns_per_second / random_operations;
}

template <word_op Op>
tess::task<double> stolen() {
  words const memory = co_await chain_at_one(stolen_lines);
  // A plain thread on the other core owns the lines, as in the limit; it needs their plain address.
  auto const address = co_await tess::at(1, [memory] { return reinterpret_cast<std::uint64_t>(memory.local()); });
  bench::line_owner owner(reinterpret_cast<std::uint64_t*>(address), stolen_lines, 1);
  double seconds = 0;
  for (std::uint32_t batch = 0; batch < stolen_batches; ++batch) {
    owner.write();
    double const begin = bench::timestamp();
    bench::do_not_optimize(co_await follow<Op>(memory, stolen_lines));
    seconds += bench::timestamp() - begin;
  }
  co_return seconds* bench::ns_per_second / (double{stolen_batches} * stolen_lines);
}

template <word_op Op>
void cases(bench::suite& suite, std::string const& name, bench::huge_array<std::uint64_t> const& memory) {
  suite.pair(
      "hot " + name, 2, "ns/op", [&] { return bench::raw_word_hot(Op, memory.data(), hot_lines, hot_operations); },
      [] { return bench::in_job(2, [] { return hot<Op>(); }); });
  if (suite.wants("random " + name)) {
    auto const cycle = bench::random_cycle(random_lines, 1);
    auto const limit = [&] {
      // Written by the other core just before, as in ours.
      bench::on_cpu(1, [&] { return bench::write_chain(memory.data(), cycle), 0.0; });
      return bench::raw_word_random(Op, memory.data(), random_operations);
    };
    suite.pair("random " + name, 2, "ns/op", limit, [] { return bench::in_job(2, [] { return random<Op>(); }); });
  }
  suite.pair(
      "stolen " + name, 2, "ns/op",
      [&] { return bench::raw_word_stolen(Op, memory.data(), stolen_lines, stolen_batches); },
      [] { return bench::in_job(2, [] { return stolen<Op>(); }); });
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("word operations on another place, against raw atomics");
  bench::options chosen;
  bench::declare(app, chosen);
  if (auto const code = bench::parse(app, argc, argv)) return *code;
  bench::suite suite("word", chosen);
  bench::huge_array<std::uint64_t> const memory(std::size_t{random_lines} * bench::words_per_line);
  cases<word_op::get>(suite, "get", memory);
  cases<word_op::put>(suite, "put", memory);
  cases<word_op::put_relaxed>(suite, "put relaxed", memory);
  cases<word_op::fetch_add>(suite, "fetch_add", memory);
  return suite.finish();
}
