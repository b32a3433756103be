// other_user: another user of this host, as a process that has dropped root.
#pragma once

#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>

namespace tess::rmem {

inline constexpr std::uint32_t other_user = 65534;

/// Runs `what` in a process of another user; 0: it succeeded.
inline int as_other_user(std::function<int()> const& what) {
  pid_t const child = fork();
  if (child == 0) {
    int result = 99;
    try {
      if (setgroups(0, nullptr) == 0 && setgid(other_user) == 0 && setuid(other_user) == 0) result = what();
    } catch (std::exception const& e) {
      std::fprintf(stderr, "other user: %s\n", e.what());
    }
    _exit(result);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}

}  // namespace tess::rmem
