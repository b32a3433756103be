// memory: segments grow on demand; running out is an exception that says how much was asked and left, never a crash.
// Method: misuse by hand; absurd requests; a child process with a small address space that allocates until it is
// refused.
#include "tess/memory.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <vector>

#include "runtime/job/job.hpp"
#include "runtime/run_job.hpp"

namespace tess::test {
namespace {

class memories : public on_layouts {};

TEST_P(memories, are_allocated_aligned_and_given_back_once) {
  run_here([]() -> task<void> {
    auto const p = allocate<std::uint64_t>(100);
    EXPECT_EQ(p.place(), here());
    EXPECT_NE(p.offset(), 0U);
    EXPECT_EQ(p.offset() % 64, 0U);
    EXPECT_EQ(to_global(p.local()), p);
    deallocate(p);
    EXPECT_THROW(deallocate(p), error);
    EXPECT_THROW(deallocate(p + 1), error);
    deallocate(global_ptr<int>());
    static int outside = 0;
    EXPECT_THROW(static_cast<void>(to_global(&outside)), error);
    if (places() > 1) {
      auto const there = co_await at(1, [] { return allocate<int>(); });
      EXPECT_THROW(deallocate(there), error);
      EXPECT_THROW(static_cast<void>(there.local()), error);
      co_await at(1, [](global_ptr<int> g) { deallocate(g); }, there);
    }
  });
}

TEST(a_collected_heap, uses_no_memory_again_while_there_is_other) {
  for (bool const collected : {false, true}) {
    settings s;
    s.places = 1;
    s.collected_heap = collected;
    int const code = tess::run(s, {}, [collected](args) -> task<int> {
      auto const first = allocate<std::uint64_t>(100);
      deallocate(first);
      auto const second = allocate<std::uint64_t>(100);
      EXPECT_EQ(first != second, collected);
      // The chunks of objects, too.
      struct point {
        int x;
      };
      std::vector<void*> seen;
      for (int i = 0; i < 10; ++i) {
        arena scratch;
        seen.push_back(scratch.make<point>(i));
      }
      std::ranges::sort(seen);
      // AddressSanitizer keeps what was freed.
      if (collected || !test::is_sanitized) EXPECT_EQ(std::ranges::adjacent_find(seen) == seen.end(), collected);
      deallocate(second);
      co_return 0;
    });
    EXPECT_EQ(code, 0);
  }
}

TEST_P(memories, that_all_places_together_cannot_have_are_refused_before_any_is_taken) {
  run_here([]() -> task<void> {
    co_await check_room(1);
    bool refused = false;
    try {
      co_await check_room(std::size_t{1} << 46);
    } catch (out_of_memory const& e) {
      refused = std::string(e.what()).find("at each place") != std::string::npos;
    }
    EXPECT_TRUE(refused);
    refused = false;
    try {
      static_cast<void>(co_await global_array<char>::make((std::uint64_t{1} << 46) * places()));
    } catch (out_of_memory const& e) {
      refused = std::string(e.what()).find("at each place") != std::string::npos;
    }
    EXPECT_TRUE(refused) << "an array is memory of each place";
  });
}

TEST_P(memories, that_cannot_be_had_say_what_was_asked_and_what_is_left) {
  run_here([]() -> task<void> {
    std::string text;
    try {
      static_cast<void>(allocate<std::uint64_t>(std::size_t{1} << 44));
    } catch (out_of_memory const& e) {
      text = e.what();
    }
    EXPECT_NE(text.find("place 0"), std::string::npos) << text;
    EXPECT_NE(text.find(std::to_string(std::uint64_t{8} << 44)), std::string::npos) << text;
    EXPECT_NE(text.find("its address range has "), std::string::npos) << text;
    auto const room = detail::the_job->fabric->room(0);
    EXPECT_NE(text.find(" of " + std::to_string(room.limit_bytes) + " are left of " + room.limit), std::string::npos)
        << text;
    EXPECT_THROW(static_cast<void>(allocate<std::uint64_t>(~std::size_t{0})), error);
    std::string remote;
    try {
      co_await at(static_cast<place_id>(places() - 1),
                  [] { static_cast<void>(allocate<std::uint64_t>(std::size_t{1} << 44)); });
    } catch (std::exception const& e) {
      remote = e.what();
    }
    EXPECT_NE(remote.find("left"), std::string::npos) << remote;
    auto const p = allocate<int>(10);
    deallocate(p);
  });
}

TEST_P(memories, of_an_array_that_is_too_large_are_refused_at_the_callers_line) {
  run_here([]() -> task<void> {
    constexpr std::uint64_t most = ~std::uint64_t{0};
    auto const refusal = [](auto make) -> task<std::string> {
      try {
        static_cast<void>(co_await make());
      } catch (error const& e) {
        co_return e.what();
      }
      co_return "made";
    };
    auto const line = __LINE__;
    std::string const blocks = co_await refusal([] { return global_array<long>::make(most); });
    std::string const units = co_await refusal([] { return global_array<long>::make(5, most / 2); });
    std::string const dealt = co_await refusal([] { return cyclic_array<long>::make(most, 3); });
    EXPECT_TRUE(blocks.contains("memory_test.cpp:" + std::to_string(line + 1) + ": global_array::make of " +
                                std::to_string(most) + " elements"))
        << blocks;
    EXPECT_TRUE(blocks.ends_with("of 8 bytes at each place; expected less than 2^48 bytes at each place")) << blocks;
    EXPECT_TRUE(units.contains("memory_test.cpp:" + std::to_string(line + 2) + ": global_array::make of 5 elements"))
        << units;
    EXPECT_TRUE(dealt.contains("memory_test.cpp:" + std::to_string(line + 3) + ": cyclic_array::make of " +
                               std::to_string(most) + " elements"))
        << dealt;
    auto const a = co_await global_array<long>::make(5);
    co_await global_array<long>::release(a);
  });
}

INSTANTIATE_TEST_SUITE_P(layouts, memories, testing::ValuesIn(few_layouts()), name_of);

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TESS_TEST_SANITIZED 1
#endif
#endif

/// Runs `body` in a child with `room` bytes of address space (or data) beyond what the test uses; true if it returned
/// true.
template <class F>
bool in_small_child(std::uint64_t room, F body, __rlimit_resource of = RLIMIT_AS) {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  pid_t const child = fork();
  if (child == 0) {
    std::uint64_t const bytes = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) + room;
    rlimit const limit{bytes, bytes};
    setrlimit(of, &limit);
    bool good = false;
    settings s;
    s.places = 2;
    s.threads = 1;
    s.fabric = "smp";
    try {
      int const code = run(s, {}, [&](args) -> task<int> {
        good = co_await body();
        co_return 0;
      });
      good &= code == 0;
    } catch (std::exception const& e) {
      std::fprintf(stderr, "the job in a small address space: %s\n", e.what());
      good = false;
    }
    _exit(good ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(memory, in_a_small_address_space_runs_out_with_an_exception_and_can_be_used_again) {
#if defined(TESS_TEST_SANITIZED)
  GTEST_SKIP() << "sanitizers need their shadow in the address space";
#endif
#if defined(__riscv)
  GTEST_SKIP() << "qemu-riscv64 does not keep RLIMIT_AS";
#endif
  EXPECT_TRUE(in_small_child(std::uint64_t{700} << 20, []() -> task<bool> {
    std::vector<global_ptr<std::byte>> blocks;
    bool refused = false;
    try {
      while (blocks.size() < 1000) {
        blocks.push_back(allocate<std::byte>(std::size_t{1} << 20));
        std::memset(blocks.back().local(), 1, std::size_t{1} << 20);
      }
    } catch (out_of_memory const&) {
      refused = true;
    }
    bool const some = blocks.size() > 4;
    for (auto const b : blocks) deallocate(b);
    auto const again = allocate<std::byte>(std::size_t{1} << 20);
    deallocate(again);
    // The symmetric heap says no as politely.
    bool symmetric = false;
    try {
      static_cast<void>(co_await global_array<std::byte>::make(std::uint64_t{1} << 32));
    } catch (std::exception const&) {
      symmetric = true;
    }
    co_return refused&& some&& symmetric;
  }));
}

TEST(memory, beyond_ulimit_is_refused_with_its_name) {
#if defined(TESS_TEST_SANITIZED) || defined(__riscv)
  GTEST_SKIP() << "needs ulimit -d";
#endif
  EXPECT_TRUE(in_small_child(
      std::uint64_t{100} << 20,
      []() -> task<bool> {
        std::uint64_t const before = detail::the_job->fabric->room(0).left_bytes;
        std::string text;
        try {
          for (int i = 0; i < 1000; ++i) static_cast<void>(allocate<std::byte>(std::size_t{1} << 20));
        } catch (out_of_memory const& e) {
          text = e.what();
        }
        std::uint64_t const after = detail::the_job->fabric->room(0).left_bytes;
        co_return text.find("are left of `ulimit -d`") !=
            std::string::npos&& after + (std::uint64_t{16} << 20) < before;
      },
      RLIMIT_DATA));
}

TEST(memory, frames_that_find_no_room_throw_at_their_call) {
#if defined(TESS_TEST_SANITIZED) || defined(__riscv)
  GTEST_SKIP() << "needs RLIMIT_AS";
#endif
  EXPECT_TRUE(in_small_child(std::uint64_t{600} << 20, []() -> task<bool> {
    std::vector<global_ptr<std::byte>> blocks;
    for (std::size_t bytes = std::size_t{1} << 20; bytes >= 64; bytes /= 2) {
      try {
        for (;;) blocks.push_back(allocate<std::byte>(bytes));
      } catch (out_of_memory const&) {
      }
    }
    bool refused = false;
    try {
      co_await finish([] {
        for (int i = 0; i < 100000; ++i)
          spawn([]() -> task<void> {
            std::array<char, 600> large{};
            co_await yield();
            static_cast<void>(large);
          });
      });
    } catch (std::bad_alloc const&) {
      refused = true;
    }
    for (auto const b : blocks) deallocate(b);
    co_await finish([] { spawn([]() -> task<void> { co_return; }); });
    co_return refused;
  }));
}

TEST(memory, messages_that_find_no_room_for_their_task_bring_the_exception_back) {
#if defined(TESS_TEST_SANITIZED) || defined(__riscv)
  GTEST_SKIP() << "needs RLIMIT_AS";
#endif
  EXPECT_TRUE(in_small_child(std::uint64_t{600} << 20, []() -> task<bool> {
    // The runtime's own small objects of place 1 get their slabs while there is room.
    co_await finish([] { at_async(1, []() -> task<void> { co_await yield(); }); });
    co_await at(1, [] {
      for (std::size_t bytes = std::size_t{1} << 20; bytes >= 64; bytes /= 2) {
        try {
          for (;;) static_cast<void>(allocate<std::byte>(bytes));
        } catch (out_of_memory const&) {
        }
      }
    });
    auto const large = []() -> task<void> {
      std::array<char, 5000> room{};
      co_await yield();
      asm volatile("" : : "r"(room.data()) : "memory");
    };
    int refused = 0;
    try {
      co_await at(1, large);
    } catch (out_of_memory const& e) {
      refused += std::string(e.what()).find("segment of place 1") != std::string::npos;
    }
    try {
      co_await finish([&] { at_async(1, large); });
    } catch (out_of_memory const& e) {
      refused += std::string(e.what()).find("left") != std::string::npos;
    }
    co_return refused == 2;
  }));
}

}  // namespace
}  // namespace tess::test
