// matrix_algorithms: products, transposes, permutations and copies of sparse matrices; one task calls them, for all.
//
//     co_await multiply(a, x, y);                          // y = A x
//     auto const t = co_await transpose(a);                // released by the caller, like every matrix
//     auto const b = co_await permute(a, rows, columns);   // entry (i, j) becomes (rows[i], columns[j])
//     gathered_matrix<double> const all = co_await gather(a);
//
// Units     y[i] is the sum over row i, in the order of the columns: it has the same bits for every number of places.
//           Entries without values count as 1.
// Threads   no two of them at a time with the same matrix.
// Errors    tess::error if sizes differ.
// Cost      multiply: each place asks every owner once for those elements of x that its rows need, 4 bytes to the owner
//           and an element back, and keeps 4 bytes an entry and 4 a column needed for the next time. permute: the same
//           for the numbers of the columns; then, like transpose, two items of a stream for each entry and the sorting
//           of the rows. gather: two or three block transfers for each place.
// Source    transpose_matrix and permute_matrix of the bale suite (github.com/jdevinney/bale, its description).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tess/array_algorithms.hpp"
#include "tess/finish.hpp"
#include "tess/sparse_matrix.hpp"

namespace tess {

/// A whole matrix at one place: rows in order, and the columns in them.
template <class T = pattern>
struct gathered_matrix {
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::uint32_t> columns{};
  std::vector<T> values{};  ///< empty if entries have none

  friend bool operator==(gathered_matrix const&, gathered_matrix const&) = default;
};

namespace detail {

/// Finds out which columns the rows of a place have, the first time that it is asked.
inline needed_columns const& find_needed(needed_columns& needed, std::span<std::uint32_t const> columns) {
  if (needed.known) return needed;
  needed.columns.assign(columns.begin(), columns.end());
  std::sort(needed.columns.begin(), needed.columns.end());
  needed.columns.erase(std::unique(needed.columns.begin(), needed.columns.end()), needed.columns.end());
  needed.positions.reserve(columns.size());
  for (std::uint32_t const c : columns)
    needed.positions.push_back(static_cast<std::uint32_t>(
        std::lower_bound(needed.columns.begin(), needed.columns.end(), c) - needed.columns.begin()));
  needed.known = true;
  return needed;
}

/// The elements of `from` with these indices, which are in order; each owner is asked once, all of them at a time.
template <class X>
task<void> fetch_elements(global_array<X> from, std::span<std::uint32_t const> indices, std::span<X> into) {
  co_await finish([&] {
    for (std::size_t begin = 0; begin < indices.size();) {
      place_id const p = from.owner(indices[begin]);
      std::size_t const end = static_cast<std::size_t>(
          std::lower_bound(indices.begin() + static_cast<std::ptrdiff_t>(begin), indices.end(), from.end_at(p)) -
          indices.begin());
      auto const wanted = indices.subspan(begin, end - begin);
      auto const target = into.subspan(begin, end - begin);
      if (p == here()) {
        X const* const mine = from.local().data();
        for (std::size_t k = 0; k < wanted.size(); ++k) target[k] = mine[wanted[k] - from.begin_at(p)];
      } else {
        spawn([from, p, wanted, target]() -> task<void> {
          std::vector<X> const elements = co_await at(
              p,
              [](global_array<X> a, std::vector<std::uint32_t> which) {
                X const* const mine = a.local().data();
                std::vector<X> packed;
                packed.reserve(which.size());
                for (std::uint32_t const i : which) packed.push_back(mine[i - a.begin_at(here())]);
                return packed;
              },
              from, std::vector<std::uint32_t>(wanted.begin(), wanted.end()));
          std::copy(elements.begin(), elements.end(), target.begin());
        });
      }
      begin = end;
    }
  });
}

template <class T, class X>
task<void> multiply_here(sparse_matrix<T> a, global_array<X> x, global_array<X> y) {
  matrix_rows<T> const rows = a.local();
  needed_columns const& needed = find_needed(a.parts()->needed, {rows.columns, rows.entries()});
  std::vector<X> elements(needed.columns.size());
  co_await fetch_elements(x, std::span<std::uint32_t const>(needed.columns), std::span<X>(elements));
  std::vector<X> sums(rows.count);
  co_await forall_chunks(0, rows.count, rows_per_task, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) {
      X sum{};
      for (std::uint64_t k = rows.offsets[i]; k < rows.offsets[i + 1]; ++k) {
        X const& element = elements[needed.positions[k]];
        if constexpr (entries_have_values<T>)
          sum = static_cast<X>(sum + rows.values[k] * element);
        else
          sum = static_cast<X>(sum + element);
      }
      sums[i] = sum;
    }
  });
  counter done;
  co_await put_run(std::span<X const>(sums), y, rows.first, done);
  co_await done;
}

/// add(row, column, value) for each entry of this place, with new numbers: functions of row i and of entry k.
template <class T, class Rows, class Columns>
task<void> add_renumbered(matrix_rows<T> rows, typename sparse_matrix<T>::adder add, Rows row_of, Columns column_of) {
  co_await forall_chunks(0, rows.count, rows_per_task, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i)
      for (std::uint64_t k = rows.offsets[i]; k < rows.offsets[i + 1]; ++k) {
        if constexpr (entries_have_values<T>)
          add(row_of(i, k), column_of(i, k), rows.values[k]);
        else
          add(row_of(i, k), column_of(i, k));
      }
  });
}

/// The elements of an array from index `begin` on, wherever they lie.
template <class X>
task<void> get_run(global_array<X> from, std::uint64_t begin, std::span<X> into) {
  counter done;
  std::uint64_t const end = begin + into.size();
  for (std::uint64_t i = begin; i < end;) {
    std::uint64_t const count = run_length(from, i, end);
    get(from[i], into.subspan(i - begin, count), done);
    i += count;
  }
  co_await done;
}

template <class T>
task<void> permute_here(sparse_matrix<T> from, global_array<std::uint32_t> rows, global_array<std::uint32_t> columns,
                        typename sparse_matrix<T>::adder add) {
  matrix_rows<T> const mine = from.local();
  needed_columns const& needed = find_needed(from.parts()->needed, {mine.columns, mine.entries()});
  std::vector<std::uint32_t> new_columns(needed.columns.size());
  co_await fetch_elements(columns, std::span<std::uint32_t const>(needed.columns), std::span(new_columns));
  std::vector<std::uint32_t> new_rows(mine.count);
  co_await get_run(rows, mine.first, std::span(new_rows));
  co_await add_renumbered(
      mine, add, [&](std::uint64_t i, std::uint64_t) { return new_rows[i]; },
      [&](std::uint64_t, std::uint64_t k) { return new_columns[needed.positions[k]]; });
}

inline void check_matrix_sizes(char const* what, std::uint64_t given, std::uint64_t wanted) {
  if (given != wanted)
    throw error(what, std::to_string(given) + " elements", std::to_string(wanted) + ", as the matrix has");
}

}  // namespace detail

/// y = A x; x has as many elements as the matrix has columns, y as it has rows. A y made by make(rows, 64) has its
/// elements where the rows are.
template <class T, class X>
task<void> multiply(sparse_matrix<T> a, global_array<X> x, global_array<X> y) {
  detail::check_matrix_sizes("multiply: x", x.size(), a.columns());
  detail::check_matrix_sizes("multiply: y", y.size(), a.rows());
  return on_all_places(
      [](sparse_matrix<T> m, global_array<X> from, global_array<X> to) { return detail::multiply_here(m, from, to); },
      a, x, y);
}

/// Entry (i, j) becomes entry (j, i).
template <class T>
task<sparse_matrix<T>> transpose(sparse_matrix<T> from) {
  return sparse_matrix<T>::make(from.columns(), from.rows(), [from](typename sparse_matrix<T>::adder add) {
    matrix_rows<T> const& rows = from.local();
    return detail::add_renumbered(
        rows, add, [&rows](std::uint64_t, std::uint64_t k) { return rows.columns[k]; },
        [&rows](std::uint64_t i, std::uint64_t) { return rows.first + i; });
  });
}

/// Entry (i, j) becomes entry (rows[i], columns[j]); the two are permutations.
template <class T>
task<sparse_matrix<T>> permute(sparse_matrix<T> from, global_array<std::uint32_t> rows,
                               global_array<std::uint32_t> columns) {
  detail::check_matrix_sizes("permute: rows", rows.size(), from.rows());
  detail::check_matrix_sizes("permute: columns", columns.size(), from.columns());
  return sparse_matrix<T>::make(from.rows(), from.columns(), [=](typename sparse_matrix<T>::adder add) {
    return detail::permute_here(from, rows, columns, add);
  });
}

/// Copies the whole matrix to the caller's place.
template <class T>
task<gathered_matrix<T>> gather(sparse_matrix<T> m) {
  gathered_matrix<T> all;
  for (unsigned p = 0; p < places(); ++p) {
    auto const place = static_cast<place_id>(p);
    std::uint64_t const first = m.begin_at(place);
    std::uint64_t const count = m.end_at(place) - first;
    if (count == 0) continue;
    std::vector<std::uint64_t> offsets(count + 1);
    co_await get(m.bounds(first), std::span(offsets));
    std::uint64_t const before = all.columns.size();
    all.columns.resize(before + offsets[count]);
    if (offsets[count] != 0) co_await get(m.column(first, 0), std::span(all.columns).subspan(before));
    if constexpr (detail::entries_have_values<T>) {
      all.values.resize(all.columns.size());
      if (offsets[count] != 0) co_await get(m.value(first, 0), std::span(all.values).subspan(before));
    }
    for (std::uint64_t i = 1; i <= count; ++i) all.offsets.push_back(before + offsets[i]);
  }
  co_return all;
}

}  // namespace tess
