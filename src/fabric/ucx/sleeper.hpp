// sleeper: the event file on which one thread sleeps, beside those of its places.
//
//   The sleeper sets `asleep`, then asks once more whether there is anything to do. A waker clears it and writes.
//
// Errors   tess::error if the process may open no more files.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <vector>

#include "fabric/ucx/place.hpp"

namespace tess::detail {

struct ucx_sleeper {
  ucx_sleeper() : file(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (file < 0) throw error("--fabric ucx", "no file descriptor is left for waking a thread", "a larger `ulimit -n`");
  }
  ~ucx_sleeper() { close(file); }
  ucx_sleeper(ucx_sleeper const&) = delete;
  ucx_sleeper& operator=(ucx_sleeper const&) = delete;

  void wake() noexcept {
    if (asleep.load(std::memory_order_seq_cst) == 0 || asleep.exchange(0, std::memory_order_seq_cst) == 0) return;
    std::uint64_t const one = 1;
    static_cast<void>(!write(file, &one, sizeof one));
  }

  std::atomic<std::uint32_t> asleep{0};
  int file;
  std::vector<ucx_place*> places;
};

}  // namespace tess::detail
