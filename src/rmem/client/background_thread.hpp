// background_thread: a thread of the client library: it takes no signals, which are for the program's own threads, and
// has a small stack, because programs with remote memory may have little address space.
//
// Errors  std::system_error: the system has no thread left.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <functional>
#include <memory>
#include <system_error>
#include <utility>

namespace tess::rmem {

class background_thread {
 public:
  background_thread() = default;
  explicit background_thread(std::function<void()> f) {
    auto body = std::make_unique<std::function<void()>>(std::move(f));
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_attr_t chosen;
    pthread_attr_init(&chosen);
    pthread_attr_setstacksize(&chosen, stack_bytes);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int const failure = pthread_create(
        &thread_, &chosen,
        [](void* given) -> void* {
          std::unique_ptr<std::function<void()>> const call(static_cast<std::function<void()>*>(given));
          (*call)();
          return nullptr;
        },
        body.get());
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    pthread_attr_destroy(&chosen);
    if (failure != 0) throw std::system_error(failure, std::generic_category(), "a thread for remote memory");
    static_cast<void>(body.release());
  }
  void join() { pthread_join(thread_, nullptr); }
  void detach() { pthread_detach(thread_); }

 private:
  static constexpr std::size_t stack_bytes = 512 * 1024;
  pthread_t thread_{};
};

}  // namespace tess::rmem
