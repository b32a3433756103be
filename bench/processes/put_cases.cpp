// put_cases: words written to the other process: each awaited, or many completed by one counter.
#include <array>
#include <atomic>

#include "cases.hpp"
#include "harness/pin.hpp"
#include "harness/shared_pages.hpp"
#include "primitives/word_loops.hpp"

namespace bench {
namespace {

constexpr std::uint64_t operations = 4096 * 1024;
constexpr std::uint64_t batch = 1024;

/// Stores, with one wait per batch until all are visible.
double raw_batches(std::uint64_t* lines) {
  return on_cpu(0, [&] {
    double const seconds = seconds_of([&] {
      for (std::uint64_t i = 0; i < operations; ++i) {
        std::atomic_ref(lines[(i & (hot_lines - 1)) * words_per_line]).store(i, std::memory_order_release);
        if (i % batch == batch - 1) std::atomic_thread_fence(std::memory_order_seq_cst);
      }
    });
    return seconds * ns_per_second / static_cast<double>(operations);
  });
}

tess::task<double> by_counter(words memory) {
  std::vector<std::array<std::uint64_t, 1>> values(batch);
  double const begin = timestamp();
  for (std::uint64_t i = 0; i < operations;) {
    tess::counter done;
    for (std::array<std::uint64_t, 1>& value : values) {
      value[0] = i;
      tess::put(value, memory + static_cast<std::ptrdiff_t>((i++ & (hot_lines - 1)) * words_per_line), done);
    }
    co_await done;
  }
  co_return (timestamp() - begin) * ns_per_second / operations;
}

}  // namespace

tess::task<void> put_cases(suite& results) {
  shared_words const raw(std::size_t{hot_lines} * words_per_line);
  words const memory = co_await chain_at_one(hot_lines);
  auto const awaited = [memory]() -> tess::task<double> {
    double const begin = timestamp();
    co_await touch<word_op::put>(memory, operations);
    co_return (timestamp() - begin) * ns_per_second / operations;
  };
  co_await compare(
      results, "put, awaited", "ns", [&] { return raw_word_hot(word_op::put, raw.data(), hot_lines, operations); },
      awaited);
  co_await compare(
      results, "put, 1024 ended by one counter", "ns", [&] { return raw_batches(raw.data()); },
      [memory] { return by_counter(memory); });
  co_await tess::at(1, [memory] { tess::deallocate(memory); });
}

}  // namespace bench
