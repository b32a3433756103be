// sort_rows: each row comes out sorted, whatever its length, its neighbours' lengths and the number of vertices.
// Method: random rows of every kind, against std::sort.
#include "graph/sort_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <vector>

namespace {

using lengths = std::function<std::uint64_t(std::uint64_t row)>;

void sorts(std::uint64_t vertices, std::uint64_t rows, lengths const& length) {
  std::mt19937_64 random(vertices ^ rows);
  std::uniform_int_distribution<std::uint32_t> target(0, static_cast<std::uint32_t>(vertices - 1));
  // The first row does not begin with the first entry: a part of all rows is sorted, too.
  std::vector<std::uint64_t> offsets{7};
  for (std::uint64_t i = 0; i < rows; ++i) offsets.push_back(offsets.back() + length(i));
  std::vector<std::uint32_t> entries(offsets.back() + 5);
  std::ranges::generate(entries, [&] { return target(random); });
  std::vector<std::uint32_t> expected = entries;
  for (std::uint64_t i = 0; i < rows; ++i)
    std::sort(expected.begin() + static_cast<std::ptrdiff_t>(offsets[i]),
              expected.begin() + static_cast<std::ptrdiff_t>(offsets[i + 1]));
  graph::sort_rows(offsets, entries.data(), vertices);
  EXPECT_EQ(entries, expected) << vertices << " vertices, " << rows << " rows";
}

constexpr std::uint64_t vertices_of[] = {1, 2, 1000, 2048, 2049, 1 << 20, (1U << 22) + 1, (1ULL << 32) - 1};

TEST(sort_rows, sorts_rows_of_any_length) {
  for (std::uint64_t const vertices : vertices_of) {
    sorts(vertices, 0, [](std::uint64_t) { return 0; });
    sorts(vertices, 1, [](std::uint64_t) { return 0; });
    sorts(vertices, 5000, [](std::uint64_t) { return 3; });    // short: one by one
    sorts(vertices, 5000, [](std::uint64_t) { return 20; });   // several groups
    sorts(vertices, 40, [](std::uint64_t) { return 5000; });   // a few rows to a group
    sorts(vertices, 3, [](std::uint64_t) { return 40'000; });  // each longer than a group
  }
}

TEST(sort_rows, sorts_rows_of_different_lengths) {
  for (std::uint64_t const vertices : vertices_of) {
    sorts(vertices, 3000, [](std::uint64_t i) { return i % 7 == 0 ? 0 : i % 100; });
    sorts(vertices, 2000, [](std::uint64_t i) { return i == 1000 ? 100'000 : 10; });
    sorts(vertices, 500, [](std::uint64_t i) { return i % 50 == 49 ? 3000 : 0; });
  }
}

TEST(sort_rows, sorts_a_row_that_scratch_would_not_be_taken_for) {
  sorts(1 << 20, 3, [](std::uint64_t i) { return i == 1 ? (1U << 20) + 9 : 100; });
}

}  // namespace
