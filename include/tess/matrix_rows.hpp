// matrix_rows: the rows of a sparse matrix that one place has, a copy of one row, and an entry (sparse_matrix.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tess/detail/objects/plain_data.hpp"

namespace tess {

/// The value of entries that have none.
struct pattern {
  friend constexpr bool operator==(pattern, pattern) noexcept { return true; }
};

/// An entry of a matrix, by its numbers in the whole matrix.
template <class T = pattern>
struct matrix_entry {
  std::uint32_t row;
  std::uint32_t column;
  [[no_unique_address]] T value;

  friend bool operator==(matrix_entry const&, matrix_entry const&) = default;
};
template <detail::complex_number T>
inline constexpr bool plain_data<matrix_entry<T>> = true;

/// The rows of one place, numbered from 0: row i of them is row first + i of the matrix. All arrays are in the segment.
template <class T = pattern>
struct matrix_rows {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  std::uint64_t const* offsets = nullptr;  ///< [count + 1], of columns and values
  std::uint32_t const* columns = nullptr;
  T const* values = nullptr;  ///< null if entries have no values

  /// In all of them.
  [[nodiscard]] std::uint64_t entries() const noexcept { return count == 0 ? 0 : offsets[count]; }
  /// Entries of row i.
  [[nodiscard]] std::uint64_t degree(std::uint64_t i) const noexcept { return offsets[i + 1] - offsets[i]; }
  /// The columns of row i, in order.
  [[nodiscard]] std::span<std::uint32_t const> columns_of(std::uint64_t i) const noexcept {
    return {columns + offsets[i], columns + offsets[i + 1]};
  }
  /// The values of row i, if entries have any.
  [[nodiscard]] std::span<T const> values_of(std::uint64_t i) const noexcept {
    return {values + offsets[i], values + offsets[i + 1]};
  }
};

/// A copy of one row.
template <class T = pattern>
struct matrix_row {
  std::vector<std::uint32_t> columns;
  std::vector<T> values;  ///< empty if entries have none
};

}  // namespace tess
