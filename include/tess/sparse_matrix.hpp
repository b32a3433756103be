// sparse_matrix: a matrix of few entries, as compressed rows; every place holds a block of the rows.
//
//   Made by one task for all places; the handle is a value that travels in `at`. All places generate the entries
//   together, each those that it likes, of any rows. They do so twice, to count and to store, so no list is held:
//
//     auto const a = co_await sparse_matrix<double>::make(n, n, [n](auto add) {  // at every place, twice
//       for (std::uint64_t i = here(); i < n; i += places()) {
//         add(i, i, 2.0);
//         if (i + 1 < n) add(i, i + 1, -1.0);
//       }
//     });
//     auto const rows = a.local();                             // this place's rows: offsets, columns, values
//     auto const row = co_await a.row(7);                      // a row of any place, copied
//     co_await sparse_matrix<double>::release(a);
//
//   matrix_algorithms.hpp multiplies, transposes, permutes and gathers. sparse_matrix<> has entries without values: a
//   pattern, or a graph. A matrix can also be made step by step (count, lay_out, append, finish), and be a view of rows
//   that are in memory already.
//
// Shapes    [rows()][columns()], rows in blocks of block(), a multiple of 64. Rows are sorted by column.
// Units     T: trivially copyable, aligned to 8 at most. At most 2^32 - 1 rows and columns.
// Threads   made, changed from step to step and released by one task, for all; local() by any task of the place.
// Errors    tess::error if an entry lies outside, or if the two passes generate different entries: nothing is left.
// Cost      4 bytes and a value for an entry, 8 for a row, 24 for each place at each place; 8 more for a row while it
//           is made. An entry costs an item of a stream of 4 bytes, then one of 8 and the value, and its row's sorting.
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tess/at.hpp"
#include "tess/block.hpp"
#include "tess/detail/matrices/matrix_part.hpp"
#include "tess/error.hpp"
#include "tess/exchange.hpp"
#include "tess/forall.hpp"
#include "tess/global_array.hpp"
#include "tess/matrix_rows.hpp"
#include "tess/place_local.hpp"
#include "tess/stream.hpp"

namespace tess {

template <class T = pattern>
class sparse_matrix {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 8);

 public:
  using value_type = T;

  /// What make() passes to the function that generates entries: add(row, column, value).
  class adder {
   public:
    /// Counts in the first pass, stores in the second; throws tess::error if the entry lies outside.
    void operator()(std::uint64_t row, std::uint64_t column, T value = {}) const {
      if (row >= matrix_.rows_ || column >= matrix_.columns_) [[unlikely]]
        throw error("sparse_matrix: entry " + std::to_string(row) + ", " + std::to_string(column),
                    "lies outside of a matrix of " + std::to_string(matrix_.rows_) + " rows and " +
                        std::to_string(matrix_.columns_) + " columns",
                    "");
      auto const r = static_cast<std::uint32_t>(row);
      place_id const p = matrix_.owner(r);
      if (counts_ && p == here())
        matrix_.count(r, 1);
      else if (counts_)
        count_.send(p, r);
      else if (matrix_entry<T> const e{r, static_cast<std::uint32_t>(column), value}; p == here())
        matrix_.append(e);
      else
        append_.send(p, e);
    }

   private:
    friend class sparse_matrix;
    adder(sparse_matrix const& m, bool counts)
        : matrix_(m), counts_(counts), count_({m.parts_}), append_(detail::append_arrivals<T>{m.parts_}) {}

    sparse_matrix matrix_;
    bool counts_;
    stream<std::uint32_t, detail::count_arrivals<T>> count_;
    stream<matrix_entry<T>, detail::append_arrivals<T>> append_;
  };

  sparse_matrix() = default;

  /// Makes a matrix of the entries that generate(add) adds; it is called at every place, twice, and must add the same
  /// entries both times. It returns void or task<> and travels as for at_async. Values of entries with equal row and
  /// column are combined by op: associative and commutative, T(T const&, T const&).
  template <class F, class Op = detail::addition>
    requires std::invocable<F&, adder>
  static task<sparse_matrix> make(std::uint64_t rows, std::uint64_t columns, F generate, Op op = {}) {
    sparse_matrix m = co_await make(rows, columns);
    std::exception_ptr failed;
    try {
      co_await m.pass(generate, true);
      co_await m.lay_out();
      co_await m.pass(generate, false);
      co_await m.finish(op);
    } catch (...) {
      failed = std::current_exception();
    }
    if (failed) {
      co_await release(m);
      std::rethrow_exception(std::move(failed));
    }
    co_return m;
  }
  /// Makes a matrix of rows that are in memory already: rows_here() returns those of its place, as many as begin_at and
  /// end_at say for blocks of `block` rows, and the memory stays the caller's.
  template <class F>
    requires std::same_as<std::invoke_result_t<F&>, matrix_rows<T>>
  static task<sparse_matrix> view(std::uint64_t rows, std::uint64_t columns, std::uint64_t block, F rows_here) {
    sparse_matrix m(rows, columns, block);
    m.parts_ = co_await parts_type::make();
    co_await on_all_places([](parts_type parts, F f) { parts->rows = f(); }, m.parts_, rows_here);
    co_await m.publish();
    co_return m;
  }
  /// One task calls it, for all, when no task uses the matrix any more.
  static task<void> release(sparse_matrix m) {
    co_await on_all_places([](parts_type parts) { parts->give_back(); }, m.parts_);
    co_await parts_type::release(m.parts_);
    if (m.slots_.size() != 0) co_await global_array<std::uint64_t>::release(m.slots_);
  }

  /// Rows of the whole matrix.
  [[nodiscard]] std::uint64_t rows() const noexcept { return rows_; }
  /// Columns of the whole matrix.
  [[nodiscard]] std::uint64_t columns() const noexcept { return columns_; }
  /// Known after lay_out(); after finish() without those that were combined with others.
  [[nodiscard]] std::uint64_t entries() const noexcept { return entries_; }
  /// Rows per place (the last places may have fewer): that of a global_array made by make(rows(), 64).
  [[nodiscard]] std::uint64_t block() const noexcept { return block_; }
  /// The place that has this row.
  [[nodiscard]] place_id owner(std::uint64_t row) const noexcept {
    // As in global_array: exact for 32-bit rows.
    return static_cast<place_id>(static_cast<unsigned __int128>(row) * reciprocal_ >> 64U);
  }
  /// First row of a place, and one past its last.
  [[nodiscard]] std::uint64_t begin_at(place_id p) const noexcept { return detail::min_of(p * block_, rows_); }
  [[nodiscard]] std::uint64_t end_at(place_id p) const noexcept {
    return detail::min_of((p + std::uint64_t{1}) * block_, rows_);
  }

  /// This place's rows.
  [[nodiscard]] matrix_rows<T> const& local() const { return parts_->rows; }
  /// A row of any place.
  [[nodiscard]] task<matrix_row<T>> row(std::uint64_t i) const {
    sparse_matrix const m = *this;
    std::uint64_t ends[2];
    co_await get(m.bounds(i), std::span<std::uint64_t>(ends));
    matrix_row<T> copied;
    copied.columns.resize(ends[1] - ends[0]);
    if (copied.columns.empty()) co_return copied;
    co_await get(m.column(i, ends[0]), std::span(copied.columns));
    if constexpr (detail::entries_have_values<T>) {
      copied.values.resize(ends[1] - ends[0]);
      co_await get(m.value(i, ends[0]), std::span(copied.values));
    }
    co_return copied;
  }
  /// Addresses of a row's arrays at its owner: where its first entry is counted from, and behind it where its last one
  /// ends; and the column and value of the entry at such a position.
  [[nodiscard]] global_ptr<std::uint64_t> bounds(std::uint64_t row) const {
    place_id const p = owner(row);
    return parts_->all[p].offsets + static_cast<std::ptrdiff_t>(row - begin_at(p));
  }
  [[nodiscard]] global_ptr<std::uint32_t> column(std::uint64_t row, std::uint64_t position) const {
    return parts_->all[owner(row)].columns + static_cast<std::ptrdiff_t>(position);
  }
  [[nodiscard]] global_ptr<T> value(std::uint64_t row, std::uint64_t position) const {
    return parts_->all[owner(row)].values + static_cast<std::ptrdiff_t>(position);
  }

  /// The first step of making a matrix by hand: no entries, slots of zero.
  static task<sparse_matrix> make(std::uint64_t rows, std::uint64_t columns) {
    if (detail::max_of(rows, columns) >= std::uint64_t{1} << 32U)
      throw error("sparse_matrix: " + std::to_string(rows) + " rows, " + std::to_string(columns) + " columns",
                  "too many", "at most 2^32 - 1");
    auto const slots = co_await global_array<std::uint64_t>::make(detail::max_of(rows, 1), 64);
    sparse_matrix m(rows, columns, slots.block());
    m.slots_ = slots;
    m.parts_ = co_await parts_type::make();
    co_await on_all_places(
        [](parts_type parts, sparse_matrix made) {
          parts->rows.first = made.begin_at(here());
          parts->rows.count = made.end_at(here()) - parts->rows.first;
          parts->slots = made.slots_.local().data();
        },
        m.parts_, m);
    co_return m;
  }
  /// Counts entries of a row of this place. Tasks of other places may add to slot() instead.
  void count(std::uint64_t row, std::uint64_t n) const {
    static_cast<void>(parts_->take(static_cast<std::uint32_t>(row), n));
  }
  /// Takes memory for the entries that were counted; each slot becomes the position of its row's next entry.
  [[nodiscard]] task<void> lay_out() {
    co_await on_all_places([](parts_type parts) { parts->allocate_rows(); }, parts_);
    co_await publish();
  }
  /// Stores an entry of a row of this place. Tasks of other places may write to column() and value() instead, at
  /// positions that they took from slot().
  void append(matrix_entry<T> const& e) const { parts_->append(e); }
  [[nodiscard]] global_ptr<std::uint64_t> slot(std::uint64_t row) const noexcept { return slots_[row]; }
  /// Sorts the rows and combines entries of equal row and column; the last step.
  template <class Op = detail::addition>
  [[nodiscard]] task<void> finish(Op op = {}) {
    co_await on_all_places([](parts_type parts, Op combine) { return finish_here(parts, combine); }, parts_, op);
    co_await global_array<std::uint64_t>::release(std::exchange(slots_, {}));
    co_await count_entries();
  }

  /// For the functions of matrix_algorithms.hpp.
  [[nodiscard]] detail::matrix_parts<T> parts() const noexcept { return parts_; }

 private:
  using parts_type = detail::matrix_parts<T>;

  sparse_matrix(std::uint64_t rows, std::uint64_t columns, std::uint64_t block) noexcept
      : rows_(rows), columns_(columns), block_(block), reciprocal_(~std::uint64_t{0} / block + 1) {}

  template <class F>
  task<void> pass(F generate, bool counts) const {
    // In a task: it waits while there is no room for what it sends.
    return on_all_places(
        [](sparse_matrix m, F f, bool c) -> task<void> {
          adder const add(m, c);
          if constexpr (std::is_void_v<std::invoke_result_t<F&, adder>>)
            f(add);
          else
            co_await f(add);
          co_return;
        },
        *this, generate, counts);
  }
  template <class Op>
  static task<void> finish_here(parts_type parts, Op op) {
    std::atomic<bool> twice = false;
    co_await forall_chunks(0, parts->rows.count, detail::rows_per_task, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i < end; ++i)
        if (parts->sort_row(i)) twice.store(true, std::memory_order_relaxed);
    });
    if (twice) parts->unite(op);
    parts->slots = nullptr;
  }
  /// Tells every place the others' addresses.
  task<void> publish() {
    co_await on_all_places([](parts_type parts) -> task<void> { parts->all = co_await all_gather(parts->addresses()); },
                           parts_);
    co_await count_entries();
  }
  task<void> count_entries() {
    entries_ = 0;
    for (unsigned p = 0; p < places(); ++p)
      entries_ += co_await at(static_cast<place_id>(p), [](parts_type parts) { return parts->rows.entries(); }, parts_);
  }

  parts_type parts_;
  global_array<std::uint64_t> slots_;
  std::uint64_t rows_ = 0;
  std::uint64_t columns_ = 0;
  std::uint64_t block_ = 64;
  std::uint64_t reciprocal_ = 0;
  std::uint64_t entries_ = 0;
};

template <class T>
inline constexpr bool plain_data<sparse_matrix<T>> = true;

}  // namespace tess
