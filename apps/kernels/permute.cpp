// permute: new rows are announced with their lengths, then their entries come, renumbered.
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
  graph::rows const old = j.from.part().rows;
  return tess::overlap<in_flight>(
      begin, end, [&j, old, to = j.new_rows()](std::uint64_t i) { return tess::put(j.to.slot(to[i]), old.degree(i)); });
}

tess::task<void> announce_by_messages(job const& j, std::uint64_t begin, std::uint64_t end) {
  graph::rows const old = j.from.part().rows;
  std::uint32_t const* const to = j.new_rows();
  for (std::uint64_t i = begin; i < end; ++i)
    tess::at_async(
        j.to.owner(to[i]),
        [](matrix_parts there, vertex row, std::uint64_t entries) { there->count_entries(row, entries); }, j.to.parts(),
        to[i], old.degree(i));
  co_return;
}

// Entries whose row is old, its position the next one of the new row: where that begins is read once for a row.
tess::task<void> move_by_words(job const& j, std::uint64_t begin, std::uint64_t end) {
  std::vector<tess::global_ptr<vertex>> targets(end - begin);
  co_await tess::overlap<in_flight>(
      begin, end, [&j, to = j.new_rows()](std::uint64_t i) { return tess::get(j.to.slot(to[i])); },
      [&, to = j.new_rows()](std::uint64_t i, std::uint64_t position) {
        targets[i - begin] = j.to.at(to[i], position);
      });

  std::array<entry, batch> entries;
  std::array<vertex, batch> renumbered;
  entry_cursor cursor(j.from.part(), begin, end);
  while (std::uint64_t const n = cursor.take(entries)) {
    co_await tess::overlap<in_flight>(
        0, n, [&j, e = entries.data()](std::uint64_t k) { return tess::get(j.columns[e[k].column]); },
        [r = renumbered.data()](std::uint64_t k, vertex column) { r[k] = column; });
    std::uint64_t const first_row = j.from.part().first + begin;
    co_await tess::overlap<in_flight>(
        0, n, [e = entries.data(), r = renumbered.data(), t = targets.data(), first_row](std::uint64_t k) {
          tess::global_ptr<vertex>& next = t[e[k].row - first_row];
          auto const target = next;
          ++next;
          return tess::put(target, r[k]);
        });
  }
}

// At the place of the old column's new number.
void renumber(tess::place_local<job> here, vertex row, vertex column) {
  job const& j = *here;
  vertex const renumbered = j.columns.local()[column - j.columns.begin_at(tess::here())];
  tess::at_async(
      j.to.owner(row), [](matrix_parts there, entry moved) { there->append(moved.row, moved.column); }, j.to.parts(),
      entry{row, renumbered});
}

tess::task<void> move_by_messages(job const& j, tess::place_local<job> name, std::uint64_t begin, std::uint64_t end) {
  std::uint32_t const* const to = j.new_rows();
  std::uint64_t const first = j.from.part().first;
  std::array<entry, batch> entries;
  entry_cursor cursor(j.from.part(), begin, end);
  while (std::uint64_t const n = cursor.take(entries))
    for (entry const& e : std::span(entries).first(n))
      tess::at_async(
          j.columns.owner(e.column),
          [](tess::place_local<job> there, entry moved) { renumber(there, moved.row, moved.column); }, name,
          entry{to[e.row - first], e.column});
  co_return;
}

// step(job, its name, begin, end) for all rows of all places, those of a place in many tasks.
template <class Step>
tess::task<void> over_rows(tess::place_local<job> name, Step step) {
  return tess::on_all_places(
      [](tess::place_local<job> here, Step s) -> tess::task<void> {
        job const& j = *here;
        co_await tess::forall_chunks(
            0, j.from.part().count, rows_per_task,
            [&j, here, s](std::uint64_t begin, std::uint64_t end) { return s(j, here, begin, end); });
      },
      name, step);
}

}  // namespace

tess::task<sparse_matrix> permute(sparse_matrix from, permutation rows, permutation columns, form how) {
  sparse_matrix to = co_await sparse_matrix::make(from.size());
  auto const name = co_await tess::place_local<job>::make(job{from, to, rows, columns});
  using name_t = tess::place_local<job>;
  co_await over_rows(name, [how](job const& j, name_t, std::uint64_t b, std::uint64_t e) {
    return how == form::words ? announce_by_words(j, b, e) : announce_by_messages(j, b, e);
  });
  co_await to.lay_out();
  co_await over_rows(name, [how](job const& j, name_t n, std::uint64_t b, std::uint64_t e) {
    return how == form::words ? move_by_words(j, b, e) : move_by_messages(j, n, b, e);
  });
  co_await tess::place_local<job>::release(name);
  co_await to.finish();
  co_return to;
}

gathered_matrix permuted(gathered_matrix const& from, std::vector<std::uint32_t> const& rows,
                         std::vector<std::uint32_t> const& columns) {
  std::vector<entry> entries;
  for (std::uint64_t i = 0; i < rows.size(); ++i)
    for (std::uint64_t k = from.offsets[i]; k < from.offsets[i + 1]; ++k)
      entries.push_back({rows[i], columns[from.columns[k]]});
  return sorted_matrix(rows.size(), entries);
}

}  // namespace kernels
