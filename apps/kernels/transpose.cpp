// transpose: counts and moves the entries, by words or messages.
#include "kernels/transpose.hpp"

#include <array>

namespace kernels {

namespace {

constexpr unsigned in_flight = 32;
constexpr std::uint64_t rows_per_task = 256;
constexpr std::uint64_t batch = 256;  // entries

tess::task<void> count_by_words(sparse_matrix const& from, sparse_matrix const& to, std::uint64_t begin,
                                std::uint64_t end) {
  graph::rows const rows = from.part().rows;
  return tess::overlap<in_flight>(
      rows.offsets[begin], rows.offsets[end],
      [&to, columns = rows.targets](std::uint64_t k) { return tess::fetch_add(to.slot(columns[k]), 1); });
}

tess::task<void> count_by_messages(sparse_matrix const& from, sparse_matrix const& to, std::uint64_t begin,
                                   std::uint64_t end) {
  graph::rows const rows = from.part().rows;
  matrix_parts const parts = to.parts();
  for (std::uint64_t k = rows.offsets[begin]; k < rows.offsets[end]; ++k)
    tess::at_async(
        to.owner(rows.targets[k]), [](matrix_parts there, vertex row) { there->count_entries(row, 1); }, parts,
        rows.targets[k]);
  co_return;
}

tess::task<void> move_by_words(sparse_matrix const& from, sparse_matrix const& to, std::uint64_t begin,
                               std::uint64_t end) {
  std::array<entry, batch> entries;
  std::array<std::uint64_t, batch> positions;
  entry_cursor cursor(from.part(), begin, end);
  while (std::uint64_t const n = cursor.take(entries)) {
    co_await tess::overlap<in_flight>(
        0, n, [&to, e = entries.data()](std::uint64_t k) { return tess::fetch_add(to.slot(e[k].column), 1); },
        [p = positions.data()](std::uint64_t k, std::uint64_t position) { p[k] = position; });
    co_await tess::overlap<in_flight>(0, n, [&to, e = entries.data(), p = positions.data()](std::uint64_t k) {
      return tess::put(to.at(e[k].column, p[k]), e[k].row);
    });
  }
}

tess::task<void> move_by_messages(sparse_matrix const& from, sparse_matrix const& to, std::uint64_t begin,
                                  std::uint64_t end) {
  matrix_parts const parts = to.parts();
  entry_cursor cursor(from.part(), begin, end);
  std::array<entry, batch> entries;
  while (std::uint64_t const n = cursor.take(entries))
    for (entry const& e : std::span(entries).first(n))
      tess::at_async(
          to.owner(e.column), [](matrix_parts there, entry moved) { there->append(moved.column, moved.row); }, parts,
          e);
  co_return;
}

// step(from, to, begin, end) for all rows of all places, those of a place in many tasks.
template <class Step>
tess::task<void> over_rows(sparse_matrix from, sparse_matrix to, Step step) {
  return tess::on_all_places(
      [](sparse_matrix f, sparse_matrix t, Step s) -> tess::task<void> {
        co_await tess::forall_chunks(
            0, f.part().count, rows_per_task,
            [&f, &t, s](std::uint64_t begin, std::uint64_t end) { return s(f, t, begin, end); });
      },
      from, to, step);
}

}  // namespace

tess::task<sparse_matrix> transpose(sparse_matrix from, form how) {
  sparse_matrix to = co_await sparse_matrix::make(from.size());
  co_await over_rows(from, to, [how](sparse_matrix const& f, sparse_matrix const& t, std::uint64_t b, std::uint64_t e) {
    return how == form::words ? count_by_words(f, t, b, e) : count_by_messages(f, t, b, e);
  });
  co_await to.lay_out();
  co_await over_rows(from, to, [how](sparse_matrix const& f, sparse_matrix const& t, std::uint64_t b, std::uint64_t e) {
    return how == form::words ? move_by_words(f, t, b, e) : move_by_messages(f, t, b, e);
  });
  co_await to.finish();
  co_return to;
}

gathered_matrix transposed(gathered_matrix const& from) {
  std::vector<entry> entries;
  for (std::uint64_t i = 0; i + 1 < from.offsets.size(); ++i)
    for (std::uint64_t k = from.offsets[i]; k < from.offsets[i + 1]; ++k)
      entries.push_back({from.columns[k], static_cast<vertex>(i)});
  return sorted_matrix(from.offsets.size() - 1, entries);
}

}  // namespace kernels
