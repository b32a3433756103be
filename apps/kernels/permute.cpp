// permute: by words, new rows are announced with their lengths, then their entries come, renumbered.
#include "kernels/permute.hpp"

#include <array>

namespace kernels {

namespace {

constexpr unsigned in_flight = 32;
constexpr std::uint64_t rows_per_task = 256;
constexpr std::uint64_t batch = 256;  // entries

// One call, as every place sees it.
struct job {
  sparse_matrix from;
  sparse_matrix to;
  permutation rows;
  permutation columns;

  [[nodiscard]] std::uint32_t const* new_rows() const { return rows.local().data(); }
};

tess::task<void> announce_by_words(job const& j, std::uint64_t begin, std::uint64_t end) {
  matrix_rows const& old = j.from.local();
  return tess::overlap<in_flight>(begin, end, [&j, &old, to = j.new_rows()](std::uint64_t i) {
    return tess::put(j.to.slot(to[i]), old.degree(i));
  });
}

// Entries whose row is old, its position the next one of the new row: where that begins is read once for a row.
tess::task<void> move_by_words(job const& j, std::uint64_t begin, std::uint64_t end) {
  matrix_rows const& old = j.from.local();
  std::vector<tess::global_ptr<vertex>> targets(end - begin);
  co_await tess::overlap<in_flight>(
      begin, end,
      [&j, &old, to = j.new_rows()](std::uint64_t i) { return tess::fetch_add(j.to.slot(to[i]), old.degree(i)); },
      [&, to = j.new_rows()](std::uint64_t i, std::uint64_t position) {
        targets[i - begin] = j.to.column(to[i], position);
      });

  std::array<entry, batch> entries;
  std::array<vertex, batch> renumbered;
  entry_cursor cursor(old, begin, end);
  while (std::uint64_t const n = cursor.take(entries)) {
    co_await tess::overlap<in_flight>(
        0, n, [&j, e = entries.data()](std::uint64_t k) { return tess::get(j.columns[e[k].column]); },
        [r = renumbered.data()](std::uint64_t k, vertex column) { r[k] = column; });
    std::uint64_t const first_row = old.first + begin;
    co_await tess::overlap<in_flight>(
        0, n, [e = entries.data(), r = renumbered.data(), t = targets.data(), first_row](std::uint64_t k) {
          tess::global_ptr<vertex>& next = t[e[k].row - first_row];
          auto const target = next;
          ++next;
          return tess::put(target, r[k]);
        });
  }
}

// step(job, begin, end) for all rows of all places, those of a place in many tasks.
template <class Step>
tess::task<void> over_rows(tess::place_local<job> name, Step step) {
  return tess::on_all_places(
      [](tess::place_local<job> here, Step s) -> tess::task<void> {
        job const& j = *here;
        co_await tess::forall_chunks(0, j.from.local().count, rows_per_task,
                                     [&j, s](std::uint64_t begin, std::uint64_t end) { return s(j, begin, end); });
      },
      name, step);
}

tess::task<sparse_matrix> permute_by_words(sparse_matrix from, permutation rows, permutation columns) {
  sparse_matrix to = co_await sparse_matrix::make(from.rows(), from.columns());
  auto const name = co_await tess::place_local<job>::make(job{from, to, rows, columns});
  co_await over_rows(name, [](job const& j, std::uint64_t b, std::uint64_t e) { return announce_by_words(j, b, e); });
  co_await to.lay_out();
  co_await over_rows(name, [](job const& j, std::uint64_t b, std::uint64_t e) { return move_by_words(j, b, e); });
  co_await tess::place_local<job>::release(name);
  co_await to.finish();
  co_return to;
}

}  // namespace

tess::task<sparse_matrix> permute(sparse_matrix from, permutation rows, permutation columns, form how) {
  return how == form::words ? permute_by_words(from, rows, columns) : tess::permute(from, rows, columns);
}

gathered_matrix permuted(gathered_matrix const& from, std::vector<std::uint32_t> const& rows,
                         std::vector<std::uint32_t> const& columns) {
  std::vector<entry> entries;
  for (std::uint64_t i = 0; i < rows.size(); ++i)
    for (std::uint64_t k = from.offsets[i]; k < from.offsets[i + 1]; ++k)
      entries.push_back({rows[i], columns[from.columns[k]], {}});
  return sorted_matrix(rows.size(), entries);
}

}  // namespace kernels
