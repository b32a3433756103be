// blocked_signals: blocks the signals of the stall report while it lives, also in threads that start meanwhile.
#pragma once

#include <pthread.h>
#include <signal.h>

namespace tess::detail {

/// Threads inherit the mask, so only the watch receives these signals.
class blocked_signals {
 public:
  blocked_signals() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, &before_);
  }
  ~blocked_signals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  blocked_signals(blocked_signals const&) = delete;
  blocked_signals& operator=(blocked_signals const&) = delete;

 private:
  sigset_t before_;
};

}  // namespace tess::detail
