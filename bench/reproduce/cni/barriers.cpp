// barriers: cycles of barriers on tiles with cache-integrated network interfaces, with no work in between.
//
//   counter: a tree of counters (barrier_plan.hpp). called: the same, but the barrier, its arrival and its poll are
//   functions that are called, as those of the paper's libraries are; in `counter` they are inlined. mutex: a count in
//   core 0's scratchpad, protected by a lock in the word beside it, taken by an atomic swap at its home; the last core
//   sets a flag of every other one. All cores poll local flags.
//
// Units     cycles.
// Errors    exit code 1: a core left a barrier before another had entered it, or a transfer failed; 2: wrong arguments.
// Source    CNI (IJPP 2012), Table 1b and figure 11b.
#include "measure_blocks.hpp"

namespace cni {
namespace {

constexpr std::uint64_t episodes_max = std::uint64_t{1} << 20U;
constexpr std::uint64_t group_max = 64;

// A library out of line.
[[gnu::noinline]] void called_add(std::uint64_t counter, std::uint64_t number) {
  hw::word(counter) = number;
}
[[gnu::noinline]] std::uint64_t called_load(std::uint64_t flag) {
  return hw::word(flag);
}
[[gnu::noinline]] void called_wait(std::uint64_t flag) {
  while (called_load(flag) == 0) {
  }
  hw::word(flag) = 0;
}
[[gnu::noinline]] void called_barrier_wait(counter_barrier const& barrier) {
  seen_by_others();
  called_add(barrier.arrival(), 1);
  called_wait(barrier.flag());
  seen_by_others();
}

class called_barrier {
 public:
  called_barrier(chip const& on, unsigned group) : of_(on, group) {}
  void wait() const { called_barrier_wait(of_); }
  void wait_alone(std::uint64_t word) const { called_barrier_wait(counter_barrier::alone(word)); }

 private:
  counter_barrier of_;
};

class mutex_barrier {
 public:
  explicit mutex_barrier(chip const& on) : lock_(on.box()), own_(on.line(on.own(), barrier_flag_line)) {
    for (unsigned core = 0; core < on.cores(); ++core) flags_.push_back(on.line(core, barrier_flag_line));
  }
  void wait() const {
    seen_by_others();
    std::uint64_t before = 1;
    while (before != 0) asm volatile("amoswap.d.aq %0, %1, (%2)" : "=r"(before) : "r"(1), "r"(lock_) : "memory");
    std::uint64_t const come = hw::word(lock_ + 8) + 1;
    bool const last = come == flags_.size();
    hw::word(lock_ + 8) = last ? 0 : come;
    hw::word(lock_) = 0;  // after the count, in order: both go to core 0
    if (last)
      for (std::uint64_t const flag : flags_) hw::word(flag) = 1;
    while (hw::word(own_) == 0) {
    }
    hw::word(own_) = 0;
    seen_by_others();
  }
  void wait_alone(std::uint64_t /*word*/) const {}

 private:
  std::uint64_t lock_;
  std::uint64_t own_;
  std::vector<std::uint64_t> flags_;
};

/// Every core counts its episodes in a local word before it enters; after the barrier, the word of any other core must
/// be at least as high.
template <class Barrier>
void check(chip const& on, Barrier const& barrier, std::uint64_t episodes) {
  std::uint64_t const entered = on.line(on.own(), shared_line) + 8 * (shared_words - 2);
  for (std::uint64_t i = 1; i <= episodes; ++i) {
    for (std::uint64_t wait = 0; wait < mixed(i * on.cores() + on.own()) % 64; ++wait) seen_by_others();
    hw::word(entered) = i;
    barrier.wait();
    unsigned const other = static_cast<unsigned>((on.own() + i) % on.cores());
    expect(hw::word(on.line(other, shared_line) + 8 * (shared_words - 2)) >= i, "it left before another had entered");
  }
}

template <class Barrier>
void run(char const* kind, std::uint64_t episodes, std::uint64_t group) {
  chip const on;
  Barrier const barrier = [&] {
    if constexpr (std::is_same_v<Barrier, mutex_barrier>)
      return mutex_barrier(on);
    else
      return Barrier(on, static_cast<unsigned>(group));
  }();
  on.meet();
  check(on, barrier, 4 + on.cores());
  barrier.wait();
  std::uint64_t const begin = hw::cycle();
  for (std::uint64_t i = 0; i < episodes; ++i) barrier.wait();
  std::uint64_t const end = hw::cycle();
  std::uint64_t const word = on.line(on.own(), shared_line) + 8 * (shared_words - 1);
  std::uint64_t const alone = hw::cycle();
  for (std::uint64_t i = 0; i < episodes; ++i) barrier.wait_alone(word);
  std::uint64_t const software = hw::cycle() - alone;
  expect(hw::faults() == 0, "a transfer failed");
  std::printf(
      "{\"program\":\"barriers\",\"kind\":\"%s\",\"group\":%lu,\"cores\":%u,\"core\":%u,\"rounds\":%lu,"
      "\"begin\":%lu,\"end\":%lu,\"software\":%lu}\n",
      kind, static_cast<unsigned long>(group), on.cores(), on.own(), static_cast<unsigned long>(episodes),
      static_cast<unsigned long>(begin), static_cast<unsigned long>(end), static_cast<unsigned long>(software));
}

}  // namespace
}  // namespace cni

int main(int count, char** words) {
  bool const counted = count == 3 || count == 4;
  std::string_view const kind = counted ? words[1] : "";
  std::uint64_t const episodes = counted ? cni::number_of(words[2]) : 0;
  std::uint64_t const group = count == 4 ? cni::number_of(words[3]) : cni::group_usual;
  bool const numbers = episodes != 0 && episodes <= cni::episodes_max && group >= 2 && group <= cni::group_max;
  if ((kind != "counter" && kind != "called" && kind != "mutex") || !numbers || (kind == "mutex" && count == 4)) {
    std::fputs(
        "usage: cni-barriers counter|called EPISODES [GROUP], or cni-barriers mutex EPISODES\n"
        "  EPISODES: 1 to 1048576; GROUP: arrivals at a counter, 2 to 64, otherwise 4\n",
        stderr);
    return 2;
  }
  if (kind == "counter")
    cni::run<cni::counter_barrier>("counter", episodes, group);
  else if (kind == "called")
    cni::run<cni::called_barrier>("called", episodes, group);
  else
    cni::run<cni::mutex_barrier>("mutex", episodes, group);
  return cni::exit_code();
}
