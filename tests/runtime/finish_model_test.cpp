// finish_model: the finish protocol never ends early and always ends, in every order of messages.
// Method: every interleaving of a small model with 3 places and 4 messages is searched; the model knows nothing of the
// code, only the rules: count tasks, keep differences, report them when idle, end when idle and all sums are zero. An
// `at` whose body leaves a task behind counts, too: at the callee at once, at the caller when the reply comes.
// Faults that are put in on purpose must be found, or the search shows nothing.
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <utility>
#include <vector>

namespace {

constexpr int places = 3;
constexpr int messages_max = 4;

struct state {
  std::array<signed char, places> tasks{};                            ///< running tasks of a place
  std::array<std::array<signed char, places>, places> differences{};  ///< what each place has not reported
  std::array<signed char, places> arriving{};                         ///< messages on their way to a place
  std::array<std::array<signed char, places>, places> calling{};      ///< `at` by a task of [p], body not run at [q]
  std::array<std::array<signed char, places>, places> replying{};     ///< its reply is on the way back
  std::array<std::vector<std::array<signed char, places>>, places> reports;  ///< on their way home, oldest first
  signed char sent = 0;
  bool ended = false;

  auto operator<=>(state const&) const = default;
};

enum class fault { none, reports_while_busy, reports_overtake };

/// Tasks of a place that wait for an `at`.
int waiting(state const& s, std::size_t p) {
  int n = 0;
  for (std::size_t q = 0; q < places; ++q) n += s.calling[p][q] + s.replying[p][q];
  return n;
}

/// Home is place 0.
std::vector<state> successors(state const& s, fault f) {
  std::vector<state> next;
  auto const add = [&](auto change) {
    state n = s;
    change(n);
    next.push_back(std::move(n));
  };
  for (std::size_t p = 0; p < places; ++p) {
    if (s.tasks[p] > waiting(s, p)) {
      add([&](state& n) { --n.tasks[p]; });
      for (std::size_t q = 0; q < places && s.sent < messages_max; ++q) {
        if (q == p) continue;
        add([&](state& n) {
          ++n.sent;
          ++n.arriving[q];
          ++n.differences[p][q];
        });
        add([&](state& n) {
          ++n.sent;
          ++n.calling[p][q];
        });
      }
    }
    for (std::size_t q = 0; q < places; ++q) {
      if (s.calling[p][q] > 0)
        add([&](state& n) {
          --n.calling[p][q];
          ++n.replying[p][q];
          ++n.tasks[q];
          --n.differences[q][q];
        });
      if (s.replying[p][q] > 0)
        add([&](state& n) {
          --n.replying[p][q];
          ++n.differences[p][q];
        });
    }
    if (s.arriving[p] > 0)
      add([&](state& n) {
        --n.arriving[p];
        ++n.tasks[p];
        --n.differences[p][p];
      });
    bool const may_report = p != 0 && (s.tasks[p] == 0 || f == fault::reports_while_busy);
    if (may_report && s.differences[p] != std::array<signed char, places>{})
      add([&](state& n) { n.reports[p].push_back(std::exchange(n.differences[p], {})); });
    for (std::size_t i = 0; i < s.reports[p].size(); ++i)
      if (i == 0 || f == fault::reports_overtake)
        add([&](state& n) {
          n.reports[p].erase(n.reports[p].begin() + static_cast<std::ptrdiff_t>(i));
          for (std::size_t q = 0; q < places; ++q)
            n.differences[0][q] = static_cast<signed char>(n.differences[0][q] + s.reports[p][i][q]);
        });
  }
  if (s.tasks[0] == 0 && s.differences[0] == std::array<signed char, places>{}) add([](state& n) { n.ended = true; });
  return next;
}

bool nothing_left(state const& s) {
  for (std::size_t p = 0; p < places; ++p)
    if (s.tasks[p] != 0 || s.arriving[p] != 0) return false;
  return true;
}

struct verdict {
  std::size_t states = 0, early = 0, stuck = 0;
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
      if (f != fault::none && v.early != 0) return v;  // one run is proof enough
      continue;
    }
    auto next = successors(s, f);
    // Every step uses something up (a task, a message, a report), so a state without steps is one that never ends.
    v.stuck += next.empty();
    for (state& n : next)
      if (seen.insert(n).second) open.push_back(std::move(n));
  }
  return v;
}

TEST(finish_model, never_ends_early_and_always_ends) {
  verdict const v = search(fault::none);
  EXPECT_GT(v.states, 10000U);
  EXPECT_EQ(v.early, 0U);
  EXPECT_EQ(v.stuck, 0U);
}

TEST(finish_model, search_finds_the_faults_of_reporting_while_busy_and_of_reports_that_overtake) {
  EXPECT_GT(search(fault::reports_while_busy).early, 0U);
  EXPECT_GT(search(fault::reports_overtake).early, 0U);
}

}  // namespace
