// system_calls: the table of system calls, by asm-generic numbers, as on RISC-V, and those done in a few lines.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <functional>
#include <type_traits>

#include "machine/linux/call_names.hpp"
#include "machine/linux/program.hpp"

namespace tess::machine {
namespace {

constexpr std::uint64_t user = 1000;
constexpr std::uint64_t instruction_bytes_max = 4;
constexpr std::uint64_t call_clone = 220;
constexpr std::uint64_t call_execve = 221;
constexpr std::uint64_t call_execveat = 281;

}  // namespace

// All calls: adding one is adding a row.
struct program::table {
  // What of the host it changes or reads.
  enum class reach : std::uint8_t {
    host,    // files
    within,  // nothing
    memory,  // nothing but output, unless pages of the program are those of a file
  };
  struct row {
    std::uint16_t number;
    reach reaches;
    std::int64_t (*does)(program& p, hart& h, call_arguments const& a, std::uint64_t& deadline_ns);
    bool restarts = true;  // if it had to wait, after a handler with SA_RESTART
  };

  static row const* find(std::uint64_t number) noexcept;

 private:
  template <class Function, class Of>
  static Of& part(program& p, Function Of::* /*call*/) {
    if constexpr (std::is_same_v<Of, file_calls>) return p.files_;
    if constexpr (std::is_same_v<Of, threads>) return p.threads_;
    if constexpr (std::is_same_v<Of, clock_calls>) return p.clock_;
    if constexpr (std::is_same_v<Of, signals>) return p.signals_;
    if constexpr (std::is_same_v<Of, posix_timers>) return p.timers_;
    if constexpr (std::is_same_v<Of, address_space>) return p.space_;
    if constexpr (std::is_same_v<Of, program>) return p;
  }
  // A member function of the program or of one of its parts, which takes what it needs.
  template <auto Call>
  static std::int64_t by(program& p, hart& h, call_arguments const& a, std::uint64_t& deadline_ns) {
    using function = decltype(Call);
    auto& of = part(p, Call);
    using object = decltype(of);
    if constexpr (std::is_invocable_v<function, object, hart&, call_arguments const&>)
      return std::invoke(Call, of, h, a);
    else if constexpr (std::is_invocable_v<function, object, call_arguments const&, std::uint64_t&>)
      return std::invoke(Call, of, a, deadline_ns);
    else
      return std::invoke(Call, of, a);
  }
  // A wait during which other signals are blocked. The argument `mask_at` has their address, before their size, or the
  // address of both.
  struct mask_place {
    std::size_t mask_at;
    bool is_direct;
    bool at_once;  // they are let in even if it is not to wait
  };
  static constexpr mask_place of_poll{3, true, true};
  static constexpr mask_place of_select{5, false, true};
  static constexpr mask_place of_epoll{4, true, false};
  template <auto Call, mask_place const& Place>
  static std::int64_t masked(program& p, hart& h, call_arguments const& a, std::uint64_t& deadline_ns) {
    std::array<std::uint64_t, 2> set{a[Place.mask_at], 0};
    std::uint64_t kept_out = 0;
    bool const begins = deadline_ns == 0;
    if constexpr (Place.is_direct)
      set[1] = a[Place.mask_at + 1];
    else if (begins && set[0] != 0 && !p.memory_.get(a[Place.mask_at], set))
      return -EFAULT;
    bool const has_mask = begins && set[0] != 0;
    if (has_mask && set[1] != sizeof kept_out) return -EINVAL;
    if (has_mask && !p.memory_.get(set[0], kept_out)) return -EFAULT;
    std::int64_t const result = by<Call>(p, h, a, deadline_ns);
    bool const lets_in = has_mask && (result == not_yet || (result == 0 && Place.at_once));
    if (lets_in && p.signals_.begin_wait(h, kept_out)) return -EINTR;
    if (result != not_yet) p.signals_.end_wait(h);
    return result;
  }
  template <std::int64_t Result>
  static std::int64_t gives(program& /*p*/, hart& /*h*/, call_arguments const& /*a*/, std::uint64_t& /*deadline_ns*/) {
    return Result;
  }
};

program::table::row const* program::table::find(std::uint64_t number) noexcept {
  using enum reach;
  static constexpr auto rows = std::to_array<row>({
      {17, within, by<&file_calls::getcwd>},
      {19, host, by<&file_calls::eventfd2>},
      {20, host, by<&file_calls::epoll_create1>},
      {21, host, by<&file_calls::epoll_ctl>},
      {22, host, masked<&file_calls::epoll_pwait, of_epoll>, false},
      {23, host, by<&file_calls::dup>},
      {24, host, by<&file_calls::dup3>},
      {25, host, by<&file_calls::fcntl>},
      {29, within, by<&file_calls::ioctl>},
      {32, host, by<&file_calls::flock>},
      {34, host, by<&file_calls::mkdirat>},
      {35, host, by<&file_calls::unlinkat>},
      {36, host, by<&file_calls::symlinkat>},
      {37, host, by<&file_calls::linkat>},
      {43, host, by<&file_calls::statfs>},
      {44, host, by<&file_calls::fstatfs>},
      {45, host, by<&file_calls::truncate>},
      {46, host, by<&file_calls::ftruncate>},
      {47, host, by<&file_calls::fallocate>},
      {48, host, by<&file_calls::faccessat>},
      {49, host, by<&file_calls::chdir>},
      {50, host, by<&file_calls::fchdir>},
      {52, host, by<&file_calls::fchmod>},
      {53, host, by<&file_calls::fchmodat>},
      {54, host, gives<0>},  // fchownat
      {55, host, gives<0>},  // fchown: there is one user
      {56, host, by<&file_calls::openat>},
      {57, host, by<&file_calls::close>},
      {59, host, by<&file_calls::pipe2>},
      {61, host, by<&file_calls::getdents64>},
      {62, host, by<&file_calls::lseek>},
      {63, host, by<&file_calls::read>},
      {64, memory, by<&file_calls::write>},
      {65, host, by<&file_calls::readv>},
      {66, memory, by<&file_calls::writev>},
      {67, host, by<&file_calls::pread64>},
      {68, host, by<&file_calls::pwrite64>},
      {69, host, by<&file_calls::preadv>},
      {70, host, by<&file_calls::pwritev>},
      {71, host, by<&file_calls::sendfile>},
      {72, host, masked<&file_calls::pselect6, of_select>, false},
      {73, host, masked<&file_calls::ppoll, of_poll>, false},
      {78, host, by<&file_calls::readlinkat>},
      {79, within, by<&file_calls::newfstatat>},
      {80, within, by<&file_calls::fstat>},
      {81, host, gives<0>},  // sync
      {82, host, by<&file_calls::fsync>},
      {83, host, by<&file_calls::fsync>},  // fdatasync
      {85, host, by<&file_calls::timerfd_create>},
      {86, host, by<&file_calls::timerfd_settime>},
      {87, host, by<&file_calls::timerfd_gettime>},
      {88, host, by<&file_calls::utimensat>},
      {93, within, by<&program::exit_thread>},
      {94, within, by<&program::exit>},
      {95, host, gives<-ECHILD>},  // waitid: there are no other processes
      {96, within, by<&threads::set_tid_address>},
      {98, within, by<&threads::futex>},
      {99, within, by<&threads::set_robust_list>},
      {100, within, by<&threads::get_robust_list>},
      {101, within, by<&clock_calls::nanosleep>},
      {102, within, by<&signals::get_timer>},
      {103, within, by<&signals::set_timer>},
      {107, within, by<&posix_timers::create>},
      {108, within, by<&posix_timers::get>},
      {109, within, by<&posix_timers::overruns>},
      {110, within, by<&posix_timers::set>},
      {111, within, by<&posix_timers::remove>},
      {112, within, by<&clock_calls::clock_settime>},
      {113, within, by<&clock_calls::clock_gettime>},
      {114, within, by<&clock_calls::clock_getres>},
      {115, within, by<&clock_calls::clock_nanosleep>},
      {118, within, by<&program::set_priority>},
      {119, within, by<&program::set_policy>},
      {120, within, by<&program::policy>},
      {121, within, by<&program::priority>},
      {122, within, gives<0>},  // sched_setaffinity
      {123, within, by<&program::affinity>},
      {124, within, by<&program::yield>},
      {125, within, by<&program::priority_max>},
      {126, within, by<&program::priority_min>},
      {127, within, by<&program::round_robin_interval>},
      {129, within, by<&program::kill>},
      {130, within, by<&program::tkill>},
      {131, within, by<&program::tgkill>},
      {132, within, by<&signals::stack>},
      {133, within, by<&signals::suspend>},
      {134, within, by<&signals::action>},
      {135, within, by<&signals::mask>},
      {136, within, by<&signals::pending>},
      {137, within, by<&signals::wait_for>},
      {138, within, by<&program::queue_signal>},
      {139, within, by<&program::come_back>},
      {144, within, by<&program::set_user>},  // setgid
      {146, within, by<&program::set_user>},
      {148, within, by<&program::users>},  // getresuid
      {150, within, by<&program::users>},  // getresgid
      {153, within, by<&clock_calls::times>},
      {154, within, gives<0>},                      // setpgid
      {155, within, gives<threads::main_process>},  // getpgid
      {156, within, gives<threads::main_process>},  // getsid
      {158, within, gives<0>},                      // getgroups: none
      {160, within, by<&program::uname>},
      {163, within, by<&program::own_limits>},  // getrlimit
      {165, within, by<&clock_calls::getrusage>},
      {166, within, gives<0>},  // umask
      {167, within, gives<0>},  // prctl: names of threads
      {168, within, by<&program::processor>},
      {169, within, by<&clock_calls::gettimeofday>},
      {172, within, gives<threads::main_process>},  // getpid
      {173, within, gives<1>},                      // getppid
      {174, within, gives<user>},                   // getuid
      {175, within, gives<user>},                   // geteuid
      {176, within, gives<user>},                   // getgid
      {177, within, gives<user>},                   // getegid
      {178, within, by<&program::thread_id>},
      {179, within, by<&program::sysinfo>},
      {204, host, by<&file_calls::socket_call>},  // getsockname
      {205, host, by<&file_calls::socket_call>},  // getpeername
      {208, host, by<&file_calls::socket_call>},  // setsockopt
      {209, host, by<&file_calls::socket_call>},  // getsockopt
      {214, within, by<&program::brk>},
      {215, memory, by<&program::unmap>},
      {216, memory, by<&program::remap>},
      {call_clone, within, by<&program::clone>},
      {222, memory, by<&program::map>},
      {223, host, gives<0>},  // fadvise64
      {226, memory, by<&program::protect>},
      {227, memory, by<&program::sync>},
      {228, within, gives<0>},  // mlock
      {229, within, gives<0>},  // munlock
      {230, within, gives<0>},  // mlockall
      {231, within, gives<0>},  // munlockall
      {233, memory, by<&program::advise>},
      {240, within, by<&program::queue_signal_to_thread>},
      {258, within, gives<-ENOSYS>},  // riscv_hwprobe: this and the next ones are probed for, and done without
      {259, within, by<&program::flush_code>},
      {260, host, gives<-ECHILD>},  // wait4
      {261, within, by<&program::limits>},
      {276, host, by<&file_calls::renameat2>},
      {278, within, by<&clock_calls::getrandom>},
      {283, within, by<&program::membarrier>},
      {291, within, gives<-ENOSYS>},  // statx: the library falls back to newfstatat
      {293, within, gives<-ENOSYS>},  // rseq
      {435, within, gives<-ENOSYS>},  // clone3: to clone
      {439, within, gives<-ENOSYS>},  // faccessat2: to faccessat
      {441, host, masked<&file_calls::epoll_pwait2, of_epoll>, false},
  });
  // By number: 1 + the row; 0: there is none.
  static constexpr auto index = [] {
    std::array<std::uint8_t, 512> made{};
    for (std::size_t k = 0; k < rows.size(); ++k) made[rows[k].number] = static_cast<std::uint8_t>(k + 1);
    return made;
  }();
  return number < index.size() && index[number] != 0 ? &rows[index[number] - 1U] : nullptr;
}

bool program::is_within(hart const& h) const noexcept {
  table::row const* const row = table::find(h.x[17]);
  if (row == nullptr) return false;
  return row->reaches == table::reach::within || (row->reaches == table::reach::memory && files_.mappings().empty());
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
  // The first byte of a fetch is its line's. What begins in one page may fail in the next.
  access_request const& of = h.request;
  bool const fetches = of.right == right_execute;
  std::uint64_t const first = fetches ? std::max(h.pc, of.address) : of.address;
  std::uint64_t const behind = page_up(first + 1);
  std::uint64_t const bytes = fetches ? instruction_bytes_max : of.bytes;
  bool const begins = memory_.allows(first, of.right);
  bool const allowed = begins && (first + bytes <= behind || memory_.allows(behind, of.right));
  std::uint64_t const at = begins && !allowed ? behind : first;
  bool const misaligned = !fetches && of.bytes != 0 && at % of.bytes != 0;
  if (allowed && misaligned) return signals_.fault(h, SIGBUS, BUS_ADRALN, at);
  bool const in_image = std::ranges::any_of(image_.segments, [&](elf_segment const& s) {
    return at >= page_down(s.address) && at < page_up(s.address + s.memory_bytes);
  });
  bool const mapped = in_image || space_.is_mapped(at);
  return signals_.fault(h, SIGSEGV, mapped ? SEGV_ACCERR : SEGV_MAPERR, at);
}

// Between the address and the stack are pages that the library has left without rights, or none.
std::string program::stack_hint(hart const& h) const {
  if (h.stopped != stop::access || h.request.right == right_execute) return {};
  constexpr std::uint64_t frame_bytes = 1U << 17U;  // a larger one is unusual
  auto const stack = space_.mappings().upper_bound(h.request.address);
  if (stack == space_.mappings().end() || (stack->second.rights & right_write) == 0) return {};
  std::uint64_t const begin = stack->first;
  bool const beside = begin - h.request.address <= frame_bytes;
  if (!beside || h.x[2] + frame_bytes < begin || h.x[2] >= stack->second.end) return {};
  return fmt::format("machine: the stack of thread {} is full: it has {} bytes\n", threads_.id_of(h),
                     stack->second.end - begin);
}

bool program::pass_time(std::uint64_t now_ns) {
  if (threads_.any_waits_for_files()) retry_files();
  threads_.pass_time(now_ns);
  if (signals_.pass_time(now_ns) && timers_.pass_time(now_ns)) return true;
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
  std::uint64_t const next = std::min(signals_.next_deadline_ns(), timers_.next_deadline_ns());
  return threads_.any_waits_for_files() ? std::min(next, files_.next_change_ns()) : next;
}

std::int64_t program::end_by_signal() {
  signal_ = static_cast<int>(signals_.fatal());
  exit_code_ = 128 + *signal_;
  return program_ended;
}

std::int64_t program::dispatch(hart& h, std::uint64_t number, call_arguments const& a) {
  table::row const* const row = table::find(number);
  if (row == nullptr) {
    name_unknown(number);
    return -ENOSYS;
  }
  std::uint64_t deadline_ns = 0;
  std::int64_t const result = row->does(*this, h, a, deadline_ns);
  if (result == not_yet) return threads_.wait_for_files(h, {number, a, deadline_ns, row->restarts});
  if (files_.have_changed()) retry_files();
  bool const broken = result == -EPIPE && !signals_.send(&h, threads_.id_of(h), SIGPIPE, signals::from_program(false));
  return broken ? end_by_signal() : result;
}

void program::name_unknown(std::uint64_t number) {
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
  std::vector<std::uint64_t> done;
  threads_.retry_files([&](hart& h, threads::file_wait& call) {
    std::int64_t const result = table::find(call.number)->does(*this, h, call.arguments, call.deadline_ns);
    (void)files_.have_changed();
    if (result != not_yet && signals_.any_for(h)) done.push_back(threads_.id_of(h));
    return result;
  });
  // What their waits kept out.
  for (std::uint64_t const id : done)
    if (hart& h = threads_.hart_of(id); !threads::is_parked(h)) host_.interrupt(h, 0);
}

void program::leave_files() {
  files_.mappings().write_back_all();
}

std::int64_t program::exit_thread(hart& h, call_arguments const& /*a*/) {
  signals_.end_thread(threads_.id_of(h));
  return threads_.exit(h);
}

std::int64_t program::exit(call_arguments const& a) {
  exit_code_ = static_cast<int>(a[0] & 255U);
  return program_ended;
}

std::int64_t program::clone(hart& h, call_arguments const& a) {
  std::int64_t const made = threads_.clone(h, a);
  if (made == -ENOSYS) name_unknown(call_clone);
  if (made > 0) signals_.begin_thread(static_cast<std::uint64_t>(made), threads_.id_of(h));
  return made;
}

std::int64_t program::yield(hart& h, call_arguments const& /*a*/) {
  if (threads_.has_ready()) host_.interrupt(h, 0);
  return 0;
}

std::int64_t program::thread_id(hart& h, call_arguments const& /*a*/) {
  return static_cast<std::int64_t>(threads_.id_of(h));
}

std::int64_t program::come_back(hart& h, call_arguments const& /*a*/) {
  return signals_.come_back(h) ? came_back : signal_to(h, threads_.id_of(h), true, SIGKILL);
}

std::int64_t program::set_user(call_arguments const& a) {
  return (a[0] & 0xffffffffU) == user ? 0 : -EPERM;
}

std::int64_t program::users(call_arguments const& a) {
  std::uint32_t const own = user;
  return memory_.put(a[0], own) && memory_.put(a[1], own) && memory_.put(a[2], own) ? 0 : -EFAULT;
}

std::int64_t program::flush_code(call_arguments const& /*a*/) {
  host_.code_changed();
  return 0;
}

// The query returns no commands.
std::int64_t program::membarrier(call_arguments const& a) {
  return a[0] == 0 ? 0 : -EINVAL;
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

std::int64_t program::own_limits(call_arguments const& a) {
  return limits({0, a[0], 0, a[1]});
}

std::int64_t program::kill(hart& h, call_arguments const& a) {
  return signal_to(h, a[0], false, a[1]);
}
std::int64_t program::tkill(hart& h, call_arguments const& a) {
  return signal_to(h, a[0], true, a[1]);
}
std::int64_t program::tgkill(hart& h, call_arguments const& a) {
  return signal_to(h, a[1], true, a[2]);
}

// Also the calls that give a handler a value: they bring all of its information.
std::int64_t program::queue_signal(hart& h, call_arguments const& a) {
  signals::information why;
  if (!signals_.read_information(a[2], why)) return -EFAULT;
  return signals_.is_full() ? -EAGAIN : signal_to(h, a[0], false, a[1], why);
}
std::int64_t program::queue_signal_to_thread(hart& h, call_arguments const& a) {
  signals::information why;
  if (!signals_.read_information(a[3], why)) return -EFAULT;
  return signals_.is_full() ? -EAGAIN : signal_to(h, a[1], true, a[2], why);
}

std::int64_t program::signal_to(hart const& h, std::uint64_t id, bool to_thread, std::uint64_t signal) {
  return signal_to(h, id, to_thread, signal, signals::from_program(to_thread));
}

// There are no other processes.
std::int64_t program::signal_to(hart const& h, std::uint64_t id, bool to_thread, std::uint64_t signal,
                                signals::information const& why) {
  id &= 0xffffffffU;
  bool const own_group = id == 0 || id == (-threads::main_id & 0xffffffffU);
  if (to_thread ? !threads_.is_thread(id) : id != threads::main_id && !own_group) return -ESRCH;
  if (signal > 64) return -EINVAL;
  if (signal == 0) return 0;
  return signals_.send(&h, to_thread ? id : 0, static_cast<std::uint32_t>(signal), why) ? 0 : end_by_signal();
}

}  // namespace tess::machine
