// interfaces: copies of this on all tiles of a machine with cache-integrated interfaces: a barrier of counters, a lock
// that is a multiple-reader queue, a single-reader queue that all fill, a ring of copies, and the time of a store.
// Usage: interfaces [WHAT], where WHAT is one access that must trap.
#include <cstdio>
#include <cstring>
#include <tess/machine/cni.hpp>

#include "tile.hpp"

namespace {

namespace cni = tess::machine::cni;
namespace words = tess::machine::registers::cni;
namespace info = tess::machine::registers::information;

// Lines for events, the same in every tile.
enum line : std::uint64_t {
  barrier_line,
  lock_line,
  queue_line,
  acknowledged_line,
  commands_line,
  flag_line,
  pong_line
};

constexpr std::uint64_t rounds = 20;
constexpr std::uint64_t ring_bytes = 1000;
constexpr std::uint64_t ring_times = 24;  // more commands than the list holds: the hart waits with a store

std::uint64_t me;
std::uint64_t copies;
std::uint64_t first_tile;

std::uint64_t tile_of(std::uint64_t copy) {
  return first_tile + copy;
}

/// At the counter of the first copy; that one tells all, at a word of each.
class barrier {
 public:
  void prepare() const {
    if (me != 0) return;
    cni::counter const all(cni::events(tile_of(0), barrier_line));
    (void)all.configure();
    std::uint64_t const missing = ~copies + 1;
    all.set(missing);
    all.reload(missing);
    all.preset(1);
    for (std::uint64_t copy = 0; copy < copies && copy < 4; ++copy) all.notify(copy, word_of(copy));
  }
  void wait() const {
    cni::word(cni::events(tile_of(0), barrier_line)) = 1;
    cni::wait_while(word_of(me), [](std::uint64_t value) { return value == 0; });
    cni::word(word_of(me)) = 0;
  }

 private:
  static std::uint64_t word_of(std::uint64_t copy) { return cni::data(tile_of(copy), 0); }
};

/// A token in a queue: who has it holds the lock.
void count_under_a_lock(std::uint64_t shared) {
  cni::match_queue const lock(cni::events(tile_of(0), lock_line));
  std::uint64_t const token = cni::data(tile_of(me), 64);
  for (std::uint64_t i = 0; i < rounds; ++i) {
    cni::word(token) = 0;
    lock.request(token);
    cni::sleep_while(token, [](std::uint64_t value) { return value == 0; });
    cni::word(shared) = cni::word(shared) + 1;
    cni::fence();
    lock.put(1);
  }
}

std::uint64_t sum_of_queue() {
  constexpr std::uint64_t log2_items = 2;
  cni::queue_reader reader(cni::queue(cni::events(tile_of(0), queue_line)), cni::data(tile_of(0), 1024), log2_items);
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < rounds * (copies - 1); ++i) sum += reader.take();
  return sum;
}

/// Bytes of this copy to the next, odd ones; true: those of the one before have come, and nothing else has changed.
bool pass_around() {
  auto* const own = reinterpret_cast<unsigned char*>(cni::data(tile_of(me), 4096));
  auto* const came = reinterpret_cast<unsigned char*>(cni::data(tile_of(me), 8192));
  for (std::uint64_t i = 0; i < ring_bytes; ++i) own[i] = static_cast<unsigned char>(me * 31 + i * 7);
  cni::counter const acknowledged(cni::events(tile_of(me), acknowledged_line));
  acknowledged.set(~(ring_times * ring_bytes) + 1);
  cni::command_buffer const commands(cni::events(tile_of(me), commands_line));
  cni::fence();
  for (std::uint64_t i = 0; i < ring_times; ++i) {
    commands.copy(cni::data(tile_of((me + 1) % copies), 8192 + 5), cni::data(tile_of(me), 4096), ring_bytes,
                  acknowledged.address());
  }
  cni::sleep_while(acknowledged.address(), [](std::uint64_t value) { return value != 0; });
  // The last packet may have come to the next tile before that of the one before is here.
  barrier().wait();
  std::uint64_t const from = (me + copies - 1) % copies;
  bool whole = came[4] == 0 && came[5 + ring_bytes] == 0;
  for (std::uint64_t i = 0; i < ring_bytes; ++i) whole &= came[5 + i] == static_cast<unsigned char>(from * 31 + i * 7);
  return whole;
}

/// Copy 0 stores its time into a word of copy 1, which looks when it sees that. The cycles that this took.
std::uint64_t store_cycles() {
  std::uint64_t const flag = cni::events(tile_of(1), flag_line);
  std::uint64_t const pong = cni::events(tile_of(0), pong_line);
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < rounds; ++i) {
    if (me == 0) {
      for (std::uint64_t pause = 0; pause < i * 3; ++pause) asm volatile("nop");
      cni::word(flag) = cni::cycle();
      sum += cni::wait_while(pong, [](std::uint64_t value) { return value == 0; });
      cni::word(pong) = 0;
      cni::fence();
    } else {
      std::uint64_t const begun = cni::wait_while(flag, [](std::uint64_t value) { return value == 0; });
      std::uint64_t const took = cni::cycle() - begun;
      cni::word(flag) = 0;
      cni::word(pong) = took;
    }
  }
  return sum / rounds;
}

/// One access that may not be; what it returns is not printed.
std::uint64_t wrong_access(char const* what) {
  std::uint64_t const counter = cni::events(cni::own_tile(), acknowledged_line);
  if (std::strcmp(what, "half") == 0) return *reinterpret_cast<std::uint32_t volatile*>(counter);
  if (std::strcmp(what, "atomic") == 0) return tile::add(counter, 1);
  if (std::strcmp(what, "free") == 0) return cni::word(cni::events(cni::own_tile(), 200));
  if (std::strcmp(what, "tail") == 0) cni::word(cni::events(cni::own_tile(), queue_line) + words::queue_tail) = 1;
  if (std::strcmp(what, "command") == 0) cni::word(cni::events(cni::own_tile(), commands_line)) = 99;
  if (std::strcmp(what, "region") == 0) {
    cni::unit(words::regions + 4 * words::region_bytes + words::region_enable) = 0;
    cni::word(cni::data(cni::own_tile() + 1)) = 1;
  }
  return 0;
}

void prepare_lines() {
  (void)cni::counter(cni::events(tile_of(me), acknowledged_line)).configure();
  (void)cni::command_buffer(cni::events(tile_of(me), commands_line)).configure();
  (void)cni::configure(cni::events(tile_of(me), flag_line), 2 * words::line_bytes, words::scratchpad);
  (void)cni::queue(cni::events(tile_of(me), queue_line)).configure(cni::data(tile_of(me), 1024), 2);
  if (me != 0) return;
  cni::match_queue const lock(cni::events(tile_of(0), lock_line));
  (void)lock.configure(cni::data(tile_of(0), 2048), 4);
  lock.put(1);
}

}  // namespace

int main(int count, char** arguments) {
  if (!cni::open()) return 1;
  me = cni::information(info::program);
  copies = cni::information(info::programs);
  first_tile = tile::of_program(0);
  prepare_lines();
  if (count > 1) return wrong_access(arguments[1]) != 0 ? 3 : 2;
  barrier const all;
  all.prepare();
  tile::meeting(cni::row(first_tile, info::row_partition)).wait();
  all.wait();
  std::uint64_t const shared = cni::data(tile_of(0), 128);
  count_under_a_lock(shared);
  all.wait();
  std::uint64_t sum = 0;
  if (me == 0)
    sum = sum_of_queue();
  else
    for (std::uint64_t i = 0; i < rounds; ++i) cni::queue(cni::events(tile_of(0), queue_line)).put(me * 1000 + i);
  all.wait();
  bool const passed = pass_around();
  all.wait();
  std::uint64_t const cycles = me < 2 ? store_cycles() : 0;
  all.wait();
  if (me == 0) {
    std::printf("lock %llu queue %llu cycles %llu\n", static_cast<unsigned long long>(cni::word(shared)),
                static_cast<unsigned long long>(sum), static_cast<unsigned long long>(cycles));
  }
  return passed && cni::faults() == 0 ? 0 : 1;
}
