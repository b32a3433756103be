// delay_link: joins two network namespaces by a link that takes time: a pair of tun devices, and this process between.
//
//   Every packet that one side sends reaches the other so much later, in order; with a rate, it leaves after those
//   before it have left at that rate. For kernels without netem. Addresses are the caller's to set.
//   Usage: delay_link PROCESS PROCESS MICROSECONDS [MEGABITS_PER_SECOND]
//   The processes name the namespaces; the device is called slow0 in both. Prints "ready" and runs until it is killed.
//
// Units    packets of up to 64 KiB; 16 MiB of them may be on their way, what exceeds it is lost, as in a full queue.
// Errors   exit code 2 with a text: namespaces or devices that cannot be opened (needs root).
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <deque>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using clock_type = std::chrono::steady_clock;

constexpr std::size_t packet_bytes_max = 65536;
constexpr std::size_t queue_bytes_max = std::size_t{16} << 20;

double read_number(char const* text, char const* what) {
  double number = 0;
  char const* const end = text + std::strlen(text);
  auto const [stop, error] = std::from_chars(text, end, number);
  if (error != std::errc{} || stop != end || number < 0)
    throw std::runtime_error(std::string(what) + ": \"" + text + "\"; give a number");
  return number;
}

/// A tun device of this name in the network namespace of a process; packets are read from and written to the file.
int open_device(std::string const& process) {
  int const space = ::open(("/proc/" + process + "/ns/net").c_str(), O_RDONLY | O_CLOEXEC);
  if (space < 0 || ::setns(space, CLONE_NEWNET) != 0)
    throw std::runtime_error("the network namespace of process " + process + ": " + std::strerror(errno));
  ::close(space);
  int const device = ::open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK);
  ifreq request{};
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  std::strncpy(request.ifr_name, "slow0", IFNAMSIZ - 1);
  if (device < 0 || ::ioctl(device, TUNSETIFF, &request) != 0)
    throw std::runtime_error(std::string("/dev/net/tun: ") + std::strerror(errno));
  return device;
}

/// What travels one way.
class direction {
 public:
  direction(int from, int to, std::chrono::nanoseconds delay, double bytes_per_second)
      : from_(from), to_(to), delay_(delay), bytes_per_second_(bytes_per_second) {}

  [[nodiscard]] int source() const noexcept { return from_; }

  void take_all() {
    std::array<char, packet_bytes_max> packet;
    for (ssize_t got = 0; (got = ::read(from_, packet.data(), packet.size())) > 0;) {
      auto const bytes = static_cast<std::size_t>(got);
      if (queued_bytes_ + bytes > queue_bytes_max) continue;
      auto const now = clock_type::now();
      if (bytes_per_second_ > 0) {
        std::chrono::duration<double> const takes(static_cast<double>(bytes) / bytes_per_second_);
        free_ = std::max(free_, now) + std::chrono::duration_cast<std::chrono::nanoseconds>(takes);
      }
      queue_.push_back({std::max(free_, now) + delay_, {packet.data(), packet.data() + bytes}});
      queued_bytes_ += bytes;
    }
  }

  void give_due() {
    auto const now = clock_type::now();
    while (!queue_.empty() && queue_.front().due <= now) {
      std::vector<char> const& bytes = queue_.front().bytes;
      static_cast<void>(!::write(to_, bytes.data(), bytes.size()));
      queued_bytes_ -= bytes.size();
      queue_.pop_front();
    }
  }

  [[nodiscard]] std::optional<clock_type::time_point> next() const {
    if (queue_.empty()) return std::nullopt;
    return queue_.front().due;
  }

 private:
  struct packet {
    clock_type::time_point due;
    std::vector<char> bytes;
  };

  int from_;
  int to_;
  std::chrono::nanoseconds delay_;
  double bytes_per_second_;
  clock_type::time_point free_;  ///< of the link, where it has a rate
  std::deque<packet> queue_;
  std::size_t queued_bytes_ = 0;
};

[[noreturn]] void forward(std::array<direction, 2> ways) {
  // The system may round times of sleep up by this much.
  ::prctl(PR_SET_TIMERSLACK, 1000, 0, 0, 0);
  std::array<pollfd, 2> files{pollfd{ways[0].source(), POLLIN, 0}, pollfd{ways[1].source(), POLLIN, 0}};
  for (;;) {
    auto next = clock_type::now() + std::chrono::seconds(1);
    for (direction const& way : ways) next = std::min(next, way.next().value_or(next));
    auto const left = std::max(std::chrono::nanoseconds(0), next - clock_type::now()).count();
    timespec const most{left / 1'000'000'000, left % 1'000'000'000};
    static_cast<void>(::ppoll(files.data(), files.size(), &most, nullptr));
    for (direction& way : ways) {
      way.take_all();
      way.give_due();
    }
  }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 4 && argc != 5)
    throw std::runtime_error("usage: delay_link PROCESS PROCESS MICROSECONDS [MEGABITS_PER_SECOND]");
  auto const delay = std::chrono::nanoseconds(static_cast<std::int64_t>(read_number(argv[3], "microseconds") * 1000));
  double const rate = argc == 5 ? read_number(argv[4], "megabits per second") * 1e6 / 8 : 0;
  int const first = open_device(argv[1]);
  int const second = open_device(argv[2]);
  std::puts("ready");
  std::fflush(stdout);
  forward({direction(first, second, delay, rate), direction(second, first, delay, rate)});
} catch (std::exception const& error) {
  std::fprintf(stderr, "delay_link: %s\n", error.what());
  return 2;
}
