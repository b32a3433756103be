// histogram: counts of random words at their owners, against word operations with many outstanding.
#include "kernels/histogram.hpp"

#include "random_access/random_words.hpp"

namespace {

tess::task<double> rate(std::size_t words, kernels::form how) {
  auto const table = co_await tess::global_array<std::uint64_t>::make(words);
  co_await tess::forall(table, [](std::uint64_t, std::uint64_t& word) { word = 0; });
  std::uint64_t const share = bench::random_numbers / tess::places();
  auto const indices = co_await tess::place_local<std::vector<std::uint64_t>>::make();
  co_await tess::on_all_places([=] { *indices = bench::random_indices(share, table.size()); });
  double const begin = bench::timestamp();
  co_await tess::on_all_places([=] {
    return kernels::histogram(how, table, 0, share, [at = indices->data()](std::uint64_t k) { return at[k]; });
  });
  double const seconds = bench::timestamp() - begin;
  std::uint64_t const sum = co_await bench::counted(table);
  if (sum != share * tess::places()) throw tess::error("histogram", std::to_string(sum), "every number counted once");
  co_await tess::place_local<std::vector<std::uint64_t>>::release(indices);
  co_return static_cast<double>(sum) / seconds / 1e6;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::random_word_bench("histogram", argc, argv, &rate);
}
