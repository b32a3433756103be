// stall_report: a program that hangs reports which task waits where and for what, on its own and on request.
// Method: a program that deadlocks runs as a child; its stderr is read with a limit, then it is killed.
#include <signal.h>
#include <unistd.h>

#include "runtime/child_program.hpp"
#include "runtime/run_job.hpp"

namespace tess::test {
namespace {

class stalling : public child {
 public:
  explicit stalling(std::vector<std::string> environment, char const* how = "counter", char const* which = nullptr)
      : child(TESS_STALLING_PROGRAM, std::move(environment), how, which) {}
};

std::string line_of(std::string const& comment) {
  return test::line_of(TESS_STALLING_SOURCE, comment);
}

class stall_report : public testing::TestWithParam<layout> {
 protected:
  std::vector<std::string> environment(char const* timeout) {
    layout const& l = GetParam();
    return {std::string("TESS_FABRIC=") + l.fabric, "TESS_PLACES=" + std::to_string(l.places),
            "TESS_WORKERS=" + std::to_string(l.workers), std::string("TESS_STALL_TIMEOUT=") + timeout};
  }
  void expect_report(stalling& c) {
    std::string const place = "place " + std::to_string(GetParam().places - 1) + " worker ";
    EXPECT_TRUE(c.says("waits for counter at " + line_of("the line that the report names"))) << c.heard();
    EXPECT_TRUE(c.says(place)) << c.heard();
    EXPECT_TRUE(c.says("place 0 worker 0: waits for at at stalling_program.cpp:")) << c.heard();
    EXPECT_TRUE(c.says(", awaited at stalling_program.cpp:")) << c.heard();
  }
};

TEST_P(stall_report, names_place_worker_reason_and_line_after_the_timeout) {
  stalling c(environment("0.3"));
  EXPECT_TRUE(c.says("nothing has moved for 0.3")) << c.heard();
  expect_report(c);
}

TEST_P(stall_report, comes_when_asked_by_sigusr1) {
  stalling c(environment("0"));
  usleep(500000);
  c.signal(SIGUSR1);
  EXPECT_TRUE(c.says("SIGUSR1")) << c.heard();
  expect_report(c);
}

TEST_P(stall_report, names_a_task_whose_destructor_waits) {
  stalling c(environment("0.3"), "destructor");
  EXPECT_TRUE(c.says("nothing has moved for 0.3")) << c.heard();
  EXPECT_TRUE(c.says("place " + std::to_string(GetParam().places - 1) + " worker ")) << c.heard();
  EXPECT_TRUE(c.says("waits for operations of a counter that is destroyed in a task after its co_await at " +
                     line_of("the line before the destructor") + ", awaited at stalling_program.cpp:"))
      << c.heard();
}

INSTANTIATE_TEST_SUITE_P(layouts, stall_report,
                         testing::Values(layout{"smp", 2, 1}, layout{"smp", 1, 2}, layout{"hostile", 3, 1},
                                         layout{"smp", 3, 2}),
                         name_of);

TEST(stall_report, names_a_task_that_waits_for_room_to_send) {
  for (char const* const fabric : {"smp", "hostile"}) {
    stalling c({std::string("TESS_FABRIC=") + fabric, "TESS_PLACES=2", "TESS_WORKERS=1", "TESS_THREADS=2",
                "TESS_STALL_TIMEOUT=0"},
               "credit");
    usleep(500000);
    c.signal(SIGUSR1);
    EXPECT_TRUE(c.says("place 0 worker 0: waits for room to send messages in a task after its co_await at " +
                       line_of("the line before the flood")))
        << c.heard();
    EXPECT_TRUE(c.says("place 1 worker 0: its thread has been in one task for long")) << c.heard();
  }
}

TEST(stall_report, names_the_wait_for_each_sort_of_event) {
  constexpr struct {
    char const* kind;
    char const* text;
  } waits[] = {{"read_fe", "read_fe of a sync_var"},
               {"read_ff", "read_ff of a sync_var"},
               {"write_ef", "write_ef of a sync_var"},
               {"future", "future"},
               {"pop", "pop of an empty queue"},
               {"push", "push to a full queue"},
               {"match_pop", "pop of an empty match_queue"},
               {"match_push", "push to a full match_queue"},
               {"lock", "lock of a mutex"},
               {"acquire", "acquire of a semaphore"},
               {"counter", "event_counter"},
               {"barrier", "tree_barrier"},
               {"remote", "read_fe of a sync_var"}};
  for (auto const& [kind, text] : waits) {
    stalling c({"TESS_FABRIC=smp", "TESS_PLACES=2", "TESS_WORKERS=1", "TESS_STALL_TIMEOUT=0.2"}, "event", kind);
    std::string const line = line_of("// event " + std::string(kind));
    EXPECT_TRUE(c.says("place 0 worker 0: waits for " + std::string(text) + " at " + line)) << c.heard();
  }
}

TEST(stall_report, asked_of_a_working_program_changes_nothing) {
  run_job({"smp", 2, 2, 4}, []() -> task<void> {
    for (int i = 0; i < 20; ++i) {
      co_await on_all_places([] {
        for (int t = 0; t < 300; ++t)
          spawn([]() -> task<void> {
            co_await yield();
            co_await at(static_cast<place_id>(1U - here()), [] {});
          });
      });
      if (i % 4 == 0) kill(getpid(), SIGUSR1);
    }
  });
}

}  // namespace
}  // namespace tess::test
