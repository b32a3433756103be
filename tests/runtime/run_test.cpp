// run: settings are checked, exit codes are the program's, and a process runs one job after another.
// Method: wrong settings one by one; programs that return, throw, and run inside another.
#include "runtime/run_job.hpp"
#include "runtime/sanitized.hpp"

namespace tess::test {
namespace {

int run_with(settings const& s) {
  return run(s, {}, [](args) -> task<int> { co_return 0; });
}

TEST(run, refuses_settings_that_cannot_be) {
  settings s;
  s.fabric = "carrier pigeon";
  EXPECT_THROW(run_with(s), error);
  s.fabric = "smp";
  s.places = 70000;
  EXPECT_THROW(run_with(s), error);
  s.places = 2;
  s.workers = 1000;
  EXPECT_THROW(run_with(s), error);
  s.workers = 1;
  EXPECT_EQ(run_with(s), 0) << "a refused job leaves nothing behind";
}

TEST(run, gives_the_exit_code_of_the_program_or_1_after_an_exception) {
  settings s;
  s.places = 2;
  EXPECT_EQ(run(s, {}, [](args) -> task<int> { co_return 7; }), 7);
  testing::internal::CaptureStderr();
  EXPECT_EQ(run(s, {}, [](args) -> task<int> { throw std::runtime_error("on purpose"); }), 1);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("on purpose"), std::string::npos);
}

TEST(run, has_one_worker_at_each_place_unless_more_are_asked_for) {
  for (unsigned const asked : {0U, settings::each_hart}) {
    settings s;
    s.places = 2;
    s.workers = asked;
    EXPECT_EQ(run(s, {}, [](args) -> task<int> { co_return static_cast<int>(workers()); }), 1);
  }
}

TEST(run, passes_the_words_on_and_waits_for_what_the_program_left_behind) {
  settings s;
  s.places = 3;
  std::vector<std::string> const words{"prog", "a", "b"};
  static std::atomic<int> ended{0};
  ended = 0;
  EXPECT_EQ(run(s, words,
                [](args w) -> task<int> {
                  for (unsigned p = 0; p < places(); ++p)
                    at_async(static_cast<place_id>(p), []() -> task<void> {
                      for (int i = 0; i < 10; ++i) co_await yield();
                      ++ended;
                    });
                  co_return static_cast<int>(w.size());
                }),
            3);
  EXPECT_EQ(ended.load(), 3);
}

TEST(run, inside_a_job_is_refused) {
  run_job({"smp", 1, 1}, []() -> task<void> {
    EXPECT_THROW(run_with({}), error);
    co_return;
  });
}

TEST(run, again_and_again_leaves_no_memory_or_thread_behind) {
  for (int i = 0; i < (is_emulated ? 20 : 100); ++i)
    run_job({i % 2 == 0 ? "smp" : "hostile", 3, 2, 3},
            []() -> task<void> { co_await on_all_places([]() -> task<void> { co_await barrier(); }); });
}

// The watch over stalls once waited a quarter of a second for threads that had ended. The fastest job counts, so that a
// busy machine does not.
TEST(run, of_nothing_ends_at_once) {
  double fastest = 1e9;
  for (int i = 0; i < 10; ++i) {
    auto const begin = std::chrono::steady_clock::now();
    run_job({"smp", 2, 1, 2}, []() -> task<void> { co_return; });
    fastest = std::min(fastest, seconds_since(begin));
  }
  EXPECT_LT(fastest, 0.2);
}

}  // namespace
}  // namespace tess::test
