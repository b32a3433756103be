// spawned: a barrier of futexes, and entries that are appended to the file.
#include "fabric/ucx/spawned.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "base/launched.hpp"
#include "base/spawned_job.hpp"

namespace tess::detail {

namespace {

using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

[[noreturn]] void refuse(std::string const& what) {
  throw error("--fabric ucx", what, "a start by `tess run`, or no TESS_SPAWNED in the environment");
}

/// The mapped front of the file, which exists as long as the launcher. One per process.
class job_file {
 public:
  static job_file& of_process() {
    static job_file file;
    return file;
  }
  job_file(job_file const&) = delete;
  job_file& operator=(job_file const&) = delete;

  [[nodiscard]] spawned_job::header& header() const noexcept {
    return *reinterpret_cast<spawned_job::header*>(memory_);
  }
  [[nodiscard]] spawned_job::record& record(std::uint32_t process) const noexcept {
    return reinterpret_cast<spawned_job::record*>(memory_ + sizeof(spawned_job::header))[process];
  }
  [[nodiscard]] std::uint32_t processes() const noexcept { return processes_; }
  [[nodiscard]] std::uint32_t me() const noexcept { return me_; }

  void append(std::string_view key, std::span<std::byte const> bytes) const {
    spawned_job::record& mine = record(me_);
    spawned_job::said const entry{mine.said, static_cast<std::uint32_t>(key.size()),
                                  static_cast<std::uint32_t>(bytes.size())};
    std::uint64_t const size = (sizeof entry + key.size() + bytes.size() + 7) / 8 * 8;
    std::uint64_t const at = spawned_job::front_bytes(processes_) +
                             std::atomic_ref(header().used).fetch_add(size, std::memory_order_relaxed);
    bool const written = write_at(at, &entry, sizeof entry) && write_at(at + sizeof entry, key.data(), key.size()) &&
                         write_at(at + sizeof entry + key.size(), bytes.data(), bytes.size());
    if (!written)
      throw error("--fabric ucx", std::string("cannot say where this place is: ") + std::strerror(errno),
                  "more memory");
    // release: the entry.
    std::atomic_ref(mine.said).store(at, std::memory_order_release);
  }

  /// What that process said under this key; empty: nothing.
  [[nodiscard]] std::vector<std::byte> find(std::uint32_t process, std::string_view key) const {
    // acquire: the entry.
    std::uint64_t at = std::atomic_ref(record(process).said).load(std::memory_order_acquire);
    while (at != 0) {
      spawned_job::said entry{};
      std::string its_key(key.size(), '\0');
      if (!read_at(at, &entry, sizeof entry)) return {};
      if (entry.key_bytes == key.size() && read_at(at + sizeof entry, its_key.data(), key.size()) && its_key == key) {
        std::vector<std::byte> bytes(entry.bytes);
        return read_at(at + sizeof entry + key.size(), bytes.data(), bytes.size()) ? bytes : std::vector<std::byte>{};
      }
      // Entries before it lie before it, so this ends.
      if (entry.before >= at) return {};
      at = entry.before;
    }
    return {};
  }

  /// The file for all segments of that round, of which the first process that asks makes one; -1: it cannot be had.
  [[nodiscard]] int segments(std::uint32_t round, std::uint64_t all) const noexcept {
    using spawned_job::segments_file;
    std::atomic_ref where(header().segments);
    std::uint64_t found = where.load(std::memory_order_acquire);
    if (segments_file::of(found).round != round % segments_file::rounds) {
      int const mine = memfd_create("tess-segments", MFD_CLOEXEC);
      if (mine < 0) return -1;
      bool const made = fchmod(mine, 0600) == 0 && ftruncate(mine, static_cast<off_t>(all)) == 0;
      segments_file const name{round, static_cast<std::uint32_t>(getpid()), static_cast<std::uint32_t>(mine)};
      // No process is in the next round before all have this file.
      if (made && where.compare_exchange_strong(found, name.word(), std::memory_order_acq_rel)) return mine;
      close(mine);
      if (!made) return -1;
    }
    auto const [its_round, process, number] = segments_file::of(found);
    int const file = open(("/proc/" + std::to_string(process) + "/fd/" + std::to_string(number)).c_str(),
                          O_RDWR | O_CLOEXEC | O_NONBLOCK);
    struct stat s{};
    if (file < 0 || (fstat(file, &s) == 0 && S_ISREG(s.st_mode) && static_cast<std::uint64_t>(s.st_size) == all))
      return file;
    close(file);
    return -1;
  }

  /// A process that ended without coming to this meeting.
  [[nodiscard]] std::optional<std::uint32_t> missing(std::uint32_t meeting) const noexcept {
    if (std::atomic_ref(header().ended).load(std::memory_order_acquire) == 0) return std::nullopt;
    for (std::uint32_t p = 0; p < processes_; ++p)
      if (std::atomic_ref(record(p).ended).load(std::memory_order_acquire) != 0 &&
          std::atomic_ref(record(p).arrived_for).load(std::memory_order_acquire) != meeting)
        return p;
    return std::nullopt;
  }

 private:
  job_file() {
    char const* const name = std::getenv(spawned_job_variable);
    file_ = open(name, O_RDWR | O_CLOEXEC);
    if (file_ < 0) refuse(std::string("cannot open ") + name + ": " + std::strerror(errno) + "; its launcher is gone");
    spawned_job::header front{};
    if (!read_at(0, &front, sizeof front) || front.magic != spawned_job::magic || front.processes == 0 ||
        front.processes > spawned_job::processes_max)
      refuse(std::string(name) + " is no file of a job");
    processes_ = front.processes;
    std::string_view const rank = std::getenv(spawned_rank_variable) == nullptr ? "" : launched_rank();
    auto const [end, wrong] = std::from_chars(rank.data(), rank.data() + rank.size(), me_);
    if (wrong != std::errc{} || end != rank.data() + rank.size() || me_ >= processes_)
      refuse("number " + std::string(rank) + " in a job of " + std::to_string(processes_));
    void* const memory =
        mmap(nullptr, spawned_job::front_bytes(processes_), PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
    if (memory == MAP_FAILED) refuse(std::string("cannot map ") + name + ": " + std::strerror(errno));
    memory_ = static_cast<std::byte*>(memory);
  }
  ~job_file() = default;  // until the process ends

  [[nodiscard]] bool write_at(std::uint64_t at, void const* bytes, std::size_t size) const noexcept {
    return pwrite(file_, bytes, size, static_cast<off_t>(at)) == static_cast<ssize_t>(size);
  }
  [[nodiscard]] bool read_at(std::uint64_t at, void* bytes, std::size_t size) const noexcept {
    return pread(file_, bytes, size, static_cast<off_t>(at)) == static_cast<ssize_t>(size);
  }

  int file_ = -1;
  std::byte* memory_ = nullptr;
  std::uint32_t processes_ = 0;
  std::uint32_t me_ = 0;
};

class spawned_wireup final : public process_wireup {
 public:
  spawned_wireup(milliseconds patience, std::string user) : patience_(patience), user_(std::move(user)) {}

  place_id place() const noexcept override { return static_cast<place_id>(file_.me()); }
  place_id places() const noexcept override { return static_cast<place_id>(file_.processes()); }
  unsigned processes_here() const noexcept override { return file_.processes(); }
  int launcher() const noexcept override { return getppid(); }

  void introduce(std::span<std::byte const> mine) override {
    key_ = user_ + "." + std::to_string(round()++);
    file_.append(key_, mine);
    if (meet(patience_)) return;
    // Each of them could say it.
    if (std::atomic_ref(file_.header().reported).exchange(1, std::memory_order_relaxed) != 0)
      throw reported_by_place_0();
    if (std::optional<std::uint32_t> const gone = file_.missing(meeting_)) refuse_without(*gone);
    throw error("--fabric ucx",
                "not all of " + std::to_string(file_.processes()) + " places came, and none for " +
                    std::to_string(patience_.count() / 1000) + " s",
                "a longer --failure-timeout, or fewer places");
  }

  std::vector<std::byte> introduction_of(place_id place) override {
    std::vector<std::byte> said = file_.find(place, key_);
    if (said.empty()) refuse_without(place);
    return said;
  }

  std::vector<place_id> places_here() override {
    std::vector<place_id> all(file_.processes());
    std::iota(all.begin(), all.end(), place_id{0});
    return all;
  }

  int segments_file(std::uint64_t bytes) noexcept override { return file_.segments(round() + 1, bytes); }
  void stay_apart() noexcept override { std::atomic_ref(file_.header().apart).fetch_add(1, std::memory_order_relaxed); }
  bool share_segments() const noexcept override {
    // Those who stayed apart said so before they came.
    return std::atomic_ref(file_.header().apart).load(std::memory_order_relaxed) == 0;
  }

  bool meet(milliseconds most) noexcept override {
    spawned_job::header& shared = file_.header();
    std::atomic_ref met(shared.met);
    std::uint32_t const before = met.load(std::memory_order_acquire);
    meeting_ = before + 1;
    std::atomic_ref(file_.record(file_.me()).arrived_for).store(meeting_, std::memory_order_release);
    if (std::atomic_ref(shared.arrived).fetch_add(1, std::memory_order_acq_rel) + 1 == file_.processes()) {
      // Nobody arrives for the next one before this store.
      std::atomic_ref(shared.arrived).store(0, std::memory_order_relaxed);
      met.store(meeting_, std::memory_order_release);
      syscall(SYS_futex, &shared.met, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
      return true;
    }
    // A host with more processes than processors needs longer for all of them than for each.
    clock::time_point until = clock::now() + most;
    std::uint32_t came = 0;
    for (int const parent = getppid(); met.load(std::memory_order_acquire) == before;) {
      if (std::uint32_t const now = std::atomic_ref(shared.arrived).load(std::memory_order_relaxed);
          std::exchange(came, now) != now)
        until = clock::now() + most;
      auto const left = until - clock::now();
      // Its own end may come between the last look and the wait.
      if (left <= clock::duration::zero() || file_.missing(meeting_) || getppid() != parent)
        return met.load(std::memory_order_acquire) != before;
      auto const nap =
          std::chrono::duration_cast<std::chrono::nanoseconds>(std::min<clock::duration>(left, look_again));
      timespec const time{0, static_cast<long>(nap.count())};
      syscall(SYS_futex, &shared.met, FUTEX_WAIT, before, &time, nullptr, 0);
    }
    return true;
  }

 private:
  static constexpr milliseconds look_again{200};

  /// A process may run several jobs in sequence.
  static std::uint32_t& round() noexcept {
    static std::uint32_t n = 0;
    return n;
  }

  [[noreturn]] static void refuse_without(std::uint32_t place) {
    throw error("--fabric ucx", "place " + std::to_string(place) + " is gone before the job began",
                "a look at what it said");
  }

  job_file& file_ = job_file::of_process();
  milliseconds patience_;
  std::string user_;
  std::string key_;  ///< of the introductions
  std::uint32_t meeting_ = 0;
};

}  // namespace

std::unique_ptr<process_wireup> make_spawned_wireup(milliseconds patience, std::string user) {
  return std::make_unique<spawned_wireup>(patience, std::move(user));
}

}  // namespace tess::detail
