// call_names: the names of Linux's system calls by their asm-generic numbers, for messages.
//
// Source    Linux, include/uapi/asm-generic/unistd.h.
#include "machine/linux/call_names.hpp"

#include <algorithm>
#include <array>

namespace tess::machine {
namespace {

struct named_call {
  std::uint64_t number;
  std::string_view name;
};

constexpr std::array names{
    named_call{5, "setxattr"},
    named_call{8, "getxattr"},
    named_call{19, "eventfd2"},
    named_call{20, "epoll_create1"},
    named_call{21, "epoll_ctl"},
    named_call{22, "epoll_pwait"},
    named_call{25, "fcntl"},
    named_call{26, "inotify_init1"},
    named_call{32, "flock"},
    named_call{33, "mknodat"},
    named_call{36, "symlinkat"},
    named_call{37, "linkat"},
    named_call{38, "renameat"},
    named_call{40, "mount"},
    named_call{43, "statfs"},
    named_call{44, "fstatfs"},
    named_call{47, "fallocate"},
    named_call{50, "fchdir"},
    named_call{52, "fchmod"},
    named_call{53, "fchmodat"},
    named_call{54, "fchownat"},
    named_call{55, "fchown"},
    named_call{59, "pipe2"},
    named_call{63, "read"},
    named_call{64, "write"},
    named_call{65, "readv"},
    named_call{66, "writev"},
    named_call{69, "preadv"},
    named_call{70, "pwritev"},
    named_call{71, "sendfile"},
    named_call{72, "pselect6"},
    named_call{73, "ppoll"},
    named_call{74, "signalfd4"},
    named_call{76, "splice"},
    named_call{84, "sync_file_range"},
    named_call{88, "utimensat"},
    named_call{92, "personality"},
    named_call{95, "waitid"},
    named_call{97, "unshare"},
    named_call{100, "get_robust_list"},
    named_call{102, "getitimer"},
    named_call{103, "setitimer"},
    named_call{107, "timer_create"},
    named_call{112, "clock_settime"},
    named_call{117, "ptrace"},
    named_call{118, "sched_setparam"},
    named_call{119, "sched_setscheduler"},
    named_call{120, "sched_getscheduler"},
    named_call{121, "sched_getparam"},
    named_call{125, "sched_get_priority_max"},
    named_call{126, "sched_get_priority_min"},
    named_call{133, "rt_sigsuspend"},
    named_call{136, "rt_sigpending"},
    named_call{137, "rt_sigtimedwait"},
    named_call{138, "rt_sigqueueinfo"},
    named_call{139, "rt_sigreturn"},
    named_call{140, "setpriority"},
    named_call{141, "getpriority"},
    named_call{143, "setregid"},
    named_call{144, "setgid"},
    named_call{145, "setreuid"},
    named_call{146, "setuid"},
    named_call{147, "setresuid"},
    named_call{149, "setresgid"},
    named_call{157, "setsid"},
    named_call{158, "getgroups"},
    named_call{161, "sethostname"},
    named_call{163, "getrlimit"},
    named_call{164, "setrlimit"},
    named_call{180, "mq_open"},
    named_call{181, "mq_unlink"},
    named_call{182, "mq_timedsend"},
    named_call{183, "mq_timedreceive"},
    named_call{184, "mq_notify"},
    named_call{185, "mq_getsetattr"},
    named_call{186, "msgget"},
    named_call{190, "semget"},
    named_call{194, "shmget"},
    named_call{195, "shmctl"},
    named_call{196, "shmat"},
    named_call{197, "shmdt"},
    named_call{198, "socket"},
    named_call{199, "socketpair"},
    named_call{200, "bind"},
    named_call{201, "listen"},
    named_call{202, "accept"},
    named_call{203, "connect"},
    named_call{206, "sendto"},
    named_call{207, "recvfrom"},
    named_call{221, "execve"},
    named_call{230, "mlockall"},
    named_call{232, "mincore"},
    named_call{234, "remap_file_pages"},
    named_call{235, "mbind"},
    named_call{260, "wait4"},
    named_call{266, "clock_adjtime"},
    named_call{270, "process_vm_readv"},
    named_call{277, "seccomp"},
    named_call{279, "memfd_create"},
    named_call{280, "bpf"},
    named_call{281, "execveat"},
    named_call{282, "userfaultfd"},
    named_call{285, "copy_file_range"},
    named_call{286, "preadv2"},
    named_call{287, "pwritev2"},
    named_call{425, "io_uring_setup"},
    named_call{434, "pidfd_open"},
    named_call{437, "openat2"},
};

}  // namespace

std::string_view system_call_name(std::uint64_t number) noexcept {
  auto const found = std::ranges::find(names, number, &named_call::number);
  return found == names.end() ? std::string_view{} : found->name;
}

}  // namespace tess::machine
