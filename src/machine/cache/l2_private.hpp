// l2_private: the controller of a tile's L2: write-back, holds data, includes its L1s, knows of no other tile.
//
//   Nothing keeps it coherent with other tiles or with DMA: software writes back and invalidates, by line or by range.
//   On a machine with directories (MESI) it asks for a line to read or to write, and gives it up when it is told to:
//   `clean` is then exclusive and `dirty` modified; l2_mesi.cpp has what it answers to its directory.
//   A miss brings the line from the memory below and then lets all that wait for it go on, in their order. A dirty line
//   that is replaced goes to a buffer until the memory has acknowledged it; until then the same line is not fetched
//   again, so a fetch can never overtake a write-back. L1s are invalidated when their line leaves.
//   A line that was written by a mark of the NCA only keeps it when it must leave, but is no work for write-back.
//   Range operations touch every line of the range. Invalidation drops only lines that lie wholly inside; the two at
//   the edges are flushed, so that their other bytes survive (docs/internals/machine.md, 4).
//
// Units     global addresses, picoseconds. Time of a lookup is the caller's matter (the bus); here only misses take
// time. Threads   one. Source    NEMESYS (MEMSYS 2019), section 3 and Table 2; Pegasus (DATE 2017) for the range
// operations.
#pragma once

#include <array>
#include <deque>
#include <vector>

#include "machine/cache/cache_array.hpp"
#include "machine/cache/l1_cache.hpp"
#include "machine/cache/line_right.hpp"
#include "machine/cache/overwrite.hpp"
#include "machine/kernel/activity.hpp"
#include "machine/kernel/kernel.hpp"

namespace tess::machine {

/// Where lines come from and go to.
class line_memory {
 public:
  virtual ~line_memory() = default;
  /// Reads a line; `asked` and where it points must stay. `done` happens when it is there.
  virtual void fetch(line_fetch& asked, event& done) = 0;
  /// Takes `line` at the call; `done` happens when a fetch would see it. `kept`: the cache has the line still.
  virtual void write_back(std::uint64_t address, std::span<std::byte const> line, bool kept, event& done) = 0;
  /// The line reads as zero, without time.
  virtual void clear(std::uint64_t address) = 0;
};

class l2_private {
 public:
  /// `marked`: nothing but the mark of a traversal has been written since it was clean; write-back leaves it here.
  /// `shared`: with a directory only; others may have it too, so it cannot be written.
  enum state : std::uint8_t { invalid = cache_array::invalid, clean, dirty, marked, shared };
  struct statistics {
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
    std::uint64_t merged = 0;  ///< Misses on a line that was on its way.
    std::uint64_t write_backs = 0;
    std::uint64_t marker_write_backs = 0;  ///< Of these, lines that had to leave for a mark alone.
    std::uint64_t back_invalidations = 0;
  };
  /// What the probe port sees.
  struct probed {
    state line_state = invalid;
    std::span<std::byte> data;
  };

  l2_private(kernel& k, cache_shape const& shape, line_memory& below);
  l2_private(l2_private const&) = delete;
  l2_private& operator=(l2_private const&) = delete;

  /// An L1 of the tile, to be invalidated when a line leaves; it must outlive this.
  void attach(snooper& l1) { l1s_.push_back(&l1); }
  /// From now on sharers() says of every line which L1s may hold it, by the order of attach(): only those are told.
  void trust_sharers() noexcept { sharers_known_ = true; }

  [[nodiscard]] cache_shape const& shape() const noexcept { return lines_.shape(); }
  [[nodiscard]] std::uint64_t line_address(std::uint64_t address) const noexcept {
    return lines_.line_address(address);
  }

  /// The byte at this address if its line is here: a hit, counted as a use. Null: use bring().
  [[nodiscard]] std::byte* look_up(std::uint64_t address, bool for_store) noexcept;
  /// As look_up() for a store, but of a mark that no program reads: a clean line becomes `marked`.
  [[nodiscard]] std::byte* look_up_to_mark(std::uint64_t address) noexcept;
  /// Brings a line that look_up() has not found. `there.happens` is called, without the calendar, when it is here: then
  /// look_up() finds it, unless it is to be written and others who read brought it; they ask again.
  void bring(std::uint64_t address, event& there, bool for_store = false);

  /// A directory keeps its lines coherent from now on; `watching` is told of every line that leaves, for any reason.
  void keep_coherent(snooper& watching) noexcept { watching_ = &watching; }
  struct surrendered {
    line_right kept = line_right::none;
    bool dirty = false;  ///< `into` has bytes that memory may not have.
  };
  /// The directory's order: keep no more of a line than this, and say what is left.
  surrendered surrender(std::uint64_t address, line_right keep, std::span<std::byte> into);
  /// With a directory: to all that is on its way here or to memory, without time.
  void change_on_way(overwrite const& written) noexcept;

  /// As look_up(), but for who is no client: no use, no count, no miss.
  [[nodiscard]] probed probe(std::uint64_t address) noexcept;

  /// The byte at this address if its line is on its way to memory, which has not got it yet; null: it is not.
  [[nodiscard]] std::byte* leaving(std::uint64_t address) noexcept;
  /// The line is on its way, here or to memory: `then` happens, without the calendar, when it is not. False: it is not.
  [[nodiscard]] bool wait_for(std::uint64_t address, event& then);
  /// Writes within a line that is not here, without time. True: it is on its way to memory, and takes this along;
  /// false: the caller writes the memory. One on its way here has it when it comes.
  [[nodiscard]] bool write_absent(std::uint64_t address, std::span<std::byte const> from);

  /// A word of the line for who has caches above: which of them may hold it. Null: the line is not here, so none does.
  [[nodiscard]] std::uint64_t* sharers(std::uint64_t address) noexcept {
    line_index const line = lines_.find(address);
    return line == no_line ? nullptr : &lines_.metadata(line);
  }

  /// It has something for memory, or is on its way there.
  [[nodiscard]] bool leaves(std::uint64_t line) {
    return probe(line).line_state == dirty || departure_of(line) != nullptr;
  }
  /// Writes a dirty line back; it stays, clean. `done` happens when memory has it; at once (in the calendar) if clean.
  void write_back_line(std::uint64_t address, event& done);
  /// Drops a line, dirty or not.
  void drop_line(std::uint64_t address);
  /// The array, for a second controller: lines whose type is not `cacheable` are that one's, and none of this.
  [[nodiscard]] cache_array& array() noexcept { return lines_; }
  /// Takes what is in this line out of the cache, to memory if it must, so that the line can get another type.
  void vacate(line_index line);
  /// The same as drop_line() for [address, address + bytes), whole lines, whose bytes nobody wants any more: also what
  /// is on its way to memory will not be there; with a directory, change_on_way() is for that.
  void forget(std::uint64_t address, std::uint64_t bytes);

  // Of [address, address + bytes), each line looked at taking `line_ps`.
  [[nodiscard]] task<> write_back(std::uint64_t address, std::size_t bytes, picoseconds line_ps);
  [[nodiscard]] task<> invalidate(std::uint64_t address, std::size_t bytes, picoseconds line_ps);
  [[nodiscard]] task<> flush(std::uint64_t address, std::size_t bytes, picoseconds line_ps);

  [[nodiscard]] statistics const& counted() const noexcept { return counted_; }
  /// From now on, every miss that has ended.
  void tell(activity_log* log, std::uint32_t tile) noexcept { activity_ = {log, tile}; }

 private:
  /// Bytes written to a line on its way.
  struct patch {
    std::uint64_t offset = 0;
    std::vector<std::byte> data;
  };
  /// A line on its way here.
  struct miss : event, line_fetch {
    explicit miss(l2_private& owner_) : event([](event& self) { static_cast<miss&>(self).arrived(); }), owner(owner_) {}
    void arrived();
    l2_private& owner;
    std::vector<std::byte> data;
    std::vector<event*> waiting;
    std::vector<patch> written;  ///< Meanwhile, to its line.
    picoseconds begun = 0;
  };
  /// A line on its way to memory.
  struct departure : event {
    explicit departure(l2_private& owner_)
        : event([](event& self) { static_cast<departure&>(self).acknowledged(); }), owner(owner_) {}
    void acknowledged();
    l2_private& owner;
    std::uint64_t address = 0;
    std::vector<event*> waiting;     ///< Who asked to be told.
    bool again = false;              ///< It became dirty and left once more: `data` follows the acknowledgement.
    bool kept = false;               ///< The line is still here.
    bool unwanted = false;           ///< Its page was given back meanwhile: memory reads as zero there.
    std::vector<std::byte> data;     ///< What memory has at the end.
    miss* fetch_after = nullptr;     ///< A miss on the same line.
    departure* next_like = nullptr;  ///< In its list.
  };
  static constexpr std::size_t departure_lists = 256;

  [[nodiscard]] bool coherent() const noexcept { return watching_ != nullptr; }
  /// `kept`: it stays here, clean.
  void send_back(line_index line, bool kept, event* told);
  void back_invalidate(line_index line);
  miss& take_miss(std::uint64_t address);
  /// Where lists of departures with such an address begin.
  [[nodiscard]] departure*& departures_like(std::uint64_t line) noexcept {
    return departures_[line / shape().line_bytes % departure_lists];
  }
  /// That of a line address, or null.
  [[nodiscard]] departure* departure_of(std::uint64_t line) noexcept {
    departure* found = departures_like(line);
    while (found != nullptr && found->address != line) found = found->next_like;
    return found;
  }

  kernel& kernel_;
  cache_array lines_;
  line_memory& below_;
  std::vector<snooper*> l1s_;
  bool sharers_known_ = false;
  snooper* watching_ = nullptr;  ///< With a directory only.
  std::vector<miss*> misses_;    ///< A few: as many as clients wait.
  std::array<departure*, departure_lists> departures_{};
  std::deque<miss> all_misses_;
  std::vector<miss*> spare_misses_;
  std::deque<departure> all_departures_;
  std::vector<departure*> spare_departures_;
  statistics counted_;
  activity_teller activity_;
};

}  // namespace tess::machine
