// word_cases: get and fetch_add on words of the other process, hot and along a chain, against raw atomics on the same
// kind of mapping.
#include "cases.hpp"
#include "harness/huge_pages.hpp"
#include "harness/pin.hpp"
#include "harness/shared_pages.hpp"
#include "primitives/word_loops.hpp"

namespace bench {
namespace {

constexpr std::uint64_t hot_operations = 4'000'000;
constexpr std::uint64_t random_operations = 500'000;
constexpr auto random_lines = static_cast<std::uint32_t>((std::size_t{128} << 20U) / line_bytes);

template <word_op Op>
tess::task<void> hot(suite& results, std::string const& name) {
  shared_words const raw(std::size_t{hot_lines} * words_per_line);
  words const memory = co_await chain_at_one(hot_lines);
  auto const ours = [memory]() -> tess::task<double> {
    co_await touch<Op>(memory, hot_lines);
    double const begin = timestamp();
    co_await touch<Op>(memory, hot_operations);
    co_return (timestamp() - begin) * ns_per_second / hot_operations;
  };
  auto const limit = [&] { return raw_word_hot(Op, raw.data(), hot_lines, hot_operations); };
  co_await compare(results, name + " hot", "ns", limit, ours);
  co_await tess::at(1, [memory] { tess::deallocate(memory); });
}

template <word_op Op>
tess::task<void> random(suite& results, std::string const& name) {
  if (!results.wants(name + " random 128 MiB")) co_return;
  shared_words const raw(std::size_t{random_lines} * words_per_line);
  words const memory = co_await chain_at_one(random_lines);
  auto const cycle = random_cycle(random_lines, 1);
  auto const ours = [memory]() -> tess::task<double> {
    double const begin = timestamp();
    do_not_optimize(co_await follow<Op>(memory, random_operations));
    co_return (timestamp() - begin) * ns_per_second / random_operations;
  };
  // Written by the other core, as in ours.
  on_cpu(1, [&] { return write_chain(raw.data(), cycle), 0.0; });
  auto const limit = [&] { return raw_word_random(Op, raw.data(), random_operations); };
  co_await compare(results, name + " random 128 MiB", "ns", limit, ours);
  co_await tess::at(1, [memory] { tess::deallocate(memory); });
}

}  // namespace

tess::task<void> word_cases(suite& results) {
  co_await hot<word_op::get>(results, "get");
  co_await hot<word_op::fetch_add>(results, "fetch_add");
  co_await random<word_op::get>(results, "get");
  co_await random<word_op::fetch_add>(results, "fetch_add");
}

}  // namespace bench
