// strided: strided blocks move exactly the elements of their shape, at every place and on every fabric.
// Method: every shape of a small box against a plain loop; lists of pointers in random order; what is out of range.
#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <random>

#include "runtime/job/job.hpp"
#include "runtime/run_job.hpp"

namespace tess::test {
namespace {

class strided : public on_layouts {};

constexpr std::size_t room = 96;

task<void> there_and_back(global_ptr<std::uint32_t> remote, strided_shape s) {
  std::vector<std::uint32_t> mine(room), before(room), after(room), back(room, 7);
  std::iota(mine.begin(), mine.end(), 1000U);
  std::iota(before.begin(), before.end(), 1U);
  co_await put(before, remote);
  co_await put_strided(mine, remote, s);
  co_await get(remote, after);
  for (std::size_t i = 0; i < s.count; ++i)
    for (std::size_t j = 0; j < s.length; ++j) before[i * s.remote_stride + j] = mine[i * s.local_stride + j];
  EXPECT_EQ(after, before) << s.count << " x " << s.length << " by " << s.local_stride << ", " << s.remote_stride;
  counter done;
  get_strided(remote, back, s, done);
  co_await done;
  std::vector<std::uint32_t> expected(room, 7);
  for (std::size_t i = 0; i < s.count; ++i)
    for (std::size_t j = 0; j < s.length; ++j) expected[i * s.local_stride + j] = after[i * s.remote_stride + j];
  EXPECT_EQ(back, expected) << s.count << " x " << s.length << " by " << s.local_stride << ", " << s.remote_stride;
}

TEST_P(strided, shapes_move_their_elements_and_no_others) {
  run_here([]() -> task<void> {
    auto const p = static_cast<place_id>(places() - 1);
    auto const remote = co_await at(p, [] { return allocate<std::uint32_t>(room); });
    for (std::size_t const count : {0U, 1U, 2U, 5U})
      for (std::size_t const length : {0U, 1U, 3U})
        for (std::size_t const local : {3U, 4U, 20U})
          for (std::size_t const far : {3U, 7U}) co_await there_and_back(remote, {count, length, local, far});
    std::vector<std::uint32_t> const mine(2);
    counter done;
    EXPECT_THROW(put_strided(mine, remote, {2, 1, 1, std::size_t{1} << 45}, done), error) << "beyond the segment";
    co_await at(p, [](auto g) { deallocate(g); }, remote);
  });
}

TEST(strided_cost, pieces_that_touch_are_one_transfer) {
  run_job({"smp", 2, 1}, []() -> task<void> {
    auto const remote = co_await at(1, [] { return allocate<std::uint32_t>(room); });
    std::vector<std::uint32_t> mine(room);
    std::vector<global_ptr<std::uint32_t>> list;
    for (std::ptrdiff_t i = 0; i < 24; ++i) list.push_back(remote + i * 4);
    std::swap(list[3], list[4]);
    auto const transfers = [] { return detail::this_worker().cold.block_operations; };
    std::uint64_t const first = transfers();
    co_await put_strided(mine, remote, {24, 4, 4, 4});
    EXPECT_EQ(transfers() - first, 1U);
    co_await get_strided(remote, mine, {12, 4, 4, 8});
    EXPECT_EQ(transfers() - first, 1U + 12U);
    co_await put_indexed(mine, list, 4);
    EXPECT_EQ(transfers() - first, 1U + 12U + 4U) << "0 to 2, 4, 3, and the others";
    co_await at(1, [](auto g) { deallocate(g); }, remote);
  });
}

TEST_P(strided, lists_reach_several_places_in_any_order) {
  run_here([]() -> task<void> {
    constexpr std::size_t each = 30, length = 3;
    auto const a = co_await global_array<std::uint64_t>::make(each * length * places());
    std::vector<std::uint64_t> groups(each * places() / 3);
    std::iota(groups.begin(), groups.end(), 0U);
    std::ranges::shuffle(groups, std::mt19937_64(7));
    // Some neighbours stay together.
    std::vector<global_ptr<std::uint64_t>> pointers;
    for (std::uint64_t const g : groups)
      for (std::uint64_t i = 0; i < 3; ++i) pointers.push_back(a[(g * 3 + i) * length]);
    std::vector<std::uint64_t> mine(pointers.size() * length), back(mine.size());
    std::iota(mine.begin(), mine.end(), 5U);
    co_await put_indexed(mine, pointers, length);
    for (std::size_t k = 0; k < pointers.size(); ++k)
      for (std::size_t j = 0; j < length; ++j)
        EXPECT_EQ(co_await get(pointers[k] + static_cast<std::ptrdiff_t>(j)), mine[k * length + j]) << k;
    counter done;
    get_indexed(pointers, back, length, done);
    co_await done;
    EXPECT_EQ(back, mine);
    std::array<std::uint64_t, 0> nothing{};
    co_await get_indexed(std::span<global_ptr<std::uint64_t>>(), nothing);
    co_await global_array<std::uint64_t>::release(a);
  });
}

TEST(strided_errors, are_found_before_anything_moves) {
  run_job({"smp", 2, 1}, []() -> task<void> {
    auto const remote = co_await at(1, [] { return allocate<std::uint32_t>(room); });
    std::vector<std::uint32_t> mine(room);
    constexpr std::size_t huge = std::numeric_limits<std::size_t>::max();
    counter done;
    EXPECT_THROW(put_strided(mine, remote, {room + 1, 1, 1, 1}, done), error) << "beyond the span";
    EXPECT_THROW(get_strided(remote, mine, {2, 1, room, 1}, done), error) << "beyond the span";
    EXPECT_THROW(put_strided(mine, remote, {2, 1, 1, std::size_t{1} << 45}, done), error) << "beyond the segment";
    EXPECT_THROW(put_strided(mine, remote, {2, 1, 1, huge / 2}, done), error) << "overflow of the stride";
    EXPECT_THROW(put_strided(mine, remote, {huge, 1, 1, 1}, done), error) << "overflow of the count";
    EXPECT_THROW(put_strided(mine, remote, {1, huge, 1, 1}, done), error) << "overflow of the length";
    EXPECT_THROW(put_strided(mine, global_ptr<std::uint32_t>(), {1, 1, 1, 1}, done), error) << "null";
    EXPECT_THROW(put_strided(mine, global_ptr<std::uint32_t>(7, 4096), {1, 1, 1, 1}, done), error) << "no such place";
    std::vector<global_ptr<std::uint32_t>> list(room, remote);
    EXPECT_THROW(put_indexed(mine, list, 2, done), error) << "more pointers than rows";
    EXPECT_THROW(put_indexed(mine, list, huge, done), error) << "overflow of the length";
    EXPECT_THROW(put_indexed(mine, list, 0, done), error) << "empty rows of something";
    list[room - 1] = nullptr;
    EXPECT_THROW(get_indexed(list, mine, 1, done), error) << "null in the list";
    EXPECT_TRUE(done.idle());
    co_await at(1, [](auto g) { deallocate(g); }, remote);
  });
}

TEST_P(strided, blocks_take_vectors_arrays_and_spans) {
  run_here([]() -> task<void> {
    auto const p = static_cast<place_id>(places() - 1);
    auto const remote = co_await at(p, [] { return allocate<int>(4); });
    std::vector<int> a{1, 2, 3, 4}, b(4);
    int c[4];
    std::array<int, 4> const d{5, 6, 7, 8};
    co_await put(a, remote);
    co_await get(remote, c);
    EXPECT_TRUE(std::ranges::equal(a, c));
    co_await put(d, remote);
    counter done;
    get(remote, b, done);
    co_await done;
    EXPECT_TRUE(std::ranges::equal(b, d));
    put(std::span(a), remote, done);
    co_await done;
    co_await put(std::vector<int>{9}, remote);
    co_await get(remote, std::span(b).first(2));
    EXPECT_EQ(b[0], 9);
    EXPECT_EQ(b[1], 2);
    co_await at(p, [](auto g) { deallocate(g); }, remote);
  });
}

INSTANTIATE_TEST_SUITE_P(layouts, strided, testing::ValuesIn(all_layouts()), name_of);

}  // namespace
}  // namespace tess::test
