// system_calls: program::system_call: dispatch by asm-generic numbers, as on RISC-V.
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "machine/linux/call_names.hpp"
#include "machine/linux/program.hpp"

namespace tess::machine {
namespace {

constexpr std::uint64_t user = 1000;
constexpr std::uint64_t call_clone = 220;
constexpr std::uint64_t call_execve = 221;
constexpr std::uint64_t call_execveat = 281;

// Programs and their C library probe for these and work without them.
constexpr std::array<std::uint64_t, 5> absent_without_notice{
    258,  // riscv_hwprobe
    291,  // statx: the library falls back to newfstatat
    293,  // rseq
    435,  // clone3: the library falls back to clone
    439,  // faccessat2: the library falls back to faccessat
};

std::uint8_t rights_of(std::uint64_t protection) {
  std::uint8_t rights = 0;
  if ((protection & PROT_READ) != 0) rights |= right_read;
  if ((protection & PROT_WRITE) != 0) rights |= right_write | right_read;
  if ((protection & PROT_EXEC) != 0) rights |= right_execute | right_read;
  return rights;
}

}  // namespace

bool program::is_within(hart const& h) noexcept {
  // Memory, threads, signals, clocks, output, and questions that have no effect.
  constexpr std::array<std::uint64_t, 47> within{17,  29,  64,  66,  79,  80,  93,  94,  96,  98,  99,  100,
                                                 101, 113, 114, 115, 117, 118, 119, 120, 121, 122, 123, 124,
                                                 129, 130, 131, 132, 133, 134, 135, 136, 139, 160, 163, 165,
                                                 169, 172, 173, 178, 179, 214, 215, 216, 220, 226, 233};
  constexpr std::array<std::uint64_t, 7> more{222, 258, 261, 278, 291, 293, 435};
  std::uint64_t const number = h.x[17];
  return std::ranges::find(within, number) != within.end() || std::ranges::find(more, number) != more.end();
}

program::after_call program::system_call(hart& h) {
  std::uint64_t const number = h.x[17];
  call_arguments const a{h.x[10], h.x[11], h.x[12], h.x[13], h.x[14], h.x[15]};
  std::int64_t const result = dispatch(h, number, a);
  if (result == program_ended) return after_call::program_ended;
  if (result == thread_ended) return after_call::thread_ended;
  if (result != came_back) h.advance();
  if (result == blocked && !threads_.take_over(h)) return after_call::sleeps;
  if (result != came_back && result != blocked) h.x[10] = static_cast<std::uint64_t>(result);
  if (signals_.deliver(h)) return after_call::goes_on;
  end_by_signal();
  return after_call::program_ended;
}

bool program::handle_trap(hart& h) {
  if (h.stopped == stop::illegal) return signals_.fault(h, SIGILL, ILL_ILLOPC, h.pc);
  if (h.stopped == stop::ebreak) return signals_.fault(h, SIGTRAP, TRAP_BRKPT, h.pc);
  if (h.stopped != stop::access) return false;
  std::uint64_t const at = h.request.address;
  bool const in_image = std::ranges::any_of(image_.segments, [&](elf_segment const& s) {
    return at >= page_down(s.address) && at < page_up(s.address + s.memory_bytes);
  });
  bool const mapped = in_image || space_.is_mapped(at);
  bool const misaligned = h.request.right != right_execute && h.request.bytes != 0 && at % h.request.bytes != 0;
  if (mapped && misaligned) return signals_.fault(h, SIGBUS, BUS_ADRALN, at);
  return signals_.fault(h, SIGSEGV, mapped ? SEGV_ACCERR : SEGV_MAPERR, at);
}

bool program::pass_time(std::uint64_t now_ns) {
  if (threads_.any_waits_for_files()) retry_files();
  threads_.pass_time(now_ns);
  if (signals_.pass_time(now_ns)) return true;
  end_by_signal();
  return false;
}

bool program::attend(hart& h) {
  threads_.rotate(h);
  if (signals_.deliver(h)) return true;
  end_by_signal();
  return false;
}

std::uint64_t program::next_tick_ns() const {
  std::uint64_t const next = signals_.next_deadline_ns();
  return threads_.any_waits_for_files() ? std::min(next, files_.next_change_ns()) : next;
}

std::int64_t program::end_by_signal() {
  signal_ = static_cast<int>(signals_.fatal());
  exit_code_ = 128 + *signal_;
  return program_ended;
}

std::int64_t program::dispatch(hart& h, std::uint64_t number, call_arguments const& a) {
  std::uint64_t deadline_ns = 0;
  if (auto const result = waiting_call(number, a, deadline_ns)) {
    if (*result == not_yet) return threads_.wait_for_files(h, {number, a, deadline_ns});
    if (files_.have_changed()) retry_files();
    bool const broken = *result == -EPIPE && !signals_.send(&h, threads_.id_of(h), SIGPIPE);
    return broken ? end_by_signal() : *result;
  }
  if (auto const result = memory_call(number, a)) return *result;
  if (auto const result = thread_call(h, number, a)) return *result;
  if (auto const result = signal_call(h, number, a)) return *result;
  if (auto const result = other_call(h, number, a)) return *result;
  name_unknown(number);
  return -ENOSYS;
}

void program::name_unknown(std::uint64_t number) {
  if (std::ranges::find(absent_without_notice, number) != absent_without_notice.end()) return;
  if (!unknown_.insert(number).second) return;
  std::string_view const name = system_call_name(number);
  std::string const line =
      number == call_clone || number == call_execve || number == call_execveat
          ? fmt::format("machine: the program wants to {}; a machine runs one program, in threads: ENOSYS\n",
                        number == call_clone ? "make a process (fork, vfork)" : "become another one (exec)")
          : fmt::format("machine: the program calls {} (system call {}), which is not emulated: ENOSYS\n",
                        name.empty() ? "an unknown one" : name, number);
  std::fputs(line.c_str(), stderr);
}

void program::retry_files() {
  threads_.retry_files([this](threads::file_wait& call) {
    std::int64_t const result = *waiting_call(call.number, call.arguments, call.deadline_ns);
    (void)files_.have_changed();
    return result;
  });
}

std::optional<std::int64_t> program::waiting_call(std::uint64_t number, call_arguments const& a,
                                                  std::uint64_t& deadline_ns) {
  switch (number) {
    case 22:
      return files_.epoll_pwait(a, false, deadline_ns);
    case 72:
      return files_.pselect6(a, deadline_ns);
    case 73:
      return files_.ppoll(a, deadline_ns);
    case 441:
      return files_.epoll_pwait(a, true, deadline_ns);
    default:
      return file_call(number, a);
  }
}

std::optional<std::int64_t> program::file_call(std::uint64_t number, call_arguments const& a) {
  switch (number) {
    case 17:
      return files_.getcwd(a);
    case 19:
      return files_.eventfd2(a);
    case 20:
      return files_.epoll_create1(a);
    case 21:
      return files_.epoll_ctl(a);
    case 23:
      return files_.dup(a);
    case 24:
      return files_.dup3(a);
    case 25:
      return files_.fcntl(a);
    case 29:
      return files_.ioctl(a);
    case 32:
      return files_.flock(a);
    case 34:
      return files_.mkdirat(a);
    case 35:
      return files_.unlinkat(a);
    case 36:
      return files_.symlinkat(a);
    case 37:
      return files_.linkat(a);
    case 43:
      return files_.statfs(a);
    case 44:
      return files_.fstatfs(a);
    case 45:
      return files_.truncate(a);
    case 46:
      return files_.ftruncate(a);
    case 47:
      return files_.fallocate(a);
    case 48:
      return files_.faccessat(a);
    case 49:
      return files_.chdir(a);
    case 50:
      return files_.fchdir(a);
    case 52:
      return files_.fchmod(a);
    case 53:
      return files_.fchmodat(a);
    case 54:  // fchownat
    case 55:  // fchown: there is one user
      return 0;
    case 56:
      return files_.openat(a);
    case 57:
      return files_.close(a);
    case 59:
      return files_.pipe2(a);
    case 61:
      return files_.getdents64(a);
    case 62:
      return files_.lseek(a);
    case 63:
      return files_.read(a);
    case 64:
      return files_.write(a);
    case 65:
      return files_.readv(a);
    case 66:
      return files_.writev(a);
    case 67:
      return files_.pread64(a);
    case 68:
      return files_.pwrite64(a);
    case 71:
      return files_.sendfile(a);
    case 78:
      return files_.readlinkat(a);
    case 79:
      return files_.newfstatat(a);
    case 80:
      return files_.fstat(a);
    case 81:  // sync
    case 223:
      return 0;  // fadvise64
    case 82:     // fsync
    case 83:
      return files_.fsync(a);  // fdatasync
    case 85:
      return files_.timerfd_create(a);
    case 86:
      return files_.timerfd_settime(a);
    case 87:
      return files_.timerfd_gettime(a);
    case 88:
      return files_.utimensat(a);
    case 204:  // getsockname
    case 205:  // getpeername
    case 208:  // setsockopt
    case 209:  // getsockopt: no descriptor is a socket
      return files_.is_open(a[0]) ? -ENOTSOCK : -EBADF;
    case 276:
      return files_.renameat2(a);
    default:
      return {};
  }
}

// Anonymous memory, and private copies of files, which are read at once.
std::int64_t program::map(call_arguments const& a) {
  std::int64_t const where = space_.map(a[0], a[1], rights_of(a[2]), a[3]);
  if (where < 0 || (a[3] & MAP_ANONYMOUS) != 0) return where;
  auto const at = static_cast<std::uint64_t>(where);
  bool const shared_writable = (a[3] & MAP_TYPE) != MAP_PRIVATE && (a[2] & PROT_WRITE) != 0;
  std::int64_t const failed = shared_writable ? -ENODEV : 0;
  std::uint64_t const end = at + page_up(a[1]);
  memory_.set_rights(at, end, right_read | right_write);
  std::int64_t const got = failed != 0 ? failed : files_.pread64({a[4], at, page_up(a[1]), a[5], 0, 0});
  if (got < 0) {
    space_.unmap(at, a[1]);
    return got;
  }
  memory_.set_rights(at, end, rights_of(a[2]));
  return where;
}

std::optional<std::int64_t> program::memory_call(std::uint64_t number, call_arguments const& a) {
  switch (number) {
    case 214:
      return space_.brk(a[0]);
    case 215:
      return space_.unmap(a[0], a[1]);
    case 216:
      return space_.remap(a[0], a[1], a[2], a[3]);
    case 222:
      return map(a);
    case 226:
      return space_.protect(a[0], a[1], rights_of(a[2]));
    case 227:
      return 0;  // msync
    case 228:    // mlock
    case 229:
      return 0;  // munlock
    case 233:
      return a[2] == MADV_DONTNEED ? space_.forget(a[0], a[1]) : 0;
    case 259:
      host_.code_changed();
      return 0;  // riscv_flush_icache
    default:
      return {};
  }
}

std::optional<std::int64_t> program::thread_call(hart& h, std::uint64_t number, call_arguments const& a) {
  switch (number) {
    case 93:
      signals_.end_thread(threads_.id_of(h));
      return threads_.exit(h);
    case 94:
      exit_code_ = static_cast<int>(a[0] & 255U);
      return program_ended;
    case 96:
      return threads_.set_tid_address(h, a[0]);
    case 98:
      return threads_.futex(h, a);
    case 99:
      return 0;  // set_robust_list
    case 101:
      return clock_.nanosleep(h, a);
    case 115:
      return clock_.clock_nanosleep(h, a);
    case 122:
      return 0;  // sched_setaffinity
    case 123:
      return affinity(a);
    case 124:
      if (threads_.has_ready()) host_.interrupt(h, 0);
      return 0;  // sched_yield
    case 178:
      return static_cast<std::int64_t>(threads_.id_of(h));
    case 220: {
      std::int64_t const made = threads_.clone(h, a);
      if (made == -ENOSYS) name_unknown(number);
      if (made > 0) signals_.begin_thread(static_cast<std::uint64_t>(made), threads_.id_of(h));
      return made;
    }
    case 283:
      return a[0] == 0 ? 0 : -EINVAL;  // membarrier: the query returns no commands
    default:
      return {};
  }
}

std::optional<std::int64_t> program::other_call(hart& h, std::uint64_t number, call_arguments const& a) {
  switch (number) {
    case 113:
      return clock_.clock_gettime(a);
    case 114:
      return clock_.clock_getres(a);
    case 144:  // setgid
    case 146:  // setuid
      return (a[0] & 0xffffffffU) == user ? 0 : -EPERM;
    case 148:    // getresuid
    case 150: {  // getresgid
      std::uint32_t const own = user;
      return memory_.put(a[0], own) && memory_.put(a[1], own) && memory_.put(a[2], own) ? 0 : -EFAULT;
    }
    case 153:
      return clock_.times(a);
    case 154:  // setpgid
    case 158:  // getgroups: none
    case 166:
      return 0;  // umask
    case 155:    // getpgid
    case 156:    // getsid
    case 172:
      return static_cast<std::int64_t>(threads::main_id);  // getpid
    case 173:
      return 1;  // getppid
    case 160:
      return uname(a);
    case 165:
      return clock_.getrusage(a);
    case 167:
      return 0;  // prctl: names of threads
    case 169:
      return clock_.gettimeofday(a);
    case 174:
    case 175:
    case 176:
    case 177:
      return static_cast<std::int64_t>(user);
    case 179:
      return sysinfo(a);
    case 95:  // waitid
    case 260:
      return -ECHILD;  // wait4: there are no other processes
    case 163:
      return limits({0, a[0], 0, a[1]});  // getrlimit
    case 261:
      return limits(a);
    case 278:
      return clock_.getrandom(a);
    default:
      (void)h;
      return {};
  }
}

// As many processors as harts, all of them allowed.
std::int64_t program::affinity(call_arguments const& a) {
  std::array<std::byte, 128> mask{};
  for (std::uint32_t k = 0; k < host_.harts_count() && k < mask.size() * 8; ++k) mask[k / 8] |= std::byte{1} << (k % 8);
  std::size_t const needed = (host_.harts_count() + 63) / 64 * 8;
  if (a[1] < needed) return -EINVAL;
  return memory_.write(a[2], std::span{mask}.first(needed)) ? static_cast<std::int64_t>(needed) : -EFAULT;
}

std::int64_t program::uname(call_arguments const& a) {
  constexpr std::size_t field_bytes = 65;
  constexpr std::array<std::string_view, 6> fields{"Linux", "tessera", "6.1.0", "#1", "riscv64", "(none)"};
  std::array<char, fields.size() * field_bytes> answer{};
  for (std::size_t k = 0; k < fields.size(); ++k) fields[k].copy(answer.data() + k * field_bytes, field_bytes - 1);
  return memory_.put(a[0], answer) ? 0 : -EFAULT;
}

std::int64_t program::sysinfo(call_arguments const& a) {
  std::array<std::uint64_t, 14> answer{};  // struct sysinfo: uptime, loads[3], totalram, freeram, ...
  answer[0] = host_.now_ns() / 1'000'000'000U;
  answer[4] = answer[5] = memory_bytes_;
  answer[13] = 1;  // mem_unit
  return memory_.put(a[0], answer) ? 0 : -EFAULT;
}

// prlimit64: the stack's limit is fixed, the rest is unlimited; setting a limit is accepted and has no effect.
std::int64_t program::limits(call_arguments const& a) {
  constexpr std::uint64_t unlimited = ~std::uint64_t{0};
  std::uint64_t const limit = a[1] == RLIMIT_STACK ? stack_bytes_ : a[1] == RLIMIT_NOFILE ? 1024 : unlimited;
  std::array<std::uint64_t, 2> const answer{limit, limit};
  return a[3] == 0 || memory_.put(a[3], answer) ? 0 : -EFAULT;
}

std::optional<std::int64_t> program::signal_call(hart& h, std::uint64_t number, call_arguments const& a) {
  switch (number) {
    case 102:
      return signals_.get_timer(a);
    case 103:
      return signals_.set_timer(a);
    case 129:
      return kill(h, a[0], false, a[1]);
    case 130:
      return kill(h, a[0], true, a[1]);
    case 131:
      return kill(h, a[1], true, a[2]);
    case 132:
      return signals_.stack(h, a);
    case 133:
      return signals_.suspend(h, a);
    case 134:
      return signals_.action(a);
    case 135:
      return signals_.mask(h, a);
    case 136:
      return signals_.pending(h, a);
    case 139:
      return signals_.come_back(h) ? came_back : kill(h, threads_.id_of(h), true, SIGKILL);
    default:
      return {};
  }
}

// There are no other processes.
std::int64_t program::kill(hart const& h, std::uint64_t id, bool to_thread, std::uint64_t signal) {
  id &= 0xffffffffU;
  bool const own_group = id == 0 || id == (-threads::main_id & 0xffffffffU);
  if (to_thread ? !threads_.is_thread(id) : id != threads::main_id && !own_group) return -ESRCH;
  if (signal > 64) return -EINVAL;
  if (signal == 0) return 0;
  return signals_.send(&h, to_thread ? id : 0, static_cast<std::uint32_t>(signal)) ? 0 : end_by_signal();
}

}  // namespace tess::machine
