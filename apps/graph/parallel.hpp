// parallel: calls a function once on each of several threads, and waits for them.
//
// Threads   programs that are cross-compiled for a machine have one thread: the calls follow each other.
// Errors    the exception of the lowest number is thrown again when all have returned.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace graph {

// `wanted`, or one for each processor that this process may use if it is 0; 1 where there are no threads.
[[nodiscard]] unsigned threads_for(unsigned wanted);

// work(0) … work(threads - 1); the caller's thread does work(0).
void on_threads(unsigned threads, std::function<void(unsigned)> const& work);

// Work on a thread of its own, which the destructor waits for; without threads, the constructor does it.
class background {
 public:
  explicit background(std::function<void()> work);
  background(background const&) = delete;
  background& operator=(background const&) = delete;
  ~background();

  [[nodiscard]] bool is_done() const noexcept;
  // Waits, and throws what the work has thrown.
  void finish();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

// The begin of part `index` of `parts` of 0 … count; without overflow for any count.
[[nodiscard]] constexpr std::uint64_t part_begin(std::uint64_t count, std::uint64_t index,
                                                 std::uint64_t parts) noexcept {
  std::uint64_t const rest = count % parts;
  return count / parts * index + (index < rest ? index : rest);
}

}  // namespace graph
