// finish_failure_model: after a failure, a finish ends when the surviving places have none of its tasks, not before.
// Method: every interleaving of a small model with 4 places and 3 messages is searched. The last place fails at any
// time, and each other place learns of it at any later time. The rules are those of finish.cpp: differences by source
// and target, those with the failed place do not count, home asks the others, each answers when it accepts nothing from
// the failed place any more and has no task left. finish_model_test has `at` and reports that overtake each other. The
// search must find faults that are inserted on purpose.
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <utility>
#include <vector>

namespace {

using number = signed char;
constexpr std::size_t places = 4;
constexpr std::size_t failing = places - 1;
constexpr int messages_max = 3;

using routes = std::array<std::array<number, places>, places>;  ///< [source][target]

struct report {
  routes differences{};
  bool answers = false;  ///< the question of home
  auto operator<=>(report const&) const = default;
};

struct state {
  std::array<number, places> tasks{};               ///< running tasks of a place
  routes arriving{};                                ///< messages on their way
  std::array<routes, places> differences{};         ///< what each place has not reported; of home: all that it knows
  std::array<std::vector<report>, places> reports;  ///< on their way home, oldest first
  std::array<bool, places> knows{};                 ///< of the failure: takes nothing of the failed place any more
  std::array<bool, places> questions{};             ///< to be answered
  std::array<bool, places> asked{};                 ///< home waits for its answer
  number sent = 0;
  bool failed = false;
  bool ended = false;

  auto operator<=>(state const&) const = default;
};

enum class fault { none, home_does_not_ask, answers_before_it_knows, answers_while_busy };

class steps {
 public:
  steps(state const& s, fault f) : s_(s), f_(f) {}

  std::vector<state> all() {
    for (std::size_t p = 0; p < places; ++p) {
      if (s_.failed && p == failing) continue;
      run_tasks(p);
      take_messages(p);
      tell_home(p);
      if (s_.failed && !s_.knows[p]) add([&](state& n) { learn(n, p); });
    }
    // Messages that a place sent before it failed may arrive until home learns of the failure.
    for (std::size_t p = 1; p < places; ++p)
      if (!s_.reports[p].empty()) add([&](state& n) { take_report(n, p); });
    if (!s_.failed) add([](state& n) { fail(n); });
    if (may_end()) add([](state& n) { n.ended = true; });
    return std::move(next_);
  }

 private:
  template <class Change>
  void add(Change change) {
    state n = s_;
    change(n);
    next_.push_back(std::move(n));
  }

  void run_tasks(std::size_t p) {
    if (s_.tasks[p] == 0) return;
    add([&](state& n) { --n.tasks[p]; });
    for (std::size_t q = 0; q < places && s_.sent < messages_max; ++q)
      if (q != p)
        add([&](state& n) {
          ++n.sent;
          // To a place that failed it is lost.
          if (!(n.failed && q == failing)) ++n.arriving[p][q];
          ++n.differences[p][p][q];
        });
  }

  void take_messages(std::size_t p) {
    for (std::size_t q = 0; q < places; ++q)
      if (s_.arriving[q][p] > 0)
        add([&](state& n) {
          --n.arriving[q][p];
          ++n.tasks[p];
          --n.differences[p][q][p];
        });
  }

  void tell_home(std::size_t p) {
    if (p == 0) return;
    bool const idle = s_.tasks[p] == 0;
    bool const nothing = idle && s_.differences[p] == routes{};
    if (idle && !nothing) add([&](state& n) { n.reports[p].push_back({std::exchange(n.differences[p], {}), false}); });
    bool const may_answer =
        (nothing || f_ == fault::answers_while_busy) && (s_.knows[p] || f_ == fault::answers_before_it_knows);
    if (s_.questions[p] && may_answer)
      add([&](state& n) {
        n.questions[p] = false;
        n.reports[p].push_back({{}, true});
      });
  }

  void learn(state& n, std::size_t p) const {
    n.knows[p] = true;
    n.arriving[failing][p] = 0;
    if (p != 0) return;
    n.reports[failing].clear();
    if (f_ == fault::home_does_not_ask) return;
    for (std::size_t q = 1; q < failing; ++q) n.asked[q] = n.questions[q] = true;
  }

  static void take_report(state& n, std::size_t p) {
    report const r = n.reports[p].front();
    n.reports[p].erase(n.reports[p].begin());
    if (r.answers) n.asked[p] = false;
    for (std::size_t from = 0; from < places; ++from)
      for (std::size_t to = 0; to < places; ++to)
        n.differences[0][from][to] = static_cast<number>(n.differences[0][from][to] + r.differences[from][to]);
  }

  static void fail(state& n) {
    n.failed = true;
    n.tasks[failing] = 0;
    n.differences[failing] = {};
    for (auto& from : n.arriving) from[failing] = 0;
  }

  bool may_end() const {
    if (s_.tasks[0] != 0 || s_.asked != std::array<bool, places>{}) return false;
    for (std::size_t from = 0; from < places; ++from)
      for (std::size_t to = 0; to < places; ++to) {
        bool const counts = !s_.knows[0] || (from != failing && to != failing);
        if (counts && s_.differences[0][from][to] != 0) return false;
      }
    return true;
  }

  state const& s_;
  fault f_;
  std::vector<state> next_;
};

/// No task of the finish runs at a place that is left, and none will.
bool nothing_left(state const& s) {
  for (std::size_t p = 0; p < places; ++p) {
    if (s.failed && p == failing) continue;
    if (s.tasks[p] != 0) return false;
    for (std::size_t q = 0; q < places; ++q)
      if (s.arriving[q][p] != 0) return false;
  }
  return true;
}

struct verdict {
  std::size_t states = 0, early = 0, stuck = 0, ended_after_failure = 0;
};

verdict search(fault f) {
  state first;
  first.tasks[0] = 1;
  std::set<state> seen{first};
  std::vector<state> open{first};
  verdict v;
  while (!open.empty()) {
    state const s = std::move(open.back());
    open.pop_back();
    ++v.states;
    if (s.ended) {
      v.early += !nothing_left(s);
      v.ended_after_failure += s.failed;
      if (f != fault::none && v.early != 0) return v;  // one run is proof enough
      continue;
    }
    auto next = steps(s, f).all();
    // Every step uses something up, so a state without steps is one that never ends.
    v.stuck += next.empty();
    for (state& n : next)
      if (seen.insert(n).second) open.push_back(std::move(n));
  }
  return v;
}

TEST(finish_failure_model, ends_when_the_places_that_are_left_have_nothing_and_always) {
  verdict const v = search(fault::none);
  EXPECT_GT(v.states, 100000U);
  EXPECT_GT(v.ended_after_failure, 0U);
  EXPECT_EQ(v.early, 0U);
  EXPECT_EQ(v.stuck, 0U);
}

TEST(finish_failure_model, search_finds_the_faults_of_not_asking_and_of_answering_too_early) {
  EXPECT_GT(search(fault::home_does_not_ask).early, 0U);
  EXPECT_GT(search(fault::answers_before_it_knows).early, 0U);
  EXPECT_GT(search(fault::answers_while_busy).early, 0U);
}

}  // namespace
