// address_check: addresses in what travels are found at run time where the type does not show them.
//
// Method: calls whose words are addresses of known kinds, from and to several places; reports, their lines and the
// job's exit code are compared. Without them nothing is reported, whatever numbers travel.
#include "tess/detail/address_check.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include "runtime/sanitized.hpp"
#include "tess/tess.hpp"

namespace {

/// Says that it holds no address, and may hold one.
class marked {
 public:
  explicit marked(int* hidden) noexcept : address_(hidden) {}
  [[nodiscard]] bool any() const noexcept { return address_ != nullptr; }

 private:
  int* address_;
};

}  // namespace

template <>
inline constexpr bool tess::plain_data<marked> = true;

namespace {

using namespace tess;

struct outcome {
  int code;
  std::string text;
};

outcome run_on(char const* fabric, task<void> (*body)()) {
  settings s;
  s.fabric = fabric;
  s.places = 2;
  testing::internal::CaptureStderr();
  int const code = run(s, {}, [body](args) -> task<int> {
    co_await body();
    co_return 0;
  });
  return {code, testing::internal::GetCapturedStderr()};
}

unsigned call_line;

void expect_report(outcome const& o, std::string const& of) {
  EXPECT_EQ(o.code, 1) << o.text;
  EXPECT_NE(o.text.find("address_check_test.cpp:" + std::to_string(call_line) + ": "), std::string::npos)
      << call_line << "\n"
      << o.text;
  EXPECT_NE(o.text.find(of), std::string::npos) << o.text;
}

void expect_none(outcome const& o) {
  EXPECT_EQ(o.code, 0) << o.text;
  EXPECT_EQ(o.text, "");
}

task<void> send_marked() {
  auto const heap = std::make_unique<int>(1);
  call_line = __LINE__ + 1;
  co_await at(1, [](marked m) { return m.any(); }, marked(heap.get()));
}

TEST(addresses, hidden_by_a_type_are_found_in_every_build) {
  expect_report(run_on("smp", &send_marked), "of the heap or other memory of this process");
}

/// No coroutine, so its variable is on the stack.
[[gnu::noinline]] auto call_with_local() {
  int local = 1;
  auto const number = reinterpret_cast<std::uintptr_t>(&local);
  call_line = __LINE__ + 1;
  return at(1, [number] { return number != 0; });
}
task<void> send_stack() {
  co_await call_with_local();
}
task<void> send_frame() {
  int local = 1;
  co_await yield();
  auto const number = reinterpret_cast<std::uintptr_t>(&local);
  call_line = __LINE__ + 1;
  co_await at(1, [number] { return number != 0; });
  EXPECT_EQ(local, 1);
}
task<void> send_gathered() {
  co_await finish([] {
    auto const heap = std::make_unique<int>(1);
    auto const number = reinterpret_cast<std::uintptr_t>(heap.get());
    call_line = __LINE__ + 1;
    at_async(1, [](std::uintptr_t n) { EXPECT_NE(n, 0U); }, number);
  });
}

TEST(addresses, made_numbers_are_found_by_verified_jobs_and_checked_builds) {
  // AddressSanitizer has local variables elsewhere.
  expect_report(run_on("checked", &send_stack),
                tess::test::is_sanitized ? "holds an address" : "of the stack of this thread");
  expect_report(run_on("checked", &send_frame), "of the memory of place 0: a task's frame");
  expect_report(run_on("checked", &send_gathered), "of the heap");
#if defined(TESS_CHECKED) && TESS_CHECKED
  expect_report(run_on("smp", &send_frame), "of the memory of place 0: a task's frame");
#else
  expect_none(run_on("smp", &send_frame));
#endif
}

task<void> send_unchecked() {
  int local = 1;
  co_await at(1, unchecked([&local] { ++local; }));
  EXPECT_EQ(local, 2);
}

TEST(addresses, are_the_callers_to_answer_for_within_a_process) {
  expect_none(run_on("smp", &send_unchecked));
  expect_none(run_on("checked", &send_unchecked));
}

task<void> send_numbers() {
  auto const word = allocate<std::uint64_t>();
  co_await put(word, std::uint64_t{0});
  // Numbers of every size, also between reserved addresses, and words of both kinds of memory.
  for (unsigned shift = 0; shift < 64; ++shift) {
    std::uint64_t const n = (std::uint64_t{1} << shift) + 12345;
    double const d = static_cast<double>(n);
    co_await at(
        1,
        [n, d](global_ptr<std::uint64_t> p, std::uint32_t a, std::uint32_t b) {
          return n + a + b + p.place() + static_cast<std::uint64_t>(d / 2);
        },
        word, static_cast<std::uint32_t>(n >> 7), std::uint32_t{0x7fff});
  }
  // What lies in padding is no part of the value.
  struct padded {
    std::uint64_t number;
    std::uint16_t last;
  };
  alignas(padded) std::byte old[sizeof(padded)];
  auto const stale = reinterpret_cast<std::uintptr_t>(word.local());
  for (std::size_t i = 0; i < sizeof old; i += sizeof stale) std::memcpy(old + i, &stale, sizeof stale);
  padded* const p = new (old) padded;
  p->number = 1;
  p->last = 2;
  std::memcpy(old + 10, reinterpret_cast<std::byte const*>(&stale) + 2, 6);
  co_await at(1, [](padded given) { return given.number; }, *p);
  // The own place's addresses mean there what they mean here.
  int local = 1;
  auto const number = reinterpret_cast<std::uintptr_t>(&local);
  co_await at(0, [number] { return number != 0; });
}

TEST(addresses, are_not_seen_in_numbers) {
  expect_none(run_on("smp", &send_numbers));
  expect_none(run_on("checked", &send_numbers));
}

}  // namespace
