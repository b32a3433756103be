// transpose: counts and moves the entries by words.
#include "kernels/transpose.hpp"

#include <array>

namespace kernels {

namespace {

constexpr unsigned in_flight = 32;
constexpr std::uint64_t rows_per_task = 256;
constexpr std::uint64_t batch = 256;  // entries

tess::task<void> count_by_words(sparse_matrix const& from, sparse_matrix const& to, std::uint64_t begin,
                                std::uint64_t end) {
  matrix_rows const& rows = from.local();
  return tess::overlap<in_flight>(
      rows.offsets[begin], rows.offsets[end],
      [&to, columns = rows.columns](std::uint64_t k) { return tess::fetch_add(to.slot(columns[k]), 1); });
}

tess::task<void> move_by_words(sparse_matrix const& from, sparse_matrix const& to, std::uint64_t begin,
                               std::uint64_t end) {
  std::array<entry, batch> entries;
  std::array<std::uint64_t, batch> positions;
  entry_cursor cursor(from.local(), begin, end);
  while (std::uint64_t const n = cursor.take(entries)) {
    co_await tess::overlap<in_flight>(
        0, n, [&to, e = entries.data()](std::uint64_t k) { return tess::fetch_add(to.slot(e[k].column), 1); },
        [p = positions.data()](std::uint64_t k, std::uint64_t position) { p[k] = position; });
    co_await tess::overlap<in_flight>(0, n, [&to, e = entries.data(), p = positions.data()](std::uint64_t k) {
      return tess::put(to.column(e[k].column, p[k]), e[k].row);
    });
  }
}

// step(from, to, begin, end) for all rows of all places, those of a place in many tasks.
template <class Step>
tess::task<void> over_rows(sparse_matrix from, sparse_matrix to, Step step) {
  return tess::on_all_places(
      [](sparse_matrix f, sparse_matrix t, Step s) -> tess::task<void> {
        co_await tess::forall_chunks(
            0, f.local().count, rows_per_task,
            [&f, &t, s](std::uint64_t begin, std::uint64_t end) { return s(f, t, begin, end); });
      },
      from, to, step);
}

tess::task<sparse_matrix> transpose_by_words(sparse_matrix from) {
  sparse_matrix to = co_await sparse_matrix::make(from.columns(), from.rows());
  co_await over_rows(from, to, [](sparse_matrix const& f, sparse_matrix const& t, std::uint64_t b, std::uint64_t e) {
    return count_by_words(f, t, b, e);
  });
  co_await to.lay_out();
  co_await over_rows(from, to, [](sparse_matrix const& f, sparse_matrix const& t, std::uint64_t b, std::uint64_t e) {
    return move_by_words(f, t, b, e);
  });
  co_await to.finish();
  co_return to;
}

}  // namespace

tess::task<sparse_matrix> transpose(sparse_matrix from, form how) {
  return how == form::words ? transpose_by_words(from) : tess::transpose(from);
}

gathered_matrix transposed(gathered_matrix const& from) {
  std::vector<entry> entries;
  for (std::uint64_t i = 0; i + 1 < from.offsets.size(); ++i)
    for (std::uint64_t k = from.offsets[i]; k < from.offsets[i + 1]; ++k)
      entries.push_back({from.columns[k], static_cast<vertex>(i), {}});
  return sorted_matrix(from.offsets.size() - 1, entries);
}

}  // namespace kernels
