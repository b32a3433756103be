// serial_executor: a thread that runs the functions it is given, in order; callers that must not block use it.
//
// Threads  run(): any. The destructor waits until everything has run.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <utility>

#include "rmem/client/background_thread.hpp"

namespace tess::rmem {

class serial_executor {
 public:
  serial_executor() : thread_(background_thread([this] { work(); })) {}
  serial_executor(serial_executor const&) = delete;
  serial_executor& operator=(serial_executor const&) = delete;
  ~serial_executor() {
    {
      std::lock_guard const lock(mutex_);
      stops_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }

  /// f must not throw.
  void run(std::function<void()> f) {
    {
      std::lock_guard const lock(mutex_);
      calls_.push_back(std::move(f));
    }
    changed_.notify_one();
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return stops_ || !calls_.empty(); });
      if (calls_.empty()) return;
      auto const f = std::move(calls_.front());
      calls_.pop_front();
      lock.unlock();
      f();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> calls_;
  bool stops_ = false;
  background_thread thread_;
};

}  // namespace tess::rmem
