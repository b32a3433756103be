// index_gather: random words read from their owners in batches, against word operations with many outstanding.
#include "kernels/index_gather.hpp"

#include "random_access/random_words.hpp"

namespace {

tess::task<double> rate(std::size_t words, kernels::form how) {
  auto const table = co_await tess::global_array<std::uint64_t>::make(words);
  co_await tess::forall(table, [](std::uint64_t i, std::uint64_t& word) { word = bench::splitmix(1, i); });
  std::uint64_t const share = bench::random_numbers / tess::places();
  auto const out = co_await tess::global_array<std::uint64_t>::make(share * tess::places());
  co_await tess::forall(out, [](std::uint64_t, std::uint64_t& word) { word = 0; });
  auto const indices = co_await tess::place_local<std::vector<std::uint64_t>>::make();
  co_await tess::on_all_places([=] { *indices = bench::random_indices(share, table.size()); });
  double const begin = bench::timestamp();
  co_await tess::on_all_places([=] {
    return kernels::index_gather(
        how, table, 0, share, [at = indices->data()](std::uint64_t k) { return at[k]; }, out[tess::here() * share]);
  });
  double const seconds = bench::timestamp() - begin;
  co_await tess::on_all_places([=] {
    for (std::uint64_t k = 0; k < share; ++k)
      if (out.local()[k] != bench::splitmix(1, (*indices)[k]))
        throw tess::error("index_gather", "a wrong value", "the word that was asked for");
  });
  co_await tess::place_local<std::vector<std::uint64_t>>::release(indices);
  co_return static_cast<double>(share * tess::places()) / seconds / 1e6;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::random_word_bench("index-gather", argc, argv, &rate);
}
