// switch_and_spawn: bare coroutines in an array, and bare coroutines through a free list and a stack or deque.
#include "limits/switch_and_spawn.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <vector>

#include "harness/clock.hpp"
#include "limits/owner_deque.hpp"

namespace bench {
namespace {

struct endless {
  struct promise_type {
    endless get_return_object() noexcept { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::terminate(); }
  };
  std::coroutine_handle<> handle;
};

endless suspend_for_ever() {
  for (;;) co_await std::suspend_always{};
}

/// Frames of one size, reused in LIFO order, since there is only one kind of task.
class frame_list {
 public:
  frame_list() = default;
  frame_list(frame_list const&) = delete;
  frame_list& operator=(frame_list const&) = delete;
  ~frame_list() {
    while (free_ != nullptr) ::operator delete(take());
  }

  [[nodiscard]] void* allocate(std::size_t bytes) { return free_ != nullptr ? take() : ::operator new(bytes); }
  void release(void* frame) noexcept { free_ = new (frame) link{free_}; }

 private:
  struct link {
    link* next;
  };

  void* take() noexcept {
    link* const frame = free_;
    free_ = frame->next;
    return frame;
  }

  link* free_ = nullptr;
};

// operator delete of a promise has no argument for the list.
constinit thread_local frame_list* current_frames = nullptr;

/// Tasks that are not started yet, for a single thread.
template <class T, std::size_t Capacity>
class owner_stack {
 public:
  void push(T* entry) noexcept { slots_[size_++] = entry; }
  /// The entry pushed last, or null.
  [[nodiscard]] T* pop() noexcept { return size_ == 0 ? nullptr : slots_[--size_]; }

 private:
  std::size_t size_ = 0;
  std::array<T*, Capacity> slots_;
};

/// An empty task. Count: std::int64_t, or an atomic one if other threads could run tasks.
template <class Count>
struct spawned {
  struct promise_type {
    explicit promise_type(Count& unfinished) noexcept : unfinished_(unfinished) {}
    static void* operator new(std::size_t bytes) { return current_frames->allocate(bytes); }
    static void operator delete(void* frame) noexcept { current_frames->release(frame); }

    spawned get_return_object() noexcept { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    // Without a final suspension, the frame is destroyed inside resume(): one indirect call per task instead of two.
    std::suspend_never final_suspend() noexcept {
      --unfinished_;
      return {};
    }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::terminate(); }

    Count& unfinished_;
  };
  std::coroutine_handle<> handle;
};

template <class Count>
spawned<Count> empty_task(Count& /*unfinished*/) {
  co_return;
}

template <class Unstarted, class Count>
double spawn_through(std::uint64_t tasks) {
  frame_list frames;
  current_frames = &frames;
  auto const unstarted = std::make_unique<Unstarted>();
  Count unfinished = 0;

  double const seconds = seconds_of([&] {
    for (std::uint64_t spawned_count = 0; spawned_count < tasks;) {
      std::uint64_t const batch = std::min<std::uint64_t>(unstarted_tasks_max, tasks - spawned_count);
      for (std::uint64_t i = 0; i < batch; ++i) {
        ++unfinished;
        unstarted->push(empty_task(unfinished).handle.address());
      }
      spawned_count += batch;
      while (void* const task = unstarted->pop()) std::coroutine_handle<>::from_address(task).resume();
    }
  });
  if (unfinished != 0) std::terminate();
  current_frames = nullptr;
  return seconds * ns_per_second / static_cast<double>(tasks);
}

}  // namespace

double bare_switch(std::uint32_t tasks, std::uint64_t switches) {
  std::vector<std::coroutine_handle<>> ring;
  ring.reserve(tasks);
  for (std::uint32_t i = 0; i < tasks; ++i) ring.push_back(suspend_for_ever().handle);

  std::uint64_t const laps = switches / tasks + 1;
  double const seconds = seconds_of([&] {
    for (std::uint64_t lap = 0; lap < laps; ++lap) {
      for (std::coroutine_handle<> const task : ring) task.resume();
    }
  });
  for (std::coroutine_handle<> const task : ring) task.destroy();
  return seconds * ns_per_second / static_cast<double>(laps * tasks);
}

double bare_spawn(std::uint64_t tasks) {
  return spawn_through<owner_deque<void, unstarted_tasks_max>, std::int64_t>(tasks);
}

double bare_spawn_unshared(std::uint64_t tasks) {
  return spawn_through<owner_stack<void, unstarted_tasks_max>, std::int64_t>(tasks);
}

double bare_spawn_stealable(std::uint64_t tasks) {
  return spawn_through<owner_deque<void, unstarted_tasks_max>, std::atomic<std::int64_t>>(tasks);
}

}  // namespace bench
