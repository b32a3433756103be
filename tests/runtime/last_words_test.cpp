// last_words: what a program says when it ends by an exception or a signal, or when its tasks get nowhere.
// Method: a program that ends in the way that its argument names runs as a child; its standard error is read.
#include "runtime/child_program.hpp"
#include "runtime/run_job.hpp"

namespace tess::test {
namespace {

std::string line_of(std::string const& comment) {
  return test::line_of(TESS_ENDING_SOURCE, comment);
}

class ending : public child {
 public:
  explicit ending(char const* how, layout const& l = {"smp", 2, 1}, char const* which = nullptr)
      : child(TESS_ENDING_PROGRAM,
              {std::string("TESS_FABRIC=") + l.fabric, "TESS_PLACES=" + std::to_string(l.places),
               "TESS_WORKERS=" + std::to_string(l.workers), "TESS_STALL_TIMEOUT=0.4"},
              how, which) {}

  /// It says all of these, in this order.
  void expect(std::vector<std::string> const& texts) {
    std::size_t from = 0;
    for (std::string const& text : texts) {
      std::size_t const at = heard().find(text, from);
      EXPECT_NE(at, std::string::npos) << "`" << text << "` is missing from:\n" << heard();
      if (at != std::string::npos) from = at + text.size();
    }
  }
  void expect_exception(std::vector<std::string> const& texts) {
    int const status = end();
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << status << heard();
    expect(texts);
  }
  void expect_signal(int signal, std::vector<std::string> const& texts) {
    int const status = end();
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << status << heard();
    expect(texts);
  }
};

class last_words : public testing::TestWithParam<layout> {};

TEST_P(last_words, of_a_thread_that_is_no_workers_say_so) {
  ending("thread", GetParam())
      .expect_signal(SIGSEGV, {"a thread without a worker ends by SIGSEGV", "by a null pointer",
                               "a thread that the program started must not call operations or spawn tasks"});
}

TEST_P(last_words, of_an_exception_are_its_type_text_and_each_co_await) {
  ending("throw", GetParam())
      .expect_exception({"tess: the program ended with an exception: std::out_of_range: no such vertex\n",
                         "thrown at place 0, by a task after its co_await at " + line_of("the innermost") + " in ",
                         "inner", "through place 0, the co_await at " + line_of("the outer"), "outer",
                         "through place 0, the co_await at " + line_of("main's")});
}

TEST_P(last_words, of_an_exception_name_the_place_that_threw_it) {
  std::string const last = std::to_string(GetParam().places - 1);
  ending("throw there", GetParam())
      .expect_exception({"ended with an exception: ", "std::out_of_range: no such vertex",
                         "thrown at place " + last + ", by a task after its co_await at " + line_of("the innermost"),
                         "through place " + last + ", the co_await at " + line_of("the outer"),
                         "through place 0, the co_await at " + line_of("main's at")});
}

TEST_P(last_words, of_an_exception_go_through_a_finish) {
  ending("throw in a finish", GetParam())
      .expect_exception({"std::out_of_range: no such vertex", "thrown at place 0", line_of("the innermost"),
                         line_of("the outer"), "through place 0, the co_await at ending_program.cpp:"});
}

TEST_P(last_words, of_an_exception_are_not_those_of_one_that_was_caught) {
  ending e("catch and throw", GetParam());
  e.expect_exception({"std::out_of_range: another one", "thrown at place 0"});
  EXPECT_EQ(e.heard().find(line_of("the innermost")), std::string::npos) << e.heard();
}

INSTANTIATE_TEST_SUITE_P(layouts, last_words,
                         testing::Values(layout{"smp", 2, 1}, layout{"smp", 2, 2}, layout{"hostile", 3, 1}), name_of);

TEST(last_words, of_a_function_that_is_no_task_name_its_place) {
  ending("throw plainly").expect_exception({"no such vertex", "thrown at place 1, by a function that is no task"});
}

TEST(last_words, of_an_exception_that_is_no_std_exception_are_its_type) {
  ending("throw a number").expect_exception({"the program ended with an exception: int, which is no std::exception"});
  ending("throw a number there")
      .expect_exception({"the program ended with an exception: place 1: int: an exception that is no std::exception"});
}

TEST(last_words, of_a_signal_are_place_address_task_and_a_hint) {
  std::string const task = "place 0 worker 0, in a task after its co_await at " + line_of("before the end") + " in ";
  std::string const mains = "awaited at " + line_of("main's end");
  ending("null").expect_signal(SIGSEGV,
                               {"tess: place 0 ends by SIGSEGV at 0x0, by a null pointer", task, mains, "checked"});
  ending("wild").expect_signal(SIGSEGV, {"ends by SIGSEGV at 0x700012340000, where no memory is", task, mains});
  ending("file").expect_signal(SIGBUS, {"ends by SIGBUS at 0x", "a mapped file that ends before it", task, mains});
  ending("divide").expect_signal(SIGFPE, {"tess: place 0 ends by SIGFPE at 0x", "an instruction", task, mains});
  ending("abort").expect_signal(SIGABRT, {"tess: place 0 ends by SIGABRT", task, mains});
  ending("stack").expect_signal(SIGSEGV, {"tess: place 0 ends by SIGSEGV at 0x", "the stack is full", task, mains});
}

TEST(last_words, of_a_signal_name_the_place_where_it_was) {
  ending("there", {"smp", 3, 1}, "null")
      .expect_signal(SIGSEGV, {"tess: place 2 ends by SIGSEGV", "place 2 worker 0", line_of("before the end")});
}

TEST(last_words, of_a_deadlock_name_who_holds_the_mutex) {
  ending e("deadlock");
  std::string const second = line_of("the second lock");
  std::string const holds =
      "waits for lock of a mutex at " + second + ", held by the task that waits for lock of a mutex at " + second;
  EXPECT_TRUE(e.says("nothing has moved")) << e.heard();
  EXPECT_TRUE(e.says("waits for finish at ")) << e.heard();
  e.expect({holds, holds});
}

TEST(last_words, of_a_live_lock_name_the_tasks_that_run) {
  ending e("live-lock");
  EXPECT_TRUE(e.says("tasks run, but for 0.4 s no operation was counted")) << e.heard();
  EXPECT_TRUE(e.says("place 0 worker 0: runs, its latest co_await at " + line_of("the yield"))) << e.heard();
}

}  // namespace
}  // namespace tess::test
