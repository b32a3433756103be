// collect_output: poll(2) on the socket, on its connections and on the launcher's pidfd.
#include "cli/run/collect_output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <vector>

#include "base/output_header.hpp"
#include "cli/process/overdue.hpp"
#include "cli/process/process.hpp"

namespace tess::cli {
namespace {

namespace fs = std::filesystem;

/// Time to read the remaining output of places after their launcher has ended.
constexpr auto patience_after_end = std::chrono::milliseconds(500);

/// Why the command's standard output could not be written; 0: it could.
int output_failure = 0;

void write_all(int file, std::string_view text) {
  if (file == STDOUT_FILENO && output_failure != 0) return;
  while (!text.empty()) {
    ssize_t const put = ::write(file, text.data(), text.size());
    if (put < 0 && errno != EINTR) {
      if (file == STDOUT_FILENO) output_failure = errno;
      return;
    }
    if (put > 0) text.remove_prefix(static_cast<std::size_t>(put));
  }
}

/// A socket in a folder that only this user may enter; both are removed by the destructor.
class listener {
 public:
  listener() {
    std::string name = (fs::temp_directory_path() / "tess-output-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) fail(name);
    folder_ = name;
    std::string const path = (folder_ / "socket").string();
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    file_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (path.size() >= sizeof address.sun_path) fail(path);
    std::memcpy(address.sun_path, path.c_str(), path.size());
    if (file_ < 0 || ::bind(file_, reinterpret_cast<sockaddr const*>(&address), sizeof address) != 0 ||
        ::listen(file_, 4096) != 0)
      fail(path);
    ::setenv("TESS_OUTPUT", path.c_str(), 1);
  }
  listener(listener const&) = delete;
  listener& operator=(listener const&) = delete;
  ~listener() {
    ::unsetenv("TESS_OUTPUT");
    ::close(file_);
    std::error_code already_gone;
    fs::remove_all(folder_, already_gone);
  }

  [[nodiscard]] int file() const noexcept { return file_; }
  /// -1: nobody waits.
  [[nodiscard]] int accept() const { return ::accept4(file_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK); }

 private:
  [[noreturn]] static void fail(std::string const& path) {
    throw usage_error{fmt::format("run: cannot listen at {}: {}", path, std::strerror(errno))};
  }

  fs::path folder_;
  int file_ = -1;
};

/// One stream of a place.
class connection {
 public:
  explicit connection(int file) : file_(file) {}

  [[nodiscard]] int file() const noexcept { return file_; }

  /// False: the stream has ended.
  bool read_all(bool tags) {
    std::array<char, 65536> chunk;
    for (;;) {
      ssize_t const got = ::read(file_, chunk.data(), chunk.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno == EAGAIN) return true;
      if (got <= 0) {
        write_all(stream_, lines_.finish());
        ::close(file_);
        return false;
      }
      take({chunk.data(), static_cast<std::size_t>(got)}, tags);
    }
  }

 private:
  void take(std::string_view text, bool tags) {
    std::size_t const of_header = std::min(text.size(), sizeof(detail::output_header) - header_bytes_);
    std::memcpy(reinterpret_cast<char*>(&header_) + header_bytes_, text.data(), of_header);
    header_bytes_ += of_header;
    text.remove_prefix(of_header);
    if (of_header > 0 && header_bytes_ == sizeof header_) {
      stream_ = header_.stream == 2 ? STDERR_FILENO : STDOUT_FILENO;
      if (tags) lines_ = line_assembler(fmt::format("[{}] ", header_.place));
    }
    write_all(stream_, lines_.add(text));
  }

  int file_;
  int stream_ = STDOUT_FILENO;
  std::size_t header_bytes_ = 0;
  detail::output_header header_{};
  line_assembler lines_;
};

/// Waits for any of these, and serves it. `ended`: the launcher's pidfd. False: a time-out.
bool serve(listener const& at, std::vector<connection>& open, int ended, int milliseconds, bool tags, bool& has_ended) {
  std::vector<pollfd> files{{ended, POLLIN, 0}, {at.file(), POLLIN, 0}};
  for (connection const& c : open) files.push_back({c.file(), POLLIN, 0});
  int const ready = ::poll(files.data(), files.size(), milliseconds);
  if (ready <= 0) return ready < 0 && errno == EINTR;
  has_ended = files[0].revents != 0;
  // From the back, because streams that end are removed.
  for (std::size_t i = files.size(); i-- > 2;)
    if (files[i].revents != 0 && !open[i - 2].read_all(tags))
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(i) - 2);
  for (int file = 0; (file = at.accept()) >= 0;) open.emplace_back(file);
  return true;
}

}  // namespace

std::string line_assembler::add(std::string_view text) {
  std::string whole;
  for (std::size_t end = 0; (end = text.find('\n')) != std::string_view::npos; text.remove_prefix(end + 1)) {
    whole += tag_ + rest_;
    whole += text.substr(0, end + 1);
    rest_.clear();
  }
  rest_ += text;
  return whole;
}

std::string line_assembler::finish() {
  if (rest_.empty()) return {};
  return tag_ + std::exchange(rest_, {}) + (tag_.empty() ? "" : "\n");
}

int run_collecting(fs::path const& launcher, words const& arguments, bool tags) {
  listener const at;
  int const process = start(launcher, arguments);
  int const ended = static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
  std::vector<connection> open;
  bool has_ended = false;
  overdue late(process);
  while (!has_ended) {
    bool const talked = !open.empty();
    serve(at, open, ended, late.milliseconds(), tags, has_ended);
    if (!open.empty() || talked)
      late.has(open.empty() ? std::optional<std::chrono::milliseconds>(overdue::launchers_patience) : std::nullopt);
    late.look();
  }
  auto const wait = static_cast<int>(patience_after_end.count());
  while (!open.empty() && serve(at, open, -1, wait, tags, has_ended)) {
  }
  ::close(ended);
  return wait_for(process);
}

bool wrote_standard_output() {
  if (output_failure == 0) return true;
  fmt::print(stderr, "tess: standard output could not be written: {}\n", std::strerror(output_failure));
  return false;
}

}  // namespace tess::cli
