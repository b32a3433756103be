// serial_executor: a thread that runs the functions it is given, in order, so that their caller need not block.
//
// Threads  run(): any. Destruction waits for all that was given.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <utility>

#include "rmem/client/background_thread.hpp"

namespace tess::rmem {

class aside {
 public:
  aside() : thread_(quiet_thread([this] { work(); })) {}
  aside(aside const&) = delete;
  aside& operator=(aside const&) = delete;
  ~aside() {
    {
      std::lock_guard const lock(mutex_);
      stops_ = true;
    }
    given_.notify_one();
    thread_.join();
  }

  /// f must not throw.
  void run(std::function<void()> f) {
    {
      std::lock_guard const lock(mutex_);
      calls_.push_back(std::move(f));
    }
    given_.notify_one();
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      given_.wait(lock, [this] { return stops_ || !calls_.empty(); });
      if (calls_.empty()) return;
      auto const f = std::move(calls_.front());
      calls_.pop_front();
      lock.unlock();
      f();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable given_;
  std::deque<std::function<void()>> calls_;
  bool stops_ = false;
  quiet_thread thread_;
};

}  // namespace tess::rmem
