// deque: every item is taken once: newest first by the owner, oldest first by thieves.
// Method: short sequences against a model; an owner and thieves that race for few items; a deque that grows meanwhile;
// with none, some and all of the newest items private.
#include "tess/detail/tasks/deque.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <thread>

#include "test_seed.hpp"

namespace tess::test {
namespace {

using items = detail::deque<std::uint64_t*>;

TEST(deque, owner_takes_the_newest_and_a_thief_the_oldest) {
  std::uint64_t values[200] = {};
  for (bool const shared : {false, true}) {
    items d(shared);
    std::deque<std::uint64_t*> model;
    random r(seed());
    for (int i = 0; i < 20000; ++i) {
      switch (r.below(shared ? 4 : 3)) {
        case 0:
        case 1:
          if (model.size() < 200) {
            d.push(&values[model.size()]);
            model.push_back(&values[model.size()]);
          }
          break;
        case 2: {
          std::uint64_t* const newest = model.empty() ? nullptr : model.back();
          if (newest != nullptr) model.pop_back();
          ASSERT_EQ(d.pop(), newest);
          break;
        }
        default: {
          std::uint64_t* const oldest = model.empty() ? nullptr : model.front();
          if (oldest != nullptr) model.pop_front();
          ASSERT_EQ(d.steal(), oldest);
        }
      }
      ASSERT_EQ(d.size(), static_cast<std::int64_t>(model.size()));
    }
  }
}

TEST(deque, the_last_item_is_taken_once_in_either_order) {
  std::uint64_t value = 0;
  items d(true);
  d.push(&value);
  EXPECT_EQ(d.steal(), &value);
  EXPECT_EQ(d.pop(), nullptr);
  EXPECT_EQ(d.steal(), nullptr);
  d.push(&value);
  EXPECT_EQ(d.pop(), &value);
  EXPECT_EQ(d.steal(), nullptr);
  EXPECT_EQ(d.pop(), nullptr);
  EXPECT_TRUE(d.empty());
}

TEST(deque, keeps_the_newest_items_private_until_a_thief_asks) {
  std::uint64_t values[100] = {};
  items d(true);
  d.keep(16);
  for (int i = 0; i < 10; ++i) d.push(&values[i]);
  EXPECT_FALSE(d.has_public());
  EXPECT_EQ(d.steal(), nullptr) << "ten are fewer than may be private";
  // The thief asked: the next push or pop publishes all but one.
  d.push(&values[10]);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(d.steal(), &values[i]);
  EXPECT_EQ(d.steal(), nullptr);
  EXPECT_EQ(d.pop(), &values[10]);
  EXPECT_EQ(d.pop(), nullptr);

  for (int i = 0; i < 100; ++i) d.push(&values[i]);
  EXPECT_EQ(d.steal(), &values[0]) << "a hundred are more than may be private";
  d.keep(0);
  for (int i = 1; i < 99; ++i) EXPECT_EQ(d.steal(), &values[i]);
  EXPECT_EQ(d.pop(), &values[99]);
  EXPECT_TRUE(d.empty());
}

TEST(deque, asked_at_a_pop_publishes) {
  std::uint64_t values[10] = {};
  items d(true);
  d.keep(16);
  for (auto& v : values) d.push(&v);
  EXPECT_EQ(d.steal(), nullptr);
  EXPECT_EQ(d.pop(), &values[9]);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(d.steal(), &values[i]);
  EXPECT_EQ(d.steal(), nullptr);
  EXPECT_EQ(d.pop(), &values[8]);
}

TEST(deque, owner_takes_public_items_back_newest_first) {
  std::uint64_t values[100] = {};
  items d(true);
  for (auto& v : values) d.push(&v);
  d.keep(16);
  for (int i = 99; i >= 50; --i) ASSERT_EQ(d.pop(), &values[i]);
  ASSERT_EQ(d.steal(), &values[0]);
  ASSERT_EQ(d.take_oldest(), &values[1]);
  for (int i = 49; i >= 2; --i) ASSERT_EQ(d.pop(), &values[i]) << i;
  EXPECT_EQ(d.take_oldest(), nullptr);
  EXPECT_TRUE(d.empty());
}

struct item {
  std::uint64_t taken = 0;
  bool shared = false;  ///< Plain: the owner writes it before it publishes the item.
};
struct share_item {
  void operator()(item* i) const noexcept { i->shared = true; }
};

/// Each item is a counter that only the thread that took it increments, without an atomic.
TEST(deque, every_item_is_taken_once_by_owner_or_thieves) {
  TESS_PRINT_SEED(seed());
  constexpr std::size_t count = 2000000;
  std::vector<item> taken(count);
  detail::deque<item*, share_item> d(true);
  std::atomic<bool> done{false};
  std::atomic<std::uint64_t> stolen{0};
  std::vector<std::thread> thieves;
  for (int t = 0; t < 3; ++t)
    thieves.emplace_back([&] {
      std::uint64_t mine = 0;
      while (!done.load(std::memory_order_acquire))
        if (item* const found = d.steal()) {
          found->taken += found->shared ? 1 : 1000;
          ++mine;
        }
      stolen += mine;
    });
  random r(seed());
  std::uint64_t popped = 0;
  for (std::size_t next = 0; next < count;) {
    // Bursts of every length: mostly around empty, where owner and thieves meet; some make it grow.
    for (std::uint64_t burst = r.below(50) == 0 ? 500 : 1 + r.below(3); burst > 0 && next < count; --burst)
      d.push(&taken[next++]);
    if (r.below(20) == 0) d.keep(static_cast<std::int64_t>(r.below(3) * r.below(12)));
    for (std::uint64_t n = r.below(4); n > 0; --n)
      if (item* const found = r.below(10) == 0 ? d.take_oldest() : d.pop()) {
        ++found->taken;
        ++popped;
      }
  }
  while (item* const found = d.pop()) {
    ++found->taken;
    ++popped;
  }
  done.store(true, std::memory_order_release);
  for (std::thread& t : thieves) t.join();
  EXPECT_EQ(popped + stolen.load(), count);
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(taken[i].taken, 1U) << i;
}

}  // namespace
}  // namespace tess::test
