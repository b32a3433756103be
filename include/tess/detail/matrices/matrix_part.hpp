// matrix_part: what one place has of a sparse matrix, from the counting of its entries to the sorting of its rows.
#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tess/detail/min_max.hpp"
#include "tess/error.hpp"
#include "tess/global_ptr.hpp"
#include "tess/matrix_rows.hpp"
#include "tess/memory.hpp"
#include "tess/place.hpp"
#include "tess/place_local.hpp"

namespace tess {

namespace detail {

template <class T>
inline constexpr bool entries_have_values = !std::is_same_v<T, pattern>;

/// Which elements of a vector the rows of a place need (matrix_algorithms.hpp).
struct needed_columns {
  std::vector<std::uint32_t> columns;    ///< in order, each once
  std::vector<std::uint32_t> positions;  ///< of each entry's column in these
  bool known = false;
};

/// Where the arrays of one place are.
template <class T>
struct matrix_addresses {
  global_ptr<std::uint64_t> offsets;
  global_ptr<std::uint32_t> columns;
  global_ptr<T> values;
};

/// What one place has of a matrix.
template <class T>
struct matrix_part {
  matrix_rows<T> rows;
  std::uint64_t* slots = nullptr;  ///< of each row: its entries counted so far; after lay_out() its next position
  std::uint64_t* offsets = nullptr;
  std::uint32_t* columns = nullptr;
  T* values = nullptr;
  std::vector<matrix_addresses<T>> all;  ///< by place
  needed_columns needed;
  bool owner = false;  ///< of the rows' memory

  /// Relaxed: the finish of a step orders it before the next one.
  std::uint64_t take(std::uint32_t row, std::uint64_t n) {
    std::uint64_t& slot = slots[row - rows.first];
    if (workers() != 1) return std::atomic_ref<std::uint64_t>(slot).fetch_add(n, std::memory_order_relaxed);
    return std::exchange(slot, slot + n);
  }
  void append(matrix_entry<T> const& e) {
    std::uint64_t const position = take(e.row, 1);
    if (position >= offsets[e.row - rows.first + 1]) [[unlikely]]
      throw error("sparse_matrix: row " + std::to_string(e.row), "more entries were stored than counted",
                  "the same entries in both passes");
    columns[position] = e.column;
    if constexpr (entries_have_values<T>) values[position] = e.value;
  }

  void allocate_rows() {
    owner = true;
    offsets = allocate<std::uint64_t>(rows.count + 1).local();
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < rows.count; ++i) {
      offsets[i] = sum;
      sum += std::exchange(slots[i], sum);
    }
    offsets[rows.count] = sum;
    columns = allocate<std::uint32_t>(max_of(sum, 1)).local();
    if constexpr (entries_have_values<T>) values = allocate<T>(max_of(sum, 1)).local();
    rows.offsets = offsets;
    rows.columns = columns;
    rows.values = values;
  }
  void give_back() {
    if (!owner) return;
    if (offsets != nullptr) tess::deallocate(tess::to_global(offsets));
    if (columns != nullptr) tess::deallocate(tess::to_global(columns));
    if (values != nullptr) tess::deallocate(tess::to_global(values));
  }
  [[nodiscard]] matrix_addresses<T> addresses() const {
    matrix_addresses<T> a{tess::to_global(const_cast<std::uint64_t*>(rows.offsets)),
                          tess::to_global(const_cast<std::uint32_t*>(rows.columns)),
                          {}};
    if constexpr (entries_have_values<T>) a.values = tess::to_global(const_cast<T*>(rows.values));
    return a;
  }

  /// Sorts a row by column; entries of one column by value, so that their sum does not depend on their arrival. Returns
  /// whether a column occurs twice.
  bool sort_row(std::uint64_t i) {
    std::uint64_t const begin = offsets[i], end = offsets[i + 1];
    if (slots[i] != end)
      throw error("sparse_matrix: row " + std::to_string(rows.first + i), "fewer entries were stored than counted",
                  "the same entries in both passes");
    if constexpr (entries_have_values<T>) {
      std::vector<std::pair<std::uint32_t, T>> row;
      row.reserve(end - begin);
      for (std::uint64_t k = begin; k < end; ++k) row.emplace_back(columns[k], values[k]);
      std::sort(row.begin(), row.end(), [](auto const& a, auto const& b) {
        if constexpr (std::totally_ordered<T>)
          if (a.first == b.first) return a.second < b.second;
        return a.first < b.first;
      });
      for (std::uint64_t k = begin; k < end; ++k) {
        columns[k] = row[k - begin].first;
        values[k] = row[k - begin].second;
      }
    } else {
      std::sort(columns + begin, columns + end);
    }
    return std::adjacent_find(columns + begin, columns + end) != columns + end;
  }
  /// Combines entries of one column.
  template <class Op>
  void unite(Op const& op) {
    std::uint64_t to = 0;
    for (std::uint64_t i = 0; i < rows.count; ++i) {
      std::uint64_t const begin = std::exchange(offsets[i], to);
      // The next row's begin is still this one's end.
      for (std::uint64_t k = begin; k < offsets[i + 1]; ++k) {
        bool const again = to != offsets[i] && columns[to - 1] == columns[k];
        if constexpr (entries_have_values<T>) {
          if (again)
            values[to - 1] = op(values[to - 1], values[k]);
          else
            values[to] = values[k];
        }
        if (!again) columns[to++] = columns[k];
      }
    }
    offsets[rows.count] = to;
  }
};

template <class T>
using matrix_parts = place_local<matrix_part<T>>;

/// What arrives at the owners of rows, as items of a stream.
template <class T>
struct count_arrivals {
  matrix_parts<T> parts;
  void operator()(std::span<std::uint32_t const> rows) const {
    for (std::uint32_t const row : rows) static_cast<void>(parts->take(row, 1));
  }
};
template <class T>
struct append_arrivals {
  matrix_parts<T> parts;
  void operator()(std::span<matrix_entry<T> const> entries) const {
    for (matrix_entry<T> const& e : entries) parts->append(e);
  }
};

constexpr std::uint64_t rows_per_task = 256;

}  // namespace detail

}  // namespace tess
