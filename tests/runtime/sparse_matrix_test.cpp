// sparse_matrix: made from entries of all places, and what is done with it, against the same with one table.
// Method: random entries, some twice, of shapes with fewer rows than places and more; both with values and without.
#include <map>
#include <random>
#include <utility>

#include "runtime/run_job.hpp"
#include "runtime/segment_left.hpp"
#include "tess/tess.hpp"

namespace tess::test {
namespace {

class sparse_matrices : public on_layouts {};

using table = std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t>;

struct shape {
  std::uint64_t rows;
  std::uint64_t columns;
  std::uint64_t entries;
};
constexpr shape shapes[] = {{1, 1, 1}, {3, 500, 40}, {500, 3, 200}, {130, 130, 0}, {300, 200, 3000}};

// Entry k of a shape; about every fifth has the place of another one.
matrix_entry<std::int64_t> entry_of(shape s, std::uint64_t k) {
  std::uint64_t const place = k % 5 == 4 ? k - 4 : k;
  std::mt19937_64 random(place * 77 + s.rows);
  auto const row = static_cast<std::uint32_t>(random() % s.rows);
  auto const column = static_cast<std::uint32_t>(random() % s.columns);
  return {row, column, static_cast<std::int64_t>(k % 9) - 4};
}
table expected_of(shape s) {
  table all;
  for (std::uint64_t k = 0; k < s.entries; ++k) {
    auto const e = entry_of(s, k);
    all[{e.row, e.column}] += e.value;
  }
  return all;
}
// Each place adds entries of all rows.
task<sparse_matrix<std::int64_t>> make(shape s) {
  return sparse_matrix<std::int64_t>::make(s.rows, s.columns, [s](auto add) {
    for (std::uint64_t k = here(); k < s.entries; k += places()) {
      auto const e = entry_of(s, k);
      add(e.row, e.column, e.value);
    }
  });
}
table table_of(gathered_matrix<std::int64_t> const& m) {
  table all;
  for (std::uint32_t i = 0; i + 1 < m.offsets.size(); ++i)
    for (std::uint64_t k = m.offsets[i]; k < m.offsets[i + 1]; ++k) {
      if (k > m.offsets[i]) EXPECT_LT(m.columns[k - 1], m.columns[k]);
      all[{i, m.columns[k]}] = m.values[k];
    }
  return all;
}

TEST_P(sparse_matrices, have_the_entries_of_all_places_and_sums_of_equal_ones) {
  run_here([]() -> task<void> {
    std::uint64_t const before = symmetric_left_bytes();
    for (shape const s : shapes) {
      auto const m = co_await make(s);
      table const expected = expected_of(s);
      EXPECT_EQ(m.rows(), s.rows);
      EXPECT_EQ(m.columns(), s.columns);
      EXPECT_EQ(m.entries(), expected.size());
      auto const all = co_await gather(m);
      EXPECT_EQ(all.offsets.size(), s.rows + 1);
      EXPECT_EQ(table_of(all), expected);
      // A row of any place, and what each place has itself.
      std::uint64_t const last = s.rows - 1;
      auto const row = co_await m.row(last);
      EXPECT_EQ(row.columns.size(), all.offsets[last + 1] - all.offsets[last]);
      for (std::size_t k = 0; k < row.columns.size(); ++k)
        EXPECT_EQ(row.values[k], expected.at({static_cast<std::uint32_t>(last), row.columns[k]}));
      std::int64_t sum = 0;
      for (unsigned p = 0; p < places(); ++p)
        sum += co_await at(
            static_cast<place_id>(p),
            [](sparse_matrix<std::int64_t> here_too) {
              std::int64_t s_here = 0;
              auto const& rows = here_too.local();
              for (std::uint64_t i = 0; i < rows.count; ++i)
                for (std::int64_t const x : rows.values_of(i)) s_here += x;
              return s_here;
            },
            m);
      std::int64_t expected_sum = 0;
      for (auto const& [where, value] : expected) expected_sum += value;
      EXPECT_EQ(sum, expected_sum);
      co_await sparse_matrix<std::int64_t>::release(m);
    }
    EXPECT_EQ(symmetric_left_bytes(), before);
  });
}

TEST_P(sparse_matrices, multiply_vectors_of_any_distribution) {
  run_here([]() -> task<void> {
    for (shape const s : shapes) {
      auto const m = co_await make(s);
      auto const x = co_await global_array<std::int64_t>::make(s.columns);
      auto const y = co_await global_array<std::int64_t>::make(s.rows, 64);
      auto const z = co_await global_array<std::int64_t>::make(s.rows);
      co_await forall(x, [](std::uint64_t i, std::int64_t& e) { e = static_cast<std::int64_t>(i * 3) - 7; });
      std::vector<std::int64_t> expected(s.rows);
      for (auto const& [where, value] : expected_of(s))
        expected[where.first] += value * (static_cast<std::int64_t>(where.second) * 3 - 7);
      co_await multiply(m, x, y);
      co_await multiply(m, x, z);
      for (std::uint64_t i = 0; i < s.rows; ++i) {
        EXPECT_EQ(co_await get(y[i]), expected[i]);
        EXPECT_EQ(co_await get(z[i]), expected[i]);
      }
      if (s.rows != s.columns) EXPECT_THROW(static_cast<void>(multiply(m, y, y)), error);
      co_await global_array<std::int64_t>::release(z);
      co_await global_array<std::int64_t>::release(y);
      co_await global_array<std::int64_t>::release(x);
      co_await sparse_matrix<std::int64_t>::release(m);
    }
  });
}

TEST_P(sparse_matrices, are_transposed_and_permuted) {
  run_here([]() -> task<void> {
    for (shape const s : shapes) {
      auto const m = co_await make(s);
      auto const t = co_await transpose(m);
      table transposed, permuted;
      for (auto const& [where, value] : expected_of(s)) {
        transposed[{where.second, where.first}] = value;
        permuted[{static_cast<std::uint32_t>((where.first + 5) % s.rows),
                  static_cast<std::uint32_t>(s.columns - 1 - where.second)}] = value;
      }
      EXPECT_EQ(table_of(co_await gather(t)), transposed);
      auto const rows = co_await global_array<std::uint32_t>::make(s.rows);
      auto const columns = co_await global_array<std::uint32_t>::make(s.columns, 7);
      co_await forall(rows,
                      [n = s.rows](std::uint64_t i, std::uint32_t& r) { r = static_cast<std::uint32_t>((i + 5) % n); });
      co_await forall(
          columns, [n = s.columns](std::uint64_t i, std::uint32_t& c) { c = static_cast<std::uint32_t>(n - 1 - i); });
      auto const p = co_await permute(m, rows, columns);
      EXPECT_EQ(table_of(co_await gather(p)), permuted);
      co_await sparse_matrix<std::int64_t>::release(p);
      co_await global_array<std::uint32_t>::release(columns);
      co_await global_array<std::uint32_t>::release(rows);
      co_await sparse_matrix<std::int64_t>::release(t);
      co_await sparse_matrix<std::int64_t>::release(m);
    }
  });
}

TEST_P(sparse_matrices, without_values_are_patterns_and_generators_may_wait) {
  run_here([]() -> task<void> {
    // Each place adds all of a ring: equal entries are one.
    auto const ring = co_await sparse_matrix<>::make(100, 100, [](auto add) -> task<void> {
      for (std::uint64_t i = 0; i < 100; ++i) {
        add(i, (i + 1) % 100);
        if (i % 10 == 0) co_await yield();
      }
    });
    EXPECT_EQ(ring.entries(), 100U);
    auto const x = co_await global_array<double>::make(100);
    auto const y = co_await global_array<double>::make(100);
    co_await forall(x, [](std::uint64_t i, double& e) { e = static_cast<double>(i); });
    co_await multiply(ring, x, y);
    EXPECT_EQ(co_await get(y[41]), 42.0);
    // A view of the same rows, whose memory stays the first one's.
    auto const view = co_await sparse_matrix<>::view(100, 100, ring.block(), [ring] { return ring.local(); });
    EXPECT_EQ(co_await gather(view), co_await gather(ring));
    co_await sparse_matrix<>::release(view);
    co_await global_array<double>::release(y);
    co_await global_array<double>::release(x);
    co_await sparse_matrix<>::release(ring);
  });
}

TEST_P(sparse_matrices, that_cannot_be_are_refused_and_leave_nothing) {
  run_here([]() -> task<void> {
    std::uint64_t const before = symmetric_left_bytes();
    auto const said = [](auto generate) -> task<std::string> {
      try {
        static_cast<void>(co_await sparse_matrix<double>::make(70, 80, generate));
      } catch (error const& e) {
        co_return e.what();
      }
      co_return "nothing";
    };
    std::string text = co_await said([](auto add) { add(70, 0, 1.0); });
    EXPECT_NE(text.find("entry 70, 0: lies outside of a matrix of 70 rows and 80 columns"), std::string::npos) << text;
    text = co_await said([](auto add) { add(0, 80, 1.0); });
    EXPECT_NE(text.find("lies outside"), std::string::npos) << text;
    // The two passes differ: in each row's number of entries, upwards and downwards.
    auto const calls = co_await place_local<std::uint64_t>::make(std::uint64_t{0});
    text = co_await said([calls](auto add) {
      for (std::uint64_t i = 0; i <= *calls; ++i) add(69, i, 1.0);
      ++*calls;
    });
    EXPECT_NE(text.find("more entries were stored than counted"), std::string::npos) << text;
    co_await on_all_places([](place_local<std::uint64_t> c) { *c = 2; }, calls);
    text = co_await said([calls](auto add) {
      for (std::uint64_t i = 0; i < *calls; ++i) add(69, i, 1.0);
      --*calls;
    });
    EXPECT_NE(text.find("fewer entries were stored than counted"), std::string::npos) << text;
    co_await place_local<std::uint64_t>::release(calls);
    try {
      static_cast<void>(co_await sparse_matrix<>::make(std::uint64_t{1} << 32, 1));
      ADD_FAILURE() << "no error";
    } catch (error const&) {
    }
    EXPECT_EQ(symmetric_left_bytes(), before);
  });
}

INSTANTIATE_TEST_SUITE_P(layouts, sparse_matrices, testing::ValuesIn(all_layouts()), name_of);

}  // namespace
}  // namespace tess::test
