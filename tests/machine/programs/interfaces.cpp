// interfaces: runs on all tiles of a machine with cache-integrated interfaces: a barrier of counters, a lock that is a
// multiple-reader queue, a single-reader queue that all fill, a ring of copies, the time of a store, requests with tags
// and messages that are tried once.
// Usage: interfaces [WHAT], where WHAT is one access that must trap, or `stuck`: a queue that is never emptied.
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
  pong_line,
  asked_line,
  replies_line,
  once_line
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

/// A token in a queue: its owner holds the lock.
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

/// All ask the first copy's queue for many items at once, and take the answers out of a queue of two. The sum of the
/// items, at the first copy; 0: an answer is not as it must be.
std::uint64_t sum_of_tagged() {
  constexpr std::uint64_t items = 8;
  cni::match_queue const asked(cni::events(tile_of(0), asked_line));
  std::uint64_t const replies = cni::events(tile_of(me), replies_line);
  cni::queue_reader reader(cni::queue(replies), cni::data(tile_of(me), 3584), 1, 1);
  auto const last_of_next = [&] {
    while (reader.empty()) {
    }
    return cni::word(reader.front() + 8);
  };
  asked.try_request(replies, 100 + me);
  bool sound = last_of_next() == (words::none | (100 + me)) && cni::word(reader.front()) == 0;
  reader.pop();
  barrier().wait();
  for (std::uint64_t tag = 0; tag < items; ++tag) asked.request(replies, tag);
  cni::command_buffer const commands(cni::events(tile_of(me), commands_line));
  for (std::uint64_t i = 0; i < items; ++i) commands.message(asked.address(), 0, me * 1000 + i, 99);
  std::uint64_t sum = 0;
  std::uint64_t tags = 0;
  for (std::uint64_t i = 0; i < items; ++i) {
    tags |= std::uint64_t{1} << last_of_next();
    sum += cni::word(reader.front());
    reader.pop();
  }
  sound &= tags == (std::uint64_t{1} << items) - 1;
  tile::add(cni::data(tile_of(0), 256), sum);
  tile::add(cni::data(tile_of(0), 264), sound ? 1 : 0);
  barrier().wait();
  return cni::word(cni::data(tile_of(0), 264)) == copies ? std::uint64_t{cni::word(cni::data(tile_of(0), 256))} : 0;
}

/// To a queue of one item, in this tile or in the next, twice: the first is acknowledged, the second is refused, and
/// when there is room nothing comes any more.
bool try_once(std::uint64_t copy) {
  std::uint64_t const told = cni::data(tile_of(me), 192);
  cni::command_buffer const commands(cni::events(tile_of(me), commands_line));
  auto const acknowledged = [&](std::uint64_t item) {
    cni::word(told) = 0;
    commands.message_once(cni::events(tile_of(copy), once_line), told, item);
    return static_cast<std::int64_t>(cni::sleep_while(told, [](std::uint64_t value) { return value == 0; }));
  };
  bool sound = acknowledged(me + 1) == 8 && acknowledged(77) == -8;
  barrier().wait();
  std::uint64_t const own = cni::events(tile_of(me), once_line);
  std::uint64_t const tail = cni::word(own + words::queue_tail);
  std::uint64_t const sender = copy == me ? me : (me + copies - 1) % copies;
  sound &= cni::word(cni::data(tile_of(me), 3648)) == sender + 1;
  cni::word(own + words::queue_head) = tail;
  barrier().wait();
  return sound && cni::word(own + words::queue_tail) == tail;
}

/// One access that may not be; what it returns is not printed.
std::uint64_t wrong_access(char const* what) {
  std::uint64_t const counter = cni::events(cni::own_tile(), acknowledged_line);
  if (std::strcmp(what, "half") == 0) return *reinterpret_cast<std::uint32_t volatile*>(counter);
  if (std::strcmp(what, "atomic") == 0) return tile::add(counter, 1);
  if (std::strcmp(what, "free") == 0) return cni::word(cni::events(cni::own_tile(), 200));
  if (std::strcmp(what, "tail") == 0) cni::word(cni::events(cni::own_tile(), queue_line) + words::queue_tail) = 1;
  if (std::strcmp(what, "command") == 0) cni::word(cni::events(cni::own_tile(), commands_line)) = 99;
  std::uint64_t const request = words::tagged_request(cni::data(cni::own_tile(), 64), 1);
  std::uint64_t const lock = cni::events(cni::own_tile(), lock_line);
  if (std::strcmp(what, "tag") == 0) cni::word(lock + words::match_request) = request;
  if (std::strcmp(what, "narrow") == 0) {
    cni::word(lock + words::match_shape) = words::shape_of(4, 0) | words::tagged;
    cni::word(lock + words::match_request) = request;
  }
  if (std::strcmp(what, "region") == 0) {
    cni::unit(words::regions + 4 * words::region_bytes + words::region_enable) = 0;
    cni::word(cni::data(cni::own_tile() + 1)) = 1;
  }
  return 0;
}

/// All but copy 0 fill its queue, which it never reads; in the end all wait.
void fill_for_ever() {
  tile::meeting(cni::row(first_tile, info::row_partition)).wait();
  for (std::uint64_t i = 0; i < rounds && me != 0; ++i) cni::queue(cni::events(tile_of(0), queue_line)).put(i);
  cni::fence();
  cni::sleep_while(cni::data(tile_of(me), 64), [](std::uint64_t value) { return value == 0; });
}

void prepare_lines() {
  (void)cni::counter(cni::events(tile_of(me), acknowledged_line)).configure();
  (void)cni::command_buffer(cni::events(tile_of(me), commands_line)).configure();
  (void)cni::configure(cni::events(tile_of(me), flag_line), 2 * words::line_bytes, words::scratchpad);
  (void)cni::queue(cni::events(tile_of(me), queue_line)).configure(cni::data(tile_of(me), 1024), 2);
  (void)cni::queue(cni::events(tile_of(me), replies_line)).configure(cni::data(tile_of(me), 3584), 1, 1);
  (void)cni::queue(cni::events(tile_of(me), once_line)).configure(cni::data(tile_of(me), 3648), 0);
  if (me != 0) return;
  (void)cni::match_queue(cni::events(tile_of(0), asked_line)).configure(cni::data(tile_of(0), 3072), 5, 1, true);
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
  if (count > 1 && std::strcmp(arguments[1], "stuck") == 0) fill_for_ever();
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
  std::uint64_t const tagged = sum_of_tagged();
  all.wait();
  bool const tried = try_once(me) && try_once((me + 1) % copies);
  all.wait();
  std::uint64_t const cycles = me < 2 ? store_cycles() : 0;
  all.wait();
  if (me == 0) {
    std::printf("lock %llu queue %llu tagged %llu cycles %llu\n", static_cast<unsigned long long>(cni::word(shared)),
                static_cast<unsigned long long>(sum), static_cast<unsigned long long>(tagged),
                static_cast<unsigned long long>(cycles));
  }
  return passed && tried && cni::faults() == 0 ? 0 : 1;
}
