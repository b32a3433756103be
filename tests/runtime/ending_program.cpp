// ending_program: a program that ends in the way that its argument names; last_words_test runs it.
#include <sys/mman.h>

#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "tess/tess.hpp"

namespace {

tess::task<int> inner(int depth) {
  co_await tess::yield();  // the innermost
  if (depth == 0) throw std::out_of_range("no such vertex");
  co_return depth;
}

tess::task<int> outer(int depth) {
  co_return co_await inner(depth);  // the outer
}

int volatile zero = 0;
std::uint64_t* volatile nowhere = nullptr;

/// Takes all of the stack.
int deeper(int volatile* from) {
  int volatile room[256] = {};
  room[0] = *from + 1;
  return room[0] == -1 ? 0 : deeper(room) + room[1];
}

void end(std::string_view how) {
  if (how == "null") *nowhere = 1;
  if (how == "wild") *reinterpret_cast<std::uint64_t volatile*>(std::uint64_t{0x7000'1234'0000}) = 1;
  if (how == "divide") zero = 7 / zero;
  if (how == "abort") std::abort();
  if (how == "file") {
    // A mapped file that ends before the byte that is written.
    auto const mapped = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ::memfd_create("empty", 0), 0);
    *static_cast<char volatile*>(mapped) = 1;
  }
  if (how == "thread") {
    auto const p = tess::allocate<long>();
    std::thread([p] { static_cast<void>(tess::put(p, 1L)); }).join();
  }
  if (how == "stack") zero = deeper(&zero);
}

tess::task<void> end_in_task(std::string_view how) {
  co_await tess::yield();  // before the end
  end(how);
}

/// Each waits for what the other holds.
tess::task<void> take_both(tess::mutex& first, tess::mutex& second, tess::semaphore& mine, tess::semaphore& others) {
  auto const one = co_await first.guard();
  others.release();
  co_await mine.acquire();
  auto const two = co_await second.guard();  // the second lock
}

tess::task<void> yield_for_ever() {
  while (zero == 0) co_await tess::yield();  // the yield
}

}  // namespace

int main(int argc, char** argv) {
  return tess::run(argc, argv, [](tess::args words) -> tess::task<int> {
    std::string_view const how = words.empty() ? "throw" : std::string_view(words.front());
    auto const last = static_cast<tess::place_id>(tess::places() - 1);
    if (how == "throw") co_await outer(0);                                                               // main's
    if (how == "throw there") co_await tess::at(last, []() -> tess::task<void> { co_await outer(0); });  // main's at
    if (how == "throw plainly") co_await tess::at(last, [] { throw std::out_of_range("no such vertex"); });
    if (how == "throw a number") throw 42;
    if (how == "throw a number there") co_await tess::at(last, [] { throw 42; });
    if (how == "throw in a finish")
      co_await tess::finish([]() -> tess::task<void> {
        tess::spawn([]() -> tess::task<void> { co_await outer(0); });
        co_return;
      });  // main's finish
    if (how == "catch and throw") {
      try {
        co_await outer(0);
      } catch (std::out_of_range const&) {
      }
      throw std::out_of_range("another one");
    }
    if (how == "deadlock") {
      tess::mutex a;
      tess::mutex b;
      tess::semaphore first(0);
      tess::semaphore second(0);
      co_await tess::finish([&]() -> tess::task<void> {
        tess::spawn(take_both(a, b, first, second));
        tess::spawn(take_both(b, a, second, first));
        co_return;
      });
    }
    if (how == "live-lock")
      co_await tess::finish([]() -> tess::task<void> {
        tess::spawn(yield_for_ever());
        tess::spawn(yield_for_ever());
        co_return;
      });
    if (how == "there")
      co_await tess::at(
          last, [](std::uint64_t which) -> tess::task<void> { co_await end_in_task(which == 0 ? "null" : "abort"); },
          words[1] == "null" ? 0UL : 1UL);
    co_await end_in_task(how);  // main's end
    co_return 0;
  });
}
