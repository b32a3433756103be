// collect_output: poll(2) on the socket, on its connections and on what the launcher waits for.
#include "cli/run/collect_output.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <vector>

#include "base/output_header.hpp"
#include "cli/process/overdue.hpp"
#include "cli/run/launcher_process.hpp"

namespace tess::cli {
namespace {

namespace fs = std::filesystem;

/// Time to read the remaining output of places after all have ended.
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

/// A socket in the job's folder, which only this user may enter.
class listener {
 public:
  explicit listener(std::string const& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path)
      throw usage_error{fmt::format("run: the name {} is too long for a socket; a shorter TMPDIR", path)};
    file_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    std::memcpy(address.sun_path, path.c_str(), path.size());
    if (file_ < 0 || ::bind(file_, reinterpret_cast<sockaddr const*>(&address), sizeof address) != 0 ||
        ::listen(file_, 4096) != 0)
      throw usage_error{fmt::format("run: cannot listen at {}: {}", path, std::strerror(errno))};
    ::setenv("TESS_OUTPUT", path.c_str(), 1);
  }
  listener(listener const&) = delete;
  listener& operator=(listener const&) = delete;
  ~listener() { ::close(file_); }

  [[nodiscard]] int file() const noexcept { return file_; }
  /// -1: nobody waits.
  [[nodiscard]] int accept() const { return ::accept4(file_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK); }

 private:
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

/// The streams of all places.
class streams {
 public:
  streams(std::string const& path, bool tags) : at_(path), tags_(tags) {}

  [[nodiscard]] bool any() const noexcept { return !open_.empty(); }
  /// What poll(2) should wait for.
  [[nodiscard]] std::vector<pollfd> files() const {
    std::vector<pollfd> files{{at_.file(), POLLIN, 0}};
    for (connection const& c : open_) files.push_back({c.file(), POLLIN, 0});
    return files;
  }
  void serve(std::vector<pollfd> const& files) {
    // From the back, because streams that end are removed.
    for (std::size_t i = files.size(); i-- > 1;)
      if (files[i].revents != 0 && !open_[i - 1].read_all(tags_))
        open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(i) - 1);
    for (int file = 0; (file = at_.accept()) >= 0;) open_.emplace_back(file);
  }
  /// What ended processes left in their streams.
  void serve_rest() {
    auto const limit = std::chrono::steady_clock::now() + patience_after_end;
    do {
      std::vector<pollfd> waiting = files();
      static_cast<void>(::poll(waiting.data(), waiting.size(), 0));
      serve(waiting);
    } while (any() && std::chrono::steady_clock::now() < limit);
  }

 private:
  listener at_;
  bool tags_;
  std::vector<connection> open_;
};

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

int run_collecting(owner const& by, words const& command, bool tags, unsigned reports) {
  fs::path const exit_file = by.folder.path() / "exit";
  ::setenv("TESS_EXIT_FILE", exit_file.c_str(), 1);
  if (!by.folder.queues().empty()) ::setenv("UCX_POSIX_DIR", by.folder.queues().c_str(), 0);
  streams places((by.folder.path() / "output").string(), tags);
  launcher_process launcher(by, command, STDERR_FILENO, exit_file, reports);
  while (!launcher.has_ended()) {
    bool const talked = places.any();
    std::vector<pollfd> files = places.files();
    launcher.wait(files);
    places.serve(files);
    if (places.any() || talked)
      launcher.must_end_within(places.any() ? std::nullopt
                                            : std::optional<std::chrono::milliseconds>(overdue::launchers_patience));
  }
  launcher.end_rest();
  places.serve_rest();
  return launcher.conclude(launcher.reported().any());
}

bool wrote_standard_output() {
  if (output_failure == 0) return true;
  fmt::print(stderr, "tess: standard output could not be written: {}\n", std::strerror(output_failure));
  return false;
}

}  // namespace tess::cli
