// quiet_thread: a thread that takes no signals: they are for the program's own threads.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <thread>
#include <utility>

namespace tess::rmem {

template <class F>
std::thread quiet_thread(F f) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  struct restore {
    sigset_t const& mask;
    ~restore() { pthread_sigmask(SIG_SETMASK, &mask, nullptr); }
  } const at_end{before};
  return std::thread(std::move(f));
}

}  // namespace tess::rmem
