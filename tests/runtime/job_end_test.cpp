// job_end: an error inside the runtime aborts the job in order: exit code 1, a text, no leaks.
// Method: malformed messages put into the fabric by hand, among tasks that wait in every way; objects in the frames of
// those tasks count themselves.
#include <cstring>

#include "runtime/failures/abort.hpp"
#include "runtime/messages/message.hpp"
#include "runtime/run_job.hpp"
#include "runtime/tasks/worker_loop.hpp"

namespace tess::test {
namespace {

std::atomic<int> alive{0};
struct counted {
  counted() { ++alive; }
  counted(counted const&) { ++alive; }
  ~counted() { --alive; }
};

std::vector<std::byte> record(std::uint16_t index, std::uint32_t announced, std::size_t bytes) {
  detail::record_header const h{{index, 0}, announced};
  std::vector<std::byte> m(sizeof h + bytes);
  std::memcpy(m.data(), &h, sizeof h);
  return m;
}

/// Sends bytes as they are from this place; replies are not refused.
void send_raw(place_id target, std::vector<std::byte> const& bytes) {
  ASSERT_TRUE(detail::the_job->fabric->try_send(here(), target, detail::message_class::reply, bytes));
}

/// A task that waits for ever, holding something that must be destroyed.
task<void> wait_for_ever() {
  counted const c;
  counter never;
  never.expect(1);
  co_await never;
}
/// The same, with a finish around it whose task refers to this frame.
task<void> wait_for_tasks() {
  std::vector<int> numbers(100, 1);
  counted const c;
  co_await finish([&]() -> task<void> {
    struct reader {
      std::vector<int>& v;
      ~reader() { v.at(99) = 2; }
    } const r{numbers};
    counted const d;
    spawn(wait_for_ever());
    co_await wait_for_ever();
  });
}

struct outcome {
  int code;
  std::string text;
  double seconds;
};

/// Tasks that wait in every way at all places; then `bad` runs at the last place.
template <class F>
outcome run_into(layout l, F bad) {
  settings s;
  s.fabric = l.fabric;
  s.places = l.places;
  s.workers = l.workers;
  s.threads = l.threads;
  s.seed = seed();
  alive = 0;
  auto const begin = std::chrono::steady_clock::now();
  testing::internal::CaptureStderr();
  int const code = run(s, {}, [&](args) -> task<int> {
    counted const c;
    co_await finish([&]() -> task<void> {
      for (unsigned p = 0; p < places(); ++p) {
        at_async(static_cast<place_id>(p), [] { spawn(wait_for_tasks()); });
        at_async(static_cast<place_id>(p), []() -> task<void> {
          for (;;) co_await yield();
        });
        spawn(
            [](place_id target) -> task<void> {
              counted const d;
              co_await at(target, []() -> task<void> { co_await wait_for_ever(); });
            },
            static_cast<place_id>(p));
      }
      for (int i = 0; i < 100; ++i) co_await yield();
      co_await at(static_cast<place_id>(places() - 1), bad);
    });
    co_return 0;
  });
  return {code, testing::internal::GetCapturedStderr(), seconds_since(begin)};
}

void expect_end(outcome const& o, std::string const& text) {
  EXPECT_EQ(o.code, 1);
  EXPECT_NE(o.text.find(text), std::string::npos) << o.text;
  EXPECT_LT(o.seconds, 4);
  EXPECT_EQ(alive.load(), 0) << "frames were not destroyed";
}

class job_ends : public on_layouts {};

TEST_P(job_ends, after_a_malformed_message_with_its_source_and_what_was_wrong) {
  std::string const target = "the job cannot go on: place 0, while delivering a message from place " +
                             std::to_string(GetParam().places - 1) + ": ";
  expect_end(run_into(GetParam(), [] { send_raw(0, record(0xfffe, 8, 8)); }), target + "message of place ");
  expect_end(run_into(GetParam(), [] { send_raw(0, record(0xfffe, 8, 8)); }), "unknown handler");
  expect_end(run_into(GetParam(), [] { send_raw(0, record(detail::run_index, 8, 8)); }), "run of the wrong size");
  expect_end(run_into(GetParam(), [] { send_raw(0, record(0, 100000, 8)); }), "record longer than its message");
  expect_end(run_into(GetParam(), [] { send_raw(0, std::vector<std::byte>(5)); }), "truncated record");
  expect_end(run_into(GetParam(),
                      [] {
                        auto const bytes = detail::__start_tess_handlers[0].bytes;
                        bool const variable = detail::__start_tess_handlers[0].variable;
                        send_raw(0, record(0, variable ? bytes - 1 : bytes + 8, bytes + 8));
                      }),
             "payload of wrong size");
}

TEST_P(job_ends, when_a_task_of_the_runtime_itself_throws) {
  expect_end(run_into(GetParam(),
                      [] {
                        detail::start_system_task([]() -> task<void> {
                          co_await yield();
                          throw std::runtime_error("on purpose");
                        }());
                      }),
             "while running a task of the runtime itself: on purpose");
}

TEST_P(job_ends, although_destructors_wait_for_operations) {
  auto const o = run_into(GetParam(), [] {
    spawn([]() -> task<void> {
      counted const c;
      send_raw(0, record(0xfffe, 8, 8));
      counter never;
      never.expect(1);
      co_return;
    });
  });
  expect_end(o, "unknown handler");
}

INSTANTIATE_TEST_SUITE_P(layouts, job_ends,
                         testing::Values(layout{"smp", 1, 1}, layout{"smp", 2, 1, 2}, layout{"smp", 3, 2, 1},
                                         layout{"hostile", 3, 1, 2}, layout{"hostile", 2, 2, 3}),
                         name_of);

TEST(job_end, is_forced_when_a_task_does_not_come_to_a_co_await) {
#if defined(__riscv)
  GTEST_SKIP() << "under an emulator a test cannot start itself again";
#endif
  settings s;
  s.places = 2;
  s.threads = 2;
  s.fabric = "smp";
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        std::exit(run(s, {},
                      [](args) -> task<int> {
                        at_async(1, [] { send_raw(0, record(0xfffe, 8, 8)); });
                        co_await yield();
                        [[maybe_unused]] auto const lost = at(1, [] {
                          for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
                        });
                        for (;;) co_await yield();
                      }) +
                  10);
      },
      testing::ExitedWithCode(1), "unknown handler[^\n]*\n.*does not come to a co_await");
}

}  // namespace
}  // namespace tess::test
