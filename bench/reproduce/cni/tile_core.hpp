// tile_core: a core for bitonic.hpp and fft.hpp on a tile with cache-integrated network interface; and the parts that
// all programs of this folder share: the tile of each copy, the numbers of event lines, and a counter barrier.
//
//   Blocks are sent by remote stores or by RDMA, and each core polls its own flags. By stores, the last store sets the
//   peer's flag, since stores to one tile are executed in order. By RDMA, acknowledgements add the numbers of bytes to
//   the receiver's counter of the channel; at zero the counter sets the receiver's flag, and a flag of the sender,
//   which may then overwrite its block.
//
// Shapes    the first ways of a scratchpad hold data; the last way holds event lines and plain lines.
// Errors    must(): before meet(), prints a line to standard error and ends with exit code 1. expect(): after it, when
//           other cores would wait for one that ends, prints the line and sets the exit code.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <tess/machine/cni.hpp>
#include <vector>

#include "barrier_plan.hpp"
#include "core.hpp"

namespace cni {

namespace hw = tess::machine::cni;
namespace words = hw::words;

inline bool expectations_held = true;

/// Reports a false expectation and sets the exit code.
inline void expect(bool held, char const* what) {
  if (held) return;
  std::fprintf(stderr, "cni: tile %lu: %s\n", static_cast<unsigned long>(hw::own_tile()), what);
  expectations_held = false;
}
inline int exit_code() {
  return expectations_held ? 0 : 1;
}
/// For conditions that are the same in all copies.
inline void must(bool held, char const* what) {
  expect(held, what);
  if (!held) std::exit(exit_code());
}
/// Compiler barrier: other cores access the memory.
inline void seen_by_others() {
  asm volatile("" ::: "memory");
}

/// Numbers of the lines for events, the same in every tile.
enum event_line : std::uint64_t {
  commands_line = 0,
  channels_line = 1,      // channels_max counters
  arrived_line = 5,       // plain: a word for each channel
  sent_line = 6,          // plain: a word for each channel
  barrier_flag_line = 7,  // plain: the barrier's flag
  response_line = 8,      // plain: responses of a lock's queue
  shared_line = 9,        // plain: words of one program, [0, shared_words)
  lock_line = 11,         // a multiple-reader queue
  sends_line = 12,        // channels_max counters
  barrier_line = 16,      // barrier_counters counters
  ring_line = 64,         // plain: the items of the lock's queue
  lines_end = 192,
};
inline constexpr std::uint64_t shared_words = 16;
inline constexpr unsigned cores_max = 8 * (lines_end - ring_line);

/// The copies of the program: copy i is core i.
class chip {
 public:
  chip() {
    namespace info = tess::machine::registers::information;
    must(hw::open(), "this machine's scratchpads cannot be opened");
    own_ = static_cast<unsigned>(hw::information(info::program));
    tiles_.resize(hw::information(info::programs));
    must(tiles_.size() <= cores_max, "more copies than a lock can serve");
    for (std::uint64_t tile = 0; tile < hw::known.tiles; ++tile)
      if (auto const copy = hw::row(tile, info::row_program); copy != 0) tiles_[copy - 1] = tile;
    must(hw::known.data_bytes >= data_bytes && hw::known.event_lines >= lines_end, "the scratchpads are too small");
    plain(arrived_line, lock_line - arrived_line);
    plain(ring_line, lines_end - ring_line);
  }
  [[nodiscard]] unsigned own() const noexcept { return own_; }
  [[nodiscard]] unsigned cores() const noexcept { return static_cast<unsigned>(tiles_.size()); }
  [[nodiscard]] std::uint64_t line(unsigned core, std::uint64_t number) const {
    return hw::events(tiles_[core], number);
  }
  [[nodiscard]] std::uint64_t data(unsigned core) const { return hw::data(tiles_[core]); }
  [[nodiscard]] std::uint64_t tile(unsigned core) const { return tiles_[core]; }

  /// Two words of a node that is not a core, for the lock box, which is a device in the paper.
  [[nodiscard]] std::uint64_t box() const {
    namespace info = tess::machine::registers::information;
    std::uint64_t const memory = hw::row(tiles_[0], info::row_memory_tile);
    return hw::row(memory, info::row_tlm) + hw::row(memory, info::row_tlm_bytes) - 16;
  }
  /// A barrier of all copies, called once, before counters are configured.
  void meet() const {
    namespace info = tess::machine::registers::information;
    std::uint64_t const at = hw::row(tiles_[0], info::row_partition);
    auto const add = [at](std::uint64_t number) {
      std::uint64_t before = 0;
      asm volatile("amoadd.d.aqrl %0, %1, (%2)" : "=r"(before) : "r"(number), "r"(at) : "memory");
      return before;
    };
    hw::fence();
    add(1);
    while (add(0) < cores()) {
    }
  }

 private:
  void plain(std::uint64_t first, std::uint64_t count) const {
    must(hw::configure(line(own_, first), count * words::line_bytes, words::scratchpad), "no plain lines");
  }
  unsigned own_ = 0;
  std::vector<std::uint64_t> tiles_;
};

/// A barrier by a tree of counters. wait() may be called after chip::meet().
class counter_barrier {
 public:
  counter_barrier(chip const& on, unsigned group) : flag_(on.line(on.own(), barrier_flag_line)) {
    barrier_plan const plan(on.cores(), group);
    auto const address = [&on](counter_place const& at) {
      return at.is_flag ? on.line(at.core, barrier_flag_line) : on.line(at.core, barrier_line + at.number);
    };
    for (auto const& one : plan.counters()) {
      if (one.at.core != on.own()) continue;
      hw::counter const made(address(one.at));
      must(made.configure(), "no counter");
      made.reload(-std::uint64_t{one.adds});
      made.set(-std::uint64_t{one.adds});
      made.preset(1);
      for (std::uint64_t i = 0; i < one.notifies.size(); ++i) made.notify(i, address(one.notifies[i]));
    }
    arrival_ = address(plan.arrival(on.own()));
  }
  void wait() const {
    seen_by_others();
    hw::word(arrival_) = 1;
    while (hw::word(flag_) == 0) {
    }
    hw::word(flag_) = 0;
    seen_by_others();
  }
  /// The instructions of a barrier at which all others have arrived, on two local words: the cost of software.
  void wait_alone(std::uint64_t word) const { alone(word).wait(); }
  static counter_barrier alone(std::uint64_t word) { return {word, word}; }
  [[nodiscard]] std::uint64_t arrival() const noexcept { return arrival_; }
  [[nodiscard]] std::uint64_t flag() const noexcept { return flag_; }

 private:
  counter_barrier(std::uint64_t flag, std::uint64_t arrival) : flag_(flag), arrival_(arrival) {}
  std::uint64_t flag_;
  std::uint64_t arrival_ = 0;
};

inline constexpr unsigned group_usual = 4;

/// Remote stores of words, and of one 32-bit word at the end.
template <class Word = std::uint64_t>
void store_words(std::uint64_t to, void const* from, std::uint64_t bytes) {
  auto* wide = reinterpret_cast<Word volatile*>(to);
  auto const* source = static_cast<Word const*>(from);
  auto const* const end = source + bytes / sizeof(Word);
  while (end - source >= 4) {
    Word const four[] = {source[0], source[1], source[2], source[3]};
    wide[0] = four[0];
    wide[1] = four[1];
    wide[2] = four[2];
    wide[3] = four[3];
    wide += 4;
    source += 4;
  }
  while (source != end) *wide++ = *source++;
  if (bytes % sizeof(Word) != 0)
    *reinterpret_cast<std::uint32_t volatile*>(wide) = *reinterpret_cast<std::uint32_t const*>(source);
}

enum class transport : std::uint8_t { stores, rdma };

template <transport By>
class tile_core {
 public:
  explicit tile_core(chip const& on) : on_(on), barrier_(on, group_usual), commands_(on.line(on.own(), commands_line)) {
    must(commands_.configure(), "no command buffer");
    for (unsigned i = 0; i < channels_max; ++i) must(channel(on.own(), i).configure(), "no counter");
    on.meet();
  }
  [[nodiscard]] unsigned number() const { return on_.own(); }
  [[nodiscard]] unsigned cores() const { return on_.cores(); }
  [[nodiscard]] std::byte* scratchpad() { return reinterpret_cast<std::byte*>(on_.data(on_.own())); }
  void announce(exchange const& with) {
    std::uint64_t const flags = 8UL * with.channel;
    std::uint64_t const theirs = on_.line(with.peer, arrived_line) + flags;
    channels_[with.channel] = {on_.data(with.peer) - on_.data(on_.own()),
                               By == transport::rdma ? channel(with.peer, with.channel).address() : theirs,
                               on_.line(on_.own(), arrived_line) + flags, on_.line(on_.own(), sent_line) + flags};
    if constexpr (By == transport::rdma) {
      hw::counter const own = channel(on_.own(), with.channel);
      own.reload(-with.bytes);
      own.set(-with.bytes);
      own.preset(1);
      own.notify(0, channels_[with.channel].arrived);
      own.notify(1, on_.line(with.peer, sent_line) + flags);
    }
  }
  void send(exchange const& with, void* to, void const* from) {
    seen_by_others();
    addresses const& at = channels_[with.channel];
    std::uint64_t const there = reinterpret_cast<std::uint64_t>(to) + at.to_peer;
    if constexpr (By == transport::rdma) {
      commands_.copy(there, reinterpret_cast<std::uint64_t>(from), with.bytes, at.completion);
    } else {
      store_words(there, from, with.bytes);
      hw::word(at.completion) = 1;
    }
  }
  void wait(exchange const& with) {
    take(channels_[with.channel].arrived);
    if constexpr (By == transport::rdma) take(channels_[with.channel].sent);
    seen_by_others();
  }
  void barrier() { barrier_.wait(); }
  std::uint64_t cycle() { return hw::cycle(); }

 private:
  [[nodiscard]] hw::counter channel(unsigned core, unsigned number) const {
    return hw::counter(on_.line(core, channels_line + number));
  }
  /// Waits for a flag and clears it.
  static void take(std::uint64_t flag) {
    while (hw::word(flag) == 0) {
    }
    hw::word(flag) = 0;
  }

  struct addresses {
    std::uint64_t to_peer = 0;     // difference of addresses in the two scratchpads
    std::uint64_t completion = 0;  // counter of the peer, or its flag
    std::uint64_t arrived = 0;     // flags of this core
    std::uint64_t sent = 0;
  };
  chip const& on_;
  counter_barrier barrier_;
  hw::command_buffer commands_;
  addresses channels_[channels_max];
};

}  // namespace cni
