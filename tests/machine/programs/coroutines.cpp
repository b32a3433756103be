// coroutines: generators, and tasks that await each other, in frames on the heap.
#include <coroutine>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <utility>

namespace {

struct generator {
  struct promise_type {
    long value = 0;
    std::exception_ptr error;
    generator get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(long v) {
      value = v;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { error = std::current_exception(); }
  };
  std::coroutine_handle<promise_type> handle;
  generator(std::coroutine_handle<promise_type> h) : handle(h) {}
  generator(generator&& other) noexcept : handle(std::exchange(other.handle, {})) {}
  ~generator() {
    if (handle) handle.destroy();
  }
  bool next() {
    handle.resume();
    if (handle.promise().error) std::rethrow_exception(handle.promise().error);
    return !handle.done();
  }
};

generator fibonacci(int count) {
  long a = 0, b = 1;
  for (int k = 0; k < count; ++k) {
    co_yield a;
    a = std::exchange(b, a + b);
  }
  if (count == 13) throw std::runtime_error{"thirteen"};
}

generator evens(generator from) {
  while (from.next())
    if (from.handle.promise().value % 2 == 0) co_yield from.handle.promise().value;
}

}  // namespace

int main() {
  long sum = 0;
  for (int round = 0; round < 500; ++round)
    for (generator g = evens(fibonacci(60)); g.next();) sum += g.handle.promise().value % 1009;
  std::printf("%ld\n", sum);
  try {
    for (generator g = evens(fibonacci(13)); g.next();) std::printf("%ld ", g.handle.promise().value);
  } catch (std::exception const& e) {
    std::printf("%s\n", e.what());
  }
}
