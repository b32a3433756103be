// locks: cycles of locks on tiles with cache-integrated network interfaces, contended by all cores, with an empty
// section.
//
//   mr-queue: one token in a multiple-reader queue at core 0. Acquire: a request, then polling of a local word for the
//   response, which is the token; release: the token is put back.
//   lock-box: in the paper, a device whose load tells whether the lock was free. Here: a word of the memory tile, which
//   is not a core, on which cores spin with an atomic swap at its home; release: a store.
//   called, called-box: the same two, but acquire, release and their parts are functions that are called, as those of
//   the paper's libraries are; they are inlined otherwise.
//
// Units     cycles: of all acquires and releases together; of each apart, in a second pass that reads the clock.
// Errors    exit code 1: the lock did not exclude, or a transfer failed; 2: wrong arguments.
// Source    CNI (IJPP 2012), Table 1a and figure 11a.
#include "measure_blocks.hpp"

namespace cni {
namespace {

constexpr std::uint64_t token = 1;
constexpr std::uint64_t rounds_max = std::uint64_t{1} << 20U;

class queue_lock {
 public:
  queue_lock(std::uint64_t queue, std::uint64_t response)
      : request_(queue + words::match_request), data_(queue + words::match_data), response_(response) {}
  /// The queue at core 0.
  static queue_lock of(chip const& on) { return {on.line(0, lock_line), on.line(on.own(), response_line)}; }
  /// Called by core 0 before the first barrier.
  static void make(chip const& on) {
    hw::match_queue const queue(on.line(0, lock_line));
    must(queue.configure(on.line(0, ring_line), log2_of(cores_max)), "no queue");
    queue.put(token);
  }
  void acquire() const {
    hw::word(request_) = response_;
    while (hw::word(response_) == 0) {
    }
    hw::word(response_) = 0;
    seen_by_others();
  }
  void release() const {
    seen_by_others();
    hw::word(data_) = token;
  }
  /// The same instructions on local words that respond at once: the cost of software.
  static queue_lock alone(chip const& on) {
    std::uint64_t const word = on.line(on.own(), shared_line) + 8 * (shared_words - 1);
    return {word - words::match_request, word};
  }
  [[nodiscard]] std::uint64_t request() const noexcept { return request_; }
  [[nodiscard]] std::uint64_t data() const noexcept { return data_; }
  [[nodiscard]] std::uint64_t response() const noexcept { return response_; }

 private:
  std::uint64_t request_;
  std::uint64_t data_;
  std::uint64_t response_;
};

// A library out of line.
[[gnu::noinline]] void called_store(std::uint64_t to, std::uint64_t value) {
  hw::word(to) = value;
}
[[gnu::noinline]] std::uint64_t called_load(std::uint64_t from) {
  return hw::word(from);
}
[[gnu::noinline]] void called_acquire(queue_lock const& of) {
  called_store(of.request(), of.response());
  while (called_load(of.response()) == 0) {
  }
  hw::word(of.response()) = 0;
  seen_by_others();
}
[[gnu::noinline]] void called_release(queue_lock const& of) {
  seen_by_others();
  called_store(of.data(), token);
}

class box_lock {
 public:
  explicit box_lock(std::uint64_t word) : word_(word) {}
  static box_lock of(chip const& on) { return box_lock(on.box()); }
  static void make(chip const& /*on*/) {}
  void acquire() const {
    std::uint64_t before = 1;
    while (before != 0) asm volatile("amoswap.d.aq %0, %1, (%2)" : "=r"(before) : "r"(1), "r"(word_) : "memory");
  }
  void release() const {
    seen_by_others();
    hw::word(word_) = 0;
  }
  static box_lock alone(chip const& on) { return box_lock(on.line(on.own(), shared_line) + 8 * (shared_words - 1)); }
  [[nodiscard]] std::uint64_t word() const noexcept { return word_; }

 private:
  std::uint64_t word_;
};

[[gnu::noinline]] std::uint64_t called_swap(std::uint64_t word) {
  std::uint64_t before = 0;
  asm volatile("amoswap.d.aq %0, %1, (%2)" : "=r"(before) : "r"(1), "r"(word) : "memory");
  return before;
}
[[gnu::noinline]] void called_acquire(box_lock const& of) {
  while (called_swap(of.word()) != 0) {
  }
}
[[gnu::noinline]] void called_release(box_lock const& of) {
  seen_by_others();
  called_store(of.word(), 0);
}

template <class Lock>
class called_lock {
 public:
  explicit called_lock(Lock of) : of_(of) {}
  static called_lock of(chip const& on) { return called_lock(Lock::of(on)); }
  static void make(chip const& on) { Lock::make(on); }
  void acquire() const { called_acquire(of_); }
  void release() const { called_release(of_); }
  static called_lock alone(chip const& on) { return called_lock(Lock::alone(on)); }

 private:
  Lock of_;
};

/// Measurements of one core.
struct measured {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t acquiring = 0;  // second pass
  std::uint64_t releasing = 0;
  std::uint64_t software = 0;  // third pass
};

template <class Lock>
measured measure(chip const& on, Lock const& lock, counter_barrier const& barrier, std::uint64_t rounds) {
  measured of;
  barrier.wait();
  of.begin = hw::cycle();
  for (std::uint64_t i = 0; i < rounds; ++i) {
    lock.acquire();
    lock.release();
  }
  of.end = hw::cycle();
  barrier.wait();
  for (std::uint64_t i = 0; i < rounds; ++i) {
    std::uint64_t const begin = hw::cycle();
    lock.acquire();
    std::uint64_t const got = hw::cycle();
    lock.release();
    of.releasing += hw::cycle() - got;
    of.acquiring += got - begin;
  }
  barrier.wait();
  Lock const alone = Lock::alone(on);
  std::uint64_t const begin = hw::cycle();
  for (std::uint64_t i = 0; i < rounds; ++i) {
    alone.acquire();
    alone.release();
  }
  of.software = hw::cycle() - begin;
  return of;
}

/// Each core increments a word of core 0 non-atomically, so that a broken lock loses increments.
template <class Lock>
void check(chip const& on, Lock const& lock, counter_barrier const& barrier, std::uint64_t rounds) {
  std::uint64_t const count = on.line(0, shared_line) + 8;
  barrier.wait();
  for (std::uint64_t i = 0; i < rounds; ++i) {
    lock.acquire();
    std::uint64_t const before = hw::word(count);
    for (std::uint64_t wait = 0; wait < mixed(i + on.own()) % 8; ++wait) seen_by_others();
    hw::word(count) = before + 1;
    lock.release();  // after the store, in order: both go to core 0
  }
  hw::fence();
  barrier.wait();
  expect(hw::word(count) == rounds * on.cores(), "two had the lock at once");
}

template <class Lock>
void run(char const* kind, std::uint64_t rounds) {
  chip const on;
  if (on.own() == 0) Lock::make(on);
  counter_barrier const barrier(on, group_usual);
  on.meet();
  Lock const lock = Lock::of(on);
  check(on, lock, barrier, rounds < 16 ? rounds : 16);  // also fills the caches
  measured const of = measure(on, lock, barrier, rounds);
  barrier.wait();
  expect(hw::faults() == 0, "a transfer failed");
  std::printf(
      "{\"program\":\"locks\",\"kind\":\"%s\",\"cores\":%u,\"core\":%u,\"rounds\":%lu,\"begin\":%lu,\"end\":%lu,"
      "\"acquiring\":%lu,\"releasing\":%lu,\"software\":%lu}\n",
      kind, on.cores(), on.own(), static_cast<unsigned long>(rounds), static_cast<unsigned long>(of.begin),
      static_cast<unsigned long>(of.end), static_cast<unsigned long>(of.acquiring),
      static_cast<unsigned long>(of.releasing), static_cast<unsigned long>(of.software));
}

}  // namespace
}  // namespace cni

int main(int count, char** words) {
  std::string_view const kind = count == 3 ? words[1] : "";
  std::uint64_t const rounds = count == 3 ? cni::number_of(words[2]) : 0;
  bool const known = kind == "mr-queue" || kind == "called" || kind == "lock-box" || kind == "called-box";
  if (!known || rounds == 0 || rounds > cni::rounds_max) {
    std::fputs(
        "usage: cni-locks mr-queue|called|lock-box|called-box ACQUIRES\n  ACQUIRES: of each copy, 1 to 1048576\n",
        stderr);
    return 2;
  }
  if (kind == "mr-queue")
    cni::run<cni::queue_lock>("mr-queue", rounds);
  else if (kind == "called")
    cni::run<cni::called_lock<cni::queue_lock>>("called", rounds);
  else if (kind == "called-box")
    cni::run<cni::called_lock<cni::box_lock>>("called-box", rounds);
  else
    cni::run<cni::box_lock>("lock-box", rounds);
  return cni::exit_code();
}
