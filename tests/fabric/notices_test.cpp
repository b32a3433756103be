// notices: all places learn of every failure, whoever sees it and whatever else fails, and no place sends many messages
// for it.
// Method: notices of all places of a job, with a network that delivers in random order and loses what is sent to failed
// places, and what those have sent.
#include "fabric/ucx/notices.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "test_seed.hpp"

namespace tess::test {
namespace {

using detail::ring_neighbour;
using detail::ucx_notices;

class notices_of_places {
 public:
  explicit notices_of_places(place_id places) : known_(places), sent_(places) {
    for (unsigned p = 0; p < places; ++p)
      notices_.push_back(std::make_unique<ucx_notices>(static_cast<place_id>(p), places,
                                                       [this, p](place_id q) { return known_[p].contains(q); }));
  }

  void fail(place_id p) { dead_.insert(p); }
  /// A living place sees that another has failed.
  void see(place_id at, place_id failed) {
    if (!learn(at, failed)) return;
    send(at, notices_[at]->seen(failed));
  }
  /// Delivers one message; false: there is none.
  bool deliver(test::random& draw) {
    if (under_way_.empty()) return false;
    std::swap(under_way_[draw.below(under_way_.size())], under_way_.back());
    ucx_notices::message const m = under_way_.back();
    under_way_.pop_back();
    if (dead_.contains(m.to)) return true;
    learn(m.to, m.failed);
    send(m.to, notices_[m.to]->told(m.failed, m.root));
    return true;
  }

  [[nodiscard]] bool knows(place_id at, place_id failed) const { return known_[at].contains(failed); }
  [[nodiscard]] bool is_dead(place_id p) const { return dead_.contains(p); }
  [[nodiscard]] std::set<place_id> const& dead() const { return dead_; }
  [[nodiscard]] std::uint64_t most_from_one() const { return *std::ranges::max_element(sent_); }
  [[nodiscard]] std::uint64_t all_sent() const { return all_sent_; }

 private:
  bool learn(place_id at, place_id failed) {
    if (!known_[at].insert(failed).second) return false;
    send(at, notices_[at]->learned(failed));
    return true;
  }
  void send(place_id from, std::vector<ucx_notices::message> const& all) {
    for (auto const& m : all) {
      EXPECT_NE(m.to, from);
      ++sent_[from];
      ++all_sent_;
      under_way_.push_back(m);
    }
  }

  std::vector<std::unique_ptr<ucx_notices>> notices_;
  std::vector<std::set<place_id>> known_;
  std::vector<std::uint64_t> sent_;
  std::uint64_t all_sent_ = 0;
  std::set<place_id> dead_;
  std::vector<ucx_notices::message> under_way_;
};

TEST(notices, reach_all_places_with_two_messages_each) {
  TESS_PRINT_SEED(seed());
  test::random draw(seed());
  for (place_id const places : {place_id{2}, place_id{3}, place_id{5}, place_id{64}, place_id{1000}}) {
    notices_of_places job(places);
    job.fail(1);
    job.see(0, 1);
    while (job.deliver(draw)) {
    }
    for (unsigned p = 0; p < places; ++p)
      if (p != 1) EXPECT_TRUE(job.knows(static_cast<place_id>(p), 1)) << p << " of " << places;
    // Down the tree and around the ring; the failed place's neighbours have new ones, and its parent its children.
    EXPECT_LE(job.all_sent(), 2 * std::uint64_t{places});
    EXPECT_LE(job.most_from_one(), 2 * ucx_notices::children_max + 3);
  }
}

TEST(notices, of_one_failure_that_all_see_are_few) {
  TESS_PRINT_SEED(seed());
  test::random draw(seed());
  constexpr place_id places = 1000;
  notices_of_places job(places);
  job.fail(500);
  for (unsigned p = 0; p < places; ++p)
    if (p != 500) job.see(static_cast<place_id>(p), 500);
  while (job.deliver(draw)) {
  }
  EXPECT_LE(job.all_sent(), 3 * std::uint64_t{places});
}

/// Whoever lives sees in the end that the place before it is silent, as the ring of heartbeats does.
TEST(notices, reach_all_places_though_others_fail_meanwhile) {
  TESS_PRINT_SEED(seed());
  test::random draw(seed());
  for (int round = 0; round < 300; ++round) {
    auto const places = static_cast<place_id>(2 + draw.below(90));
    notices_of_places job(places);
    std::size_t const failures = 1 + draw.below(places);
    for (std::size_t i = 0; i + 1 < failures; ++i) {
      auto const p = static_cast<place_id>(draw.below(places));
      job.fail(p);
      auto const by = static_cast<place_id>(draw.below(places));
      if (!job.is_dead(by) && draw.below(2) == 0) job.see(by, p);
      for (auto n = draw.below(2 * std::uint64_t{places}); n > 0 && job.deliver(draw); --n) {
      }
    }
    if (job.dead().size() == places) continue;
    for (bool changed = true; changed;) {
      while (job.deliver(draw)) {
      }
      changed = false;
      for (unsigned p = 0; p < places; ++p) {
        auto const me = static_cast<place_id>(p);
        if (job.is_dead(me)) continue;
        place_id const before = ring_neighbour(me, -1, places, [&](place_id q) { return job.knows(me, q); });
        if (before == me || !job.is_dead(before)) continue;
        job.see(me, before);
        changed = true;
      }
    }
    for (unsigned p = 0; p < places; ++p)
      for (place_id const d : job.dead())
        if (!job.is_dead(static_cast<place_id>(p)))
          ASSERT_TRUE(job.knows(static_cast<place_id>(p), d))
              << "round " << round << ": " << p << " of " << places << " does not know of " << d;
  }
}

TEST(ring, leads_past_those_that_are_gone) {
  auto const gone = [](place_id p) { return p == 0 || p == 3 || p == 4; };
  EXPECT_EQ(ring_neighbour(2, 1, 5, gone), 1);
  EXPECT_EQ(ring_neighbour(1, -1, 5, gone), 2);
  EXPECT_EQ(ring_neighbour(7, 1, 8, [](place_id) { return true; }), 7) << "alone";
  EXPECT_EQ(ring_neighbour(65534, 1, 65535, [](place_id) { return false; }), 0);
}

}  // namespace
}  // namespace tess::test
