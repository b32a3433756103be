// topological_sort: removes rows, by words or messages, and numbers them afterwards.
#include "kernels/topological_sort.hpp"

#include <algorithm>
#include <atomic>
#include <span>
#include <string>
#include <utility>

namespace kernels {

namespace {

constexpr unsigned in_flight = 32;
constexpr std::uint64_t rows_per_task = 256;
constexpr std::uint64_t one_entry = std::uint64_t{1} << 32;
constexpr vertex no_column = ~vertex{0};

// One call, from the view of every place.
struct sorting {
  sparse_matrix m;
  sparse_matrix transposed;
  tess::global_array<std::uint64_t> left;    // the sum of (2^32 + column) over the entries left
  tess::global_array<std::uint32_t> levels;  // so far
  tess::global_array<vertex> pivots;         // the column of a row that went
  permutation rows;                          // the order found
  permutation columns;
};
using sorting_name = tess::place_local<sorting>;

// A column whose row was removed.
struct freed {
  vertex row;
  vertex column;
  std::uint32_t level;
};

bool one_is_left(std::uint64_t left) noexcept {
  return left >> 32 == 1;
}

// By words.

tess::task<void> go_by_words(sorting const& s, vertex row, vertex column) {
  co_await tess::put(s.pivots[row], column);
  std::uint32_t const level = co_await tess::get(s.levels[row]);
  std::uint64_t bounds[2];
  co_await tess::get(s.transposed.bounds(column), std::span<std::uint64_t>(bounds));
  if (bounds[1] - bounds[0] < 2) co_return;
  std::vector<vertex> others(bounds[1] - bounds[0]);
  co_await tess::get(s.transposed.column(column, bounds[0]), std::span(others));
  std::erase(others, row);
  co_await tess::overlap<in_flight>(0, others.size(), [&s, level, rows = others.data()](std::uint64_t k) {
    return tess::fetch_max(s.levels[rows[k]], level + 1);
  });
  std::vector<entry> next;
  // The task that removes the last entry but one finds the final level: each level was raised before its entry left.
  co_await tess::overlap<in_flight>(
      0, others.size(),
      [&s, column, rows = others.data()](std::uint64_t k) {
        return tess::fetch_sub(s.left[rows[k]], one_entry + column);
      },
      [&next, column, rows = others.data()](std::uint64_t k, std::uint64_t before) {
        std::uint64_t const now = before - one_entry - column;
        if (one_is_left(now)) next.push_back({rows[k], static_cast<vertex>(now), {}});
      });
  for (entry const& e : next) tess::spawn(go_by_words(s, e.row, e.column));
}

// By messages.

void free_column(sorting_name here, freed f);

void tell_column(sorting_name here, freed f) {
  tess::at_async(here->transposed.owner(f.column), [](sorting_name there, freed g) { free_column(there, g); }, here, f);
}

// At the row's place: the entry in this column leaves the row.
void leave_row(sorting_name here, freed f) {
  sorting const& s = *here;
  std::uint64_t const i = f.row - s.m.local().first;
  std::atomic_ref<std::uint32_t> const level(s.levels.local()[i]);
  std::uint32_t known = level.load(std::memory_order_relaxed);
  while (known < f.level && !level.compare_exchange_weak(known, f.level, std::memory_order_relaxed)) {
  }
  // Releases the level and acquires those of the others: the task that leaves one entry sees all of them.
  std::atomic_ref<std::uint64_t> const left(s.left.local()[i]);
  std::uint64_t const entry_left = one_entry + f.column;
  std::uint64_t const now = left.fetch_sub(entry_left, std::memory_order_acq_rel) - entry_left;
  if (!one_is_left(now)) return;
  auto const column = static_cast<vertex>(now);
  s.pivots.local()[i] = column;
  tell_column(here, {f.row, column, level.load(std::memory_order_relaxed)});
}

// At the column's place: its row was removed, so all other rows lose an entry.
void free_column(sorting_name here, freed f) {
  sorting const& s = *here;
  matrix_rows const& mine = s.transposed.local();
  for (vertex const row : mine.columns_of(f.column - mine.first))
    if (row != f.row)
      tess::at_async(
          s.m.owner(row), [](sorting_name there, freed g) { leave_row(there, g); }, here,
          freed{row, f.column, f.level + 1});
}

// Sums over rows; no entry is removed before all sums are complete.
void add_up(sorting const& s, std::uint64_t begin, std::uint64_t end) {
  matrix_rows const& rows = s.m.local();
  for (std::uint64_t i = begin; i < end; ++i) {
    std::uint64_t sum = 0;
    for (vertex const column : rows.columns_of(i)) sum += one_entry + column;
    s.left.local()[i] = sum;
    s.pivots.local()[i] = no_column;
  }
}

tess::task<void> start(sorting_name here, form how, std::uint64_t begin, std::uint64_t end) {
  sorting const& s = *here;
  matrix_rows const& mine = s.m.local();
  for (std::uint64_t i = begin; i < end; ++i) {
    if (mine.degree(i) != 1) continue;
    auto const row = static_cast<vertex>(mine.first + i);
    vertex const column = mine.columns_of(i)[0];
    if (how == form::words) {
      tess::spawn(go_by_words(s, row, column));
    } else {
      s.pivots.local()[i] = column;
      tell_column(here, {row, column, 0});
    }
  }
  co_return;
}

// After all rows were removed: the number of levels, and of rows of this place that could not be removed.
struct outcome {
  std::uint32_t levels = 0;
  std::uint64_t stuck = 0;
};
outcome outcome_here(sorting const& s) {
  outcome o;
  for (std::uint32_t const level : s.levels.local()) o.levels = std::max(o.levels, level + 1);
  for (vertex const column : s.pivots.local()) o.stuck += column == no_column;
  return o;
}

// [levels][places]: how many rows of this level this place has; then, how many rows come before these.
using level_counts = tess::global_array<std::uint64_t>;

tess::task<void> count_levels(sorting const& s, level_counts counts) {
  std::vector<std::uint64_t> here(counts.size() / tess::places());
  for (std::uint32_t const level : s.levels.local()) ++here[level];
  co_await tess::overlap<in_flight>(0, here.size(), [&here, counts, p = tess::here()](std::uint64_t level) {
    return tess::put(counts[level * tess::places() + p], here[level]);
  });
}

tess::task<void> counts_to_places(level_counts counts) {
  std::uint64_t sum = 0;
  for (std::uint64_t const count : counts.local()) sum += count;
  std::uint64_t before = co_await tess::prefix_sum(sum);
  for (std::uint64_t& count : counts.local()) before += std::exchange(count, before);
}

// The first rows to be removed are the last of the triangle.
tess::task<void> number_rows(sorting_name here, level_counts counts, form how) {
  sorting const& s = *here;
  std::vector<std::uint64_t> next(counts.size() / tess::places());
  co_await tess::overlap<in_flight>(
      0, next.size(),
      [counts, p = tess::here()](std::uint64_t level) { return tess::get(counts[level * tess::places() + p]); },
      [&next](std::uint64_t level, std::uint64_t first) { next[level] = first; });
  std::span<std::uint32_t> const numbers = s.rows.local();
  std::span<std::uint32_t const> const levels = s.levels.local();
  for (std::uint64_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<std::uint32_t>(s.m.rows() - 1 - next[levels[i]]++);
  std::span<vertex const> const pivots = s.pivots.local();
  if (how == form::words) {
    co_await tess::overlap<in_flight>(0, numbers.size(), [&s, pivots, numbers](std::uint64_t i) {
      return tess::put(s.columns[pivots[i]], numbers[i]);
    });
    co_return;
  }
  for (std::uint64_t i = 0; i < numbers.size(); ++i)
    tess::at_async(
        s.columns.owner(pivots[i]),
        [](sorting_name there, vertex column, std::uint32_t number) {
          permutation const& columns = there->columns;
          columns.local()[column - columns.begin_at(tess::here())] = number;
        },
        here, pivots[i], numbers[i]);
}

tess::task<void> number_all(sorting_name name, std::uint64_t levels, form how) {
  level_counts const counts = co_await level_counts::make(levels * tess::places());
  co_await tess::on_all_places(
      [](sorting_name here, level_counts c) -> tess::task<void> { return count_levels(*here, c); }, name, counts);
  co_await tess::on_all_places([](level_counts c) -> tess::task<void> { return counts_to_places(c); }, counts);
  co_await tess::on_all_places(
      [](sorting_name here, level_counts c, form f) -> tess::task<void> { return number_rows(here, c, f); }, name,
      counts, how);
  co_await level_counts::release(counts);
}

// Removes all rows that can be removed.
tess::task<void> free_rows(sorting_name name, form how) {
  co_await tess::on_all_places(
      [](sorting_name here) -> tess::task<void> {
        co_await tess::forall_chunks(0, here->m.local().count, rows_per_task,
                                     [&s = *here](std::uint64_t begin, std::uint64_t end) { add_up(s, begin, end); });
      },
      name);
  co_await tess::on_all_places(
      [](sorting_name here, form f) -> tess::task<void> {
        co_await tess::forall_chunks(
            0, here->m.local().count, rows_per_task,
            [=](std::uint64_t begin, std::uint64_t end) { return start(here, f, begin, end); });
      },
      name, how);
}

}  // namespace

tess::task<triangular_order> topological_sort(sparse_matrix m, sparse_matrix transposed, form how) {
  sorting s{.m = m, .transposed = transposed, .left = {}, .levels = {}, .pivots = {}, .rows = {}, .columns = {}};
  s.left = co_await tess::global_array<std::uint64_t>::make(m.rows(), 64);
  s.levels = co_await tess::global_array<std::uint32_t>::make(m.rows(), 64);
  s.pivots = co_await tess::global_array<vertex>::make(m.rows(), 64);
  s.rows = co_await permutation::make(m.rows(), 64);
  s.columns = co_await permutation::make(m.rows(), 64);
  auto const name = co_await sorting_name::make(s);
  co_await free_rows(name, how);
  outcome all;
  for (unsigned p = 0; p < tess::places(); ++p) {
    outcome const there =
        co_await tess::at(static_cast<tess::place_id>(p), [](sorting_name here) { return outcome_here(*here); }, name);
    all.levels = std::max(all.levels, there.levels);
    all.stuck += there.stuck;
  }
  if (all.stuck == 0) co_await number_all(name, all.levels, how);
  co_await sorting_name::release(name);
  co_await tess::global_array<vertex>::release(s.pivots);
  co_await tess::global_array<std::uint32_t>::release(s.levels);
  co_await tess::global_array<std::uint64_t>::release(s.left);
  if (all.stuck == 0) co_return triangular_order{s.rows, s.columns, all.levels};
  co_await permutation::release(s.columns);
  co_await permutation::release(s.rows);
  throw tess::error("topological_sort: no order makes this matrix upper triangular: " + std::to_string(all.stuck) +
                    " rows wait for each other, or lack an entry of their own");
}

}  // namespace kernels
