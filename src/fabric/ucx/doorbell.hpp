// doorbell: how other processes of this host wake the sleeping reader of a mailbox: a pipe, which it also sleeps on.
//
//   A packet of UCX would do, but UCX drops its signal to a sleeping process when some 270 signals to others have not
//   been noticed yet. It would also need a connection between each two processes.
//
//   Others open the pipe by /proc, as they open segments, and compare its inode. They open it for reading, too, so that
//   a ring at a process that has ended is no SIGPIPE.
//
// Errors   tess::error if the process may open no more files.
// Threads  any.
// Cost     a ring: one system call; four more if the bell is not among the latest `kept`. Where a process may open no
//          more files, the bells that are open are closed first.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>

#include "fabric/ucx/window.hpp"
#include "tess/error.hpp"

namespace tess::detail {

/// Where a bell can be found, in the process that has it; sent as plain bytes.
struct bell_place {
  std::uint64_t inode = 0;
  std::int32_t file = -1;  ///< -1: there is none
  std::int32_t unused = 0;
};

class ucx_doorbell {
 public:
  ucx_doorbell();
  ~ucx_doorbell();
  ucx_doorbell(ucx_doorbell const&) = delete;
  ucx_doorbell& operator=(ucx_doorbell const&) = delete;

  [[nodiscard]] bell_place place() const noexcept;
  /// Readable after a ring, until silence().
  [[nodiscard]] int file() const noexcept { return files_[0]; }
  void silence() noexcept;

 private:
  std::array<int, 2> files_{-1, -1};
};

/// The bells of others.
class ucx_doorbells {
 public:
  ucx_doorbells() = default;
  ~ucx_doorbells();
  ucx_doorbells(ucx_doorbells const&) = delete;
  ucx_doorbells& operator=(ucx_doorbells const&) = delete;

  /// False: it could not be opened.
  [[nodiscard]] bool ring(place_id p, std::int32_t process, bell_place const& bell) noexcept;

 private:
  void close_all() noexcept;

  static constexpr std::size_t kept = 8;  ///< open files
  struct opened {
    int file = -1;
    place_id place = 0;
  };
  std::mutex mutex_;
  std::array<opened, kept> opened_;
};

}  // namespace tess::detail
