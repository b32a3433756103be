// update_cases: random updates of a table spread over both processes, word by word and in batches to their owners,
// against raw atomics with a prefetch 32 ahead by two threads on the same kind of mapping.
#include "cases.hpp"
#include "harness/clock.hpp"
#include "harness/shared_pages.hpp"
#include "kernels/histogram.hpp"
#include "limits/raw_gups.hpp"
#include "random_access/random_words.hpp"

namespace bench {
namespace {

constexpr std::uint64_t updates = 8'000'000;
constexpr std::size_t mebibyte_of_words = (std::size_t{1} << 20U) / sizeof(std::uint64_t);

tess::task<double> updates_rate(kernels::histogram_table table, kernels::form how) {
  std::uint64_t const share = updates / tess::places();
  double const begin = timestamp();
  co_await tess::on_all_places([table, share, how] {
    return kernels::histogram(how, table, 0, share,
                              [rank = static_cast<int>(tess::here()), size = table.size()](std::uint64_t k) {
                                return gups_word(rank, k, size);
                              });
  });
  co_return static_cast<double>(updates) / (timestamp() - begin) / 1e6;
}

/// Indices drawn in advance, as in bale.
tess::task<double> histogram_rate(kernels::histogram_table table) {
  std::uint64_t const share = updates / tess::places();
  auto const indices = co_await tess::place_local<std::vector<std::uint64_t>>::make();
  co_await tess::on_all_places([=] { *indices = random_indices(share, table.size()); });
  double const begin = timestamp();
  co_await tess::on_all_places([=] {
    return kernels::histogram(kernels::form::messages, table, 0, share,
                              [at = indices->data()](std::uint64_t k) { return at[k]; });
  });
  double const seconds = timestamp() - begin;
  co_await tess::place_local<std::vector<std::uint64_t>>::release(indices);
  co_return static_cast<double>(updates) / seconds / 1e6;
}

}  // namespace

tess::task<void> update_cases(suite& results) {
  constexpr struct {
    char const* name;
    std::size_t mebibytes;
    kernels::form how;
  } cases[] = {{"updates 64 MiB", 64, kernels::form::words},
               {"updates 1 GiB", 1024, kernels::form::words},
               {"updates by messages 128 MiB", 128, kernels::form::messages}};
  for (auto const& c : cases) {
    if (!results.wants(c.name)) continue;
    std::size_t const words = c.mebibytes * mebibyte_of_words;
    shared_words const raw(words);
    auto const table = co_await kernels::histogram_table::make(words);
    co_await tess::forall(table, [](std::uint64_t, std::uint64_t& word) { word = 0; });
    co_await compare(
        results, c.name, "M/s", [&] { return raw_gups(raw.data(), words, updates, 2); },
        [&] { return updates_rate(table, c.how); });
    co_await kernels::histogram_table::release(table);
  }
  if (!results.wants("histogram 128 MiB")) co_return;
  std::size_t const words = 128 * mebibyte_of_words;
  shared_words const raw(words);
  auto const table = co_await kernels::histogram_table::make(words);
  co_await tess::forall(table, [](std::uint64_t, std::uint64_t& word) { word = 0; });
  co_await compare(
      results, "histogram 128 MiB", "M/s", [&] { return raw_gups(raw.data(), words, updates, 2); },
      [&] { return histogram_rate(table); });
  co_await kernels::histogram_table::release(table);
}

}  // namespace bench
