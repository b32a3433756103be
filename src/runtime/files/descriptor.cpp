// descriptor: system calls on files.
#include "runtime/files/descriptor.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "base/output_file.hpp"
#include "tess/place.hpp"
#include "tess/timeout.hpp"

namespace tess::detail {

namespace {

constexpr std::size_t piece_bytes = std::size_t{256} << 10U;

std::string failure_of(char const* what, int reason = errno) {
  return std::string(what) + ": " + std::strerror(reason);
}

/// A write beyond this limit would end the process by a signal.
std::uint64_t file_size_max() {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return ~std::uint64_t{0};
  return limit.rlim_cur;
}

/// Waits until a device or pipe takes bytes; an empty text if it does.
task<std::string> wait_for_room(int number) {
#if !defined(__riscv)  // the simulated machine's standard output always takes them
  for (;;) {
    pollfd asked{number, POLLOUT, 0};
    int const ready = poll(&asked, 1, 0);
    if (ready < 0 && errno != EINTR) co_return failure_of("cannot write it");
    if (ready > 0 && (asked.revents & POLLERR) != 0) co_return failure_of("cannot write it", EPIPE);
    if (ready > 0 && (asked.revents & POLLOUT) != 0) break;
    if (ready > 0) co_return failure_of("cannot write it", EBADF);
    co_await sleep_for(std::chrono::milliseconds(1));
  }
#else
  static_cast<void>(number);
#endif
  co_return "";
}

/// Opens a device or a pipe; waits for a pipe's reader without holding up other tasks.
task<int> open_stream(std::string const& target) {
  for (;;) {
    int const number = ::open(target.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    if (number >= 0) {
      static_cast<void>(fcntl(number, F_SETFL, fcntl(number, F_GETFL) & ~O_NONBLOCK));
      co_return number;
    }
    if (errno != ENXIO && errno != EINTR) co_return -1;
    struct stat about{};
    if (stat(target.c_str(), &about) != 0 || !S_ISFIFO(about.st_mode)) co_return -1;
    co_await sleep_for(std::chrono::milliseconds(2));
  }
}

std::shared_ptr<file_descriptor> make_descriptor(int number) {
  return std::make_shared<file_descriptor>(number, here());
}

/// Creates the file that will replace `target`, which `now` describes if it exists.
std::shared_ptr<file_descriptor> create_new(file_names& names, struct stat const* now) {
  for (unsigned attempt = 0;; ++attempt) {
    names.partial = names.target + "." + std::to_string(getpid()) + "." + std::to_string(attempt) + ".partial";
    int const number = ::open(names.partial.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (number >= 0) {
      auto made = make_descriptor(number);
      struct stat fresh{};
      // The new file may be read by whom the old one was.
      if (now != nullptr && fstat(number, &fresh) == 0 && ((fresh.st_mode ^ now->st_mode) & 07777U) != 0)
        static_cast<void>(fchmod(number, now->st_mode & 07777U));
      return made;
    }
    if (errno == EEXIST && attempt < 10000) continue;
    names.failure = failure_of("cannot create it");
    names.partial.clear();
    return nullptr;
  }
}

}  // namespace

file_descriptor::~file_descriptor() {
  if (number_ > STDERR_FILENO) ::close(number_);
}

std::uint64_t file_descriptor::size() const noexcept {
  struct stat about{};
  return fstat(number_, &about) == 0 ? static_cast<std::uint64_t>(about.st_size) : 0;
}

task<std::string> file_descriptor::read(std::uint64_t offset, std::span<std::byte> into, std::size_t& count) const {
  while (!into.empty()) {
    std::size_t const part = std::min(into.size(), piece_bytes);
    ssize_t const got = pread(number_, into.data(), part, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) co_return failure_of("cannot read it");
    if (got == 0) break;
    into = into.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
    count += static_cast<std::size_t>(got);
    co_await yield();
  }
  co_return "";
}

task<std::string> file_descriptor::write(std::uint64_t offset, std::span<std::byte const> from) const {
  if (offset + from.size() > static_cast<std::uint64_t>(INT64_MAX) || offset + from.size() < offset ||
      (!from.empty() && offset + from.size() > file_size_max()))
    co_return failure_of("cannot write it", EFBIG);
  while (!from.empty()) {
    std::size_t const part = std::min(from.size(), piece_bytes);
    ssize_t const put = pwrite(number_, from.data(), part, static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) co_return failure_of("cannot write it");
    from = from.subspan(static_cast<std::size_t>(put));
    offset += static_cast<std::uint64_t>(put);
    co_await yield();
  }
  co_return "";
}

task<std::string> file_descriptor::append(std::span<std::byte const> from) const {
  while (!from.empty()) {
    if (auto failure = co_await wait_for_room(number_); !failure.empty()) co_return failure;
    // A pipe that has room takes so many without waiting.
    ssize_t const put = ::write(number_, from.data(), std::min<std::size_t>(from.size(), PIPE_BUF));
    if (put < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (put < 0) co_return failure_of("cannot write it");
    from = from.subspan(static_cast<std::size_t>(put));
    co_await yield();
  }
  co_return "";
}

task<std::string> file_descriptor::synchronise() const {
  int reason = 0;
#if !defined(__riscv)
  // fsync takes as long as the disk does, so a thread of its own waits for it.
  std::atomic<bool> done = false;
  std::jthread waits([&] {
    if (fsync(number_) != 0) reason = errno;
    done.store(true, std::memory_order_release);
  });
  while (!done.load(std::memory_order_acquire)) co_await sleep_for(std::chrono::microseconds(100));
  waits.join();
#else
  if (fsync(number_) != 0) reason = errno;
#endif
  co_return reason == 0 ? "" : failure_of("cannot bring it to the disk", reason);
}

std::string file_descriptor::close() {
  int const number = std::exchange(number_, -1);
  if (number <= STDERR_FILENO) return "";
  return ::close(number) == 0 ? "" : failure_of("cannot write it");
}

task<std::shared_ptr<file_descriptor>> begin_file(std::string const& path, file_mode mode, file_names& names) {
  if (mode == file_mode::write && path == "-") {
    names.stream = true;
    if (std::fflush(stdout) != 0) names.failure = failure_of("cannot write it");
    co_return make_descriptor(STDOUT_FILENO);
  }
  if (path.empty()) {
    names.failure = failure_of("cannot open it", ENOENT);
    co_return nullptr;
  }
  names.target = mode == file_mode::write ? target_of(path) : path;
  struct stat now{};
  bool const exists = stat(names.target.c_str(), &now) == 0;
  if (exists && S_ISDIR(now.st_mode)) {
    names.failure = failure_of(mode == file_mode::write ? "cannot write it" : "cannot read it", EISDIR);
    co_return nullptr;
  }
  if (mode == file_mode::read) {
    if (!exists)
      names.failure = failure_of("cannot open it");
    else if (!S_ISREG(now.st_mode))
      names.failure = "cannot be read by places: it is a device or a pipe";
    else
      co_return shared_descriptor(0, names, names.failure);
    co_return nullptr;
  }
  if (!exists || S_ISREG(now.st_mode)) co_return create_new(names, exists ? &now : nullptr);
  names.stream = true;
  int const number = co_await open_stream(names.target);
  if (number >= 0) co_return make_descriptor(number);
  names.failure = failure_of("cannot open it");
  co_return nullptr;
}

std::shared_ptr<file_descriptor> shared_descriptor(std::uint64_t file, file_names const& names, std::string& failure) {
  static std::mutex lock;
  static std::map<std::uint64_t, std::weak_ptr<file_descriptor>> open;
  std::scoped_lock const hold(lock);
  std::erase_if(open, [](auto const& entry) { return entry.second.expired(); });
  if (auto const found = open.find(file); file != 0 && found != open.end())
    if (auto shared = found->second.lock()) return shared;
  bool const fresh = !names.partial.empty();
  int const number =
      ::open(fresh ? names.partial.c_str() : names.target.c_str(), (fresh ? O_RDWR : O_RDONLY) | O_CLOEXEC);
  if (number < 0) {
    failure = failure_of("cannot open it");
    return nullptr;
  }
  auto made = make_descriptor(number);
  if (file != 0) open[file] = made;
  return made;
}

std::string rename_new(file_names const& names) {
  if (std::rename(names.partial.c_str(), names.target.c_str()) != 0) return failure_of("cannot rename it");
  // So that the name survives a failure of the power, too; a folder that cannot be synchronised has its own ways.
  auto const slash = names.target.rfind('/');
  std::string const folder = slash == std::string::npos ? "." : slash == 0 ? "/" : names.target.substr(0, slash);
  if (int const number = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); number >= 0) {
    static_cast<void>(fsync(number));
    ::close(number);
  }
  return "";
}

}  // namespace tess::detail
