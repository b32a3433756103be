// topological_sort: freeing rows, by words or messages, and numbering them afterwards.
#include "kernels/topological_sort.hpp"

#include <atomic>
#include <span>

namespace kernels {

namespace {

constexpr unsigned in_flight = 32;
constexpr std::uint64_t rows_per_task = 256;
constexpr std::uint64_t one_entry = std::uint64_t{1} << 32;
constexpr vertex no_column = ~vertex{0};

// One call, as every place sees it.
struct sorting {
  sparse_matrix m;
  sparse_matrix transposed;
  tess::global_array<std::uint64_t> left;    // the sum of (2^32 + column) over the entries left
  tess::global_array<std::uint32_t> levels;  // so far
  tess::global_array<vertex> pivots;         // the column of a row that went
};
using sorting_name = tess::place_local<sorting>;

// A column whose row went.
struct freed {
  vertex row;
  vertex column;
  std::uint32_t level;
};

bool one_is_left(std::uint64_t left) noexcept {
  return left >> 32 == 1;
}

// words ---------------------------------------------------------------------------------------------------------------

tess::task<void> go_by_words(sorting const& s, vertex row, vertex column) {
  co_await tess::put(s.pivots[row], column);
  std::uint32_t const level = co_await tess::get(s.levels[row]);
  std::uint64_t bounds[2];
  co_await tess::get(s.transposed.bounds(column), std::span(bounds));
  if (bounds[1] - bounds[0] < 2) co_return;
  std::vector<vertex> others(bounds[1] - bounds[0]);
  co_await tess::get(s.transposed.at(column, bounds[0]), std::span(others));
  std::erase(others, row);
  co_await tess::overlap<in_flight>(0, others.size(), [&s, level, rows = others.data()](std::uint64_t k) {
    return tess::fetch_max(s.levels[rows[k]], level + 1);
  });
  // Whoever takes the last but one finds all levels in place, as each was raised before its entry left.
  co_await tess::overlap<in_flight>(
      0, others.size(),
      [&s, column, rows = others.data()](std::uint64_t k) {
        return tess::fetch_sub(s.left[rows[k]], one_entry + column);
      },
      [&s, column, rows = others.data()](std::uint64_t k, std::uint64_t before) {
        std::uint64_t const now = before - one_entry - column;
        if (one_is_left(now)) tess::spawn(go_by_words(s, rows[k], static_cast<vertex>(now)));
      });
}

// messages ------------------------------------------------------------------------------------------------------------

void free_column(sorting_name here, freed f);

// At the row's place: the entry in this column leaves the row.
void leave_row(sorting_name here, freed f) {
  sorting const& s = *here;
  std::uint64_t const i = f.row - s.m.part().first;
  std::atomic_ref<std::uint32_t> const level(s.levels.local()[i]);
  std::uint32_t known = level.load(std::memory_order_relaxed);
  while (known < f.level && !level.compare_exchange_weak(known, f.level, std::memory_order_relaxed)) {
  }
  // Release the level, acquire those of the others: whoever leaves one entry behind sees all of them.
  std::atomic_ref<std::uint64_t> const left(s.left.local()[i]);
  std::uint64_t const entry_left = one_entry + f.column;
  std::uint64_t const now = left.fetch_sub(entry_left, std::memory_order_acq_rel) - entry_left;
  if (!one_is_left(now)) return;
  auto const column = static_cast<vertex>(now);
  s.pivots.local()[i] = column;
  tess::at_async(s.transposed.owner(column), free_column, here,
                 freed{f.row, column, level.load(std::memory_order_relaxed)});
}

// At the column's place: its row went, so all others lose an entry.
void free_column(sorting_name here, freed f) {
  sorting const& s = *here;
  matrix_part const& mine = s.transposed.part();
  for (vertex const row : mine.rows.neighbours(f.column - mine.first))
    if (row != f.row) tess::at_async(s.m.owner(row), leave_row, here, freed{row, f.column, f.level + 1});
}

// both ----------------------------------------------------------------------------------------------------------------

// Sums over rows; nothing leaves a row before all are there.
void add_up(sorting const& s, std::uint64_t begin, std::uint64_t end) {
  graph::rows const rows = s.m.part().rows;
  for (std::uint64_t i = begin; i < end; ++i) {
    std::uint64_t sum = 0;
    for (vertex const column : rows.neighbours(i)) sum += one_entry + column;
    s.left.local()[i] = sum;
    s.pivots.local()[i] = no_column;
  }
}

tess::task<void> start(sorting_name here, form how, std::uint64_t begin, std::uint64_t end) {
  sorting const& s = *here;
  matrix_part const& mine = s.m.part();
  for (std::uint64_t i = begin; i < end; ++i) {
    if (mine.rows.degree(i) != 1) continue;
    auto const row = static_cast<vertex>(mine.first + i);
    vertex const column = mine.rows.neighbours(i)[0];
    if (how == form::words) {
      tess::spawn(go_by_words(s, row, column));
    } else {
      s.pivots.local()[i] = column;
      tess::at_async(s.transposed.owner(column), free_column, here, freed{row, column, 0});
    }
  }
  co_return;
}

}  // namespace
}  // namespace kernels
