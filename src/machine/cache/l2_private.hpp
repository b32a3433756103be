// l2_private: the controller of a tile's private L2: write-back, inclusive of the tile's L1s.
//
//   Nothing keeps it coherent with other tiles or with DMA: software writes back and invalidates, by line or by range.
//   On a machine with directories (MESI) it requests a line for reading or writing and surrenders it on a probe:
//   `clean` is then exclusive and `dirty` modified. Shared lines leave silently; exclusive ones, too, unless owners
//   answer requesters themselves: then it must have every line that the directory believes it owns.
//   A miss fetches the line from the memory below and then resumes its waiters in order. A replaced dirty line stays in
//   a buffer until the memory has acknowledged it. Until then the same line is not fetched again, so a fetch can never
//   overtake a write-back. L1s are invalidated when their line leaves.
//   A line in which only a mark of the NCA was written is written back on replacement, but not by range operations.
//   Range operations visit every line of the range. Invalidation drops only lines that lie wholly inside; the two at
//   the edges are flushed, so that their other bytes survive (docs/internals/machine.md, 4).
//
// Units     global addresses, picoseconds. The caller (the bus) accounts for look-up time; only misses take time here.
// Threads   one.
// Source    NEMESYS (MEMSYS 2019), section 3 and Table 2; Pegasus (DATE 2017) for the range operations.
#pragma once

#include <array>
#include <cstring>
#include <deque>
#include <utility>
#include <vector>

#include "machine/cache/cache_array.hpp"
#include "machine/cache/l1_cache.hpp"
#include "machine/cache/line_right.hpp"
#include "machine/cache/overwrite.hpp"
#include "machine/kernel/activity.hpp"
#include "machine/kernel/kernel.hpp"

namespace tess::machine {

/// The memory below the cache.
class line_memory {
 public:
  virtual ~line_memory() = default;
  /// Reads a line; `request` and its target must stay in place. `done` happens when the line is there.
  virtual void fetch(line_fetch& request, event& done) = 0;
  /// Copies `line` at the call; `done` happens when a fetch would return it. `kept`: the cache keeps the line.
  virtual void write_back(std::uint64_t address, std::span<std::byte const> line, bool kept, event& done) = 0;
  /// A clean line that no other cache has leaves: like write_back(), but its bytes are those of memory.
  virtual void give_up(std::uint64_t /*address*/, event& /*done*/) { MACHINE_ASSERT(false); }
  /// Sets the line to zero, without time.
  virtual void clear(std::uint64_t address) = 0;
};

/// Told of misses: those that count as such, of harts and of units.
class miss_observer {
 public:
  virtual ~miss_observer() = default;
  /// The fetch of the line has begun.
  virtual void missed(std::uint64_t line, bool for_store) = 0;
};

/// Stores that are still to happen, as harts ran ahead of them: to lines of the cache, and others of harts that go back
/// when a line is lost.
class pending_stores {
 public:
  virtual ~pending_stores() = default;
  /// Those that come before what happens now.
  virtual void perform() = 0;
  /// This line is lost: later stores will not find it.
  virtual void lose(std::span<std::byte const> line) = 0;
};

class l2_private {
 public:
  /// `marked`: only the mark of a traversal was written since the line was clean; range operations do not write it
  /// back. `shared`: with a directory only; other caches may have the line, so it cannot be written.
  enum state : std::uint8_t { invalid = cache_array::invalid, clean, dirty, marked, shared };
  struct statistics {
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
    std::uint64_t merged = 0;  ///< Misses on a line that was being fetched.
    std::uint64_t write_backs = 0;
    std::uint64_t marker_write_backs = 0;  ///< Those of replaced lines that held only a mark.
    std::uint64_t back_invalidations = 0;
    std::uint64_t prefetches = 0;          ///< Lines fetched that nobody had asked for:
    std::uint64_t prefetches_useful = 0;   ///< loaded from, or stored to, after they had come,
    std::uint64_t prefetches_late = 0;     ///< asked for while they came,
    std::uint64_t prefetches_useless = 0;  ///< left without a use. The rest is still here, or on its way.
    std::uint64_t prefetches_dropped = 0;  ///< Not fetched: too many were on their way.
  };
  /// Result of the probe port.
  struct probed {
    state line_state = invalid;
    std::span<std::byte> data;
  };

  l2_private(kernel& k, cache_shape const& shape, line_memory& below);
  l2_private(l2_private const&) = delete;
  l2_private& operator=(l2_private const&) = delete;

  /// An L1 of the tile, to be invalidated when a line leaves; it must outlive this object.
  void attach(snooper& l1) { l1s_.push_back(&l1); }
  /// From now on sharers() tells which L1s may hold a line, by the order of attach(): only those are invalidated.
  void trust_sharers() noexcept { sharers_known_ = true; }

  [[nodiscard]] cache_shape const& shape() const noexcept { return lines_.shape(); }
  [[nodiscard]] std::uint64_t line_address(std::uint64_t address) const noexcept {
    return lines_.line_address(address);
  }

  /// The byte at this address if its line is here: a hit, counted as a use. Null: use bring().
  [[nodiscard]] std::byte* look_up(std::uint64_t address, bool for_store) noexcept;
  /// Like look_up() for a store, but for a mark that no program reads: a clean line becomes `marked`.
  [[nodiscard]] std::byte* look_up_to_mark(std::uint64_t address) noexcept;
  /// Stores may be pending from now on; it must outlive this object's last access.
  void expect_stores(pending_stores& of) noexcept { stores_ = &of; }
  struct found_byte {
    std::byte* at = nullptr;  ///< Null: its line is not here.
    std::uint64_t sharers = 0;
  };
  /// Like look_up(), but it is no use, and counts nothing; and sharers().
  [[nodiscard]] found_byte find(std::uint64_t address) noexcept {
    line_index const line = lines_.find(address);
    return line == no_line ? found_byte{} : found_byte{lines_.at(line, address), lines_.metadata(line)};
  }
  /// The address of a byte that find() has found.
  [[nodiscard]] std::uint64_t address_of(std::byte const* at) noexcept {
    line_index const line = lines_.line_of(at);
    return lines_.address_of(line) + static_cast<std::uint64_t>(at - lines_.data(line).data());
  }
  struct stored {
    std::uint64_t address = 0;
    std::uint64_t sharers = 0;
  };
  /// A pending store to a byte that find() has found happens: look_up() for it, and sharers().
  stored store_to(std::byte const* at) noexcept {
    line_index const line = lines_.line_of(at);
    ++counted_.hits;
    lines_.use(line);
    lines_.state(line) = dirty;
    return {address_of(at), lines_.metadata(line)};
  }
  /// Fetches a line that look_up() has not found. `there` happens when it has arrived: then look_up() finds it, unless
  /// it has been lost again meanwhile, or is to be written and was fetched for readers; in these cases ask again.
  void bring(std::uint64_t address, event& there, bool for_store = false);

  /// From now on prefetch() may be called; at most so many of its lines are on their way.
  void allow_prefetches(std::uint32_t outstanding) {
    prefetches_max_ = outstanding;
    unused_.resize(lines_.lines());
  }
  /// Fetches a line that somebody may ask for, unless it is here or on its way.
  void prefetch(std::uint64_t address);
  /// With prefetches: a hart has loaded from this address. look_up() does not count it, as it should cost nothing.
  void loaded(std::uint64_t address) noexcept;
  /// The same for a unit of one's own, which limits and counts them itself: no statistic knows of it. False: the line
  /// is here, on its way, or on the way to memory.
  bool fetch_ahead(std::uint64_t address);
  /// `observer` is told of every miss from now on; it must outlive this object's last access.
  void tell_misses(miss_observer& observer) { observers_.push_back(&observer); }

  /// A directory keeps the lines coherent from now on; `watching` is notified of every line that leaves. `answers`:
  /// owners answer requesters, so exclusive lines do not leave silently.
  void keep_coherent(snooper& watching, bool answers = false) noexcept {
    watching_ = &watching;
    answers_ = answers;
  }
  struct surrendered {
    line_right kept = line_right::none;
    bool dirty = false;  ///< `into` has bytes that memory may not have.
    bool held = false;   ///< `into` has the line.
  };
  /// A probe of the directory: keep at most this right to the line, and return the rest.
  surrendered surrender(std::uint64_t address, line_right keep, std::span<std::byte> into);
  /// With a directory: changes all lines in flight to this cache or to memory, without time.
  void change_on_way(overwrite const& written) noexcept;
  /// The same for the lines that are here; L1s lose them.
  void change_here(overwrite const& written);

  /// Would look_up() find it? Neither a use nor a miss.
  [[nodiscard]] bool has(std::uint64_t address, bool for_store) const noexcept {
    line_index const line = lines_.find(address);
    return line != no_line && !(for_store && lines_.state(line) == shared);
  }

  /// Like look_up(), but for an observer: no use, no count, no miss.
  [[nodiscard]] probed probe(std::uint64_t address) noexcept;

  /// The byte at this address if its line is in flight to memory; null otherwise.
  [[nodiscard]] std::byte* leaving(std::uint64_t address) noexcept;
  /// If the line is in flight, to here or to memory: `then` happens when it has arrived. False: it is not in flight.
  [[nodiscard]] bool wait_for(std::uint64_t address, event& then);
  /// Writes within an absent line, without time. True: the line is in flight to memory and includes the write; false:
  /// the caller writes the memory. A line in flight to here includes it as well.
  [[nodiscard]] bool write_absent(std::uint64_t address, std::span<std::byte const> from);

  /// Bits of the caches above that may hold the line. Null: the line is absent, so none does.
  [[nodiscard]] std::uint64_t* sharers(std::uint64_t address) noexcept {
    line_index const line = lines_.find(address);
    return line == no_line ? nullptr : &lines_.metadata(line);
  }

  /// Is the line dirty, or in flight to memory?
  [[nodiscard]] bool leaves(std::uint64_t line) {
    return probe(line).line_state == dirty || departure_of(line) != nullptr;
  }
  /// Writes a dirty line back and keeps it, clean. `done` happens when memory has it; at once (by the calendar) if it
  /// is clean.
  void write_back_line(std::uint64_t address, event& done);
  /// Drops a line, dirty or not.
  void drop_line(std::uint64_t address);
  /// Before anything is done: it has the lines of that cache, which has the same shape, with bytes from `bytes_of`.
  template <class BytesOf>
  void warm(cache_array& from, BytesOf&& bytes_of) {
    lines_.take_tags(from);
    for (line_index line = 0; line < lines_.lines(); ++line) {
      if (lines_.state(line) == invalid) continue;
      // The bytes are looked for where they would be without this line.
      std::uint8_t const state = std::exchange(lines_.state(line), std::uint8_t{invalid});
      std::memcpy(lines_.data(line).data(), bytes_of(lines_.address_of(line)), lines_.data(line).size());
      lines_.state(line) = state;
    }
  }
  /// The array, for a second controller: lines whose type is not `cacheable` belong to that controller.
  [[nodiscard]] cache_array& array() noexcept { return lines_; }
  /// Evicts a line, to memory if necessary, so that the line can get another type.
  void vacate(line_index line);
  /// Like drop_line() for [address, address + bytes), whole lines that are no longer needed. Write-backs in flight are
  /// discarded, too; with a directory, use change_on_way() for that.
  void forget(std::uint64_t address, std::uint64_t bytes);

  // Operations on [address, address + bytes); each visited line takes `line_ps`.
  [[nodiscard]] task<> write_back(std::uint64_t address, std::size_t bytes, picoseconds line_ps);
  [[nodiscard]] task<> invalidate(std::uint64_t address, std::size_t bytes, picoseconds line_ps);
  [[nodiscard]] task<> flush(std::uint64_t address, std::size_t bytes, picoseconds line_ps);

  [[nodiscard]] statistics const& counted() const noexcept { return counted_; }
  /// From now on, every completed miss is logged.
  void set_log(activity_log* log, std::uint32_t tile) noexcept { activity_ = {log, tile}; }

 private:
  /// Bytes written to a line in flight.
  struct patch {
    std::uint64_t offset = 0;
    std::vector<std::byte> data;
  };
  /// A line being fetched.
  struct miss : event, line_fetch {
    explicit miss(l2_private& owner_) : event([](event& self) { static_cast<miss&>(self).arrived(); }), owner(owner_) {}
    void arrived();
    l2_private& owner;
    std::vector<std::byte> data;
    std::vector<event*> waiting;
    std::vector<patch> written;  ///< Written to the line meanwhile.
    bool is_prefetch = false;    ///< Nobody has asked for it yet.
    picoseconds begun = 0;
  };
  /// A line in flight to memory.
  struct departure : event {
    explicit departure(l2_private& owner_)
        : event([](event& self) { static_cast<departure&>(self).acknowledged(); }), owner(owner_) {}
    void acknowledged();
    l2_private& owner;
    std::uint64_t address = 0;
    std::vector<event*> waiting;     ///< Notified at the acknowledgement.
    bool again = false;              ///< It became dirty and left again: `data` is sent after the acknowledgement.
    bool kept = false;               ///< The line is still cached.
    bool clean = false;              ///< Memory has these bytes.
    bool unwanted = false;           ///< Its page was discarded meanwhile: memory reads as zero there.
    std::vector<std::byte> data;     ///< Final contents of memory.
    miss* fetch_after = nullptr;     ///< A waiting miss on the same line.
    departure* next_like = nullptr;  ///< In its list.
  };
  static constexpr std::size_t departure_lists = 256;

  [[nodiscard]] bool coherent() const noexcept { return watching_ != nullptr; }
  void perform_stores() const {
    if (stores_ != nullptr) stores_->perform();
  }
  /// `kept`: the line stays, clean.
  void send_back(line_index line, bool kept, event* done);
  void back_invalidate(line_index line);
  miss& take_miss(std::uint64_t address);
  void begin(miss& begun);
  /// Head of the list of departures with such an address.
  [[nodiscard]] departure*& departures_like(std::uint64_t line) noexcept {
    return departures_[line / shape().line_bytes % departure_lists];
  }
  /// The departure of a line address, or null.
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
  pending_stores* stores_ = nullptr;
  bool answers_ = false;       ///< The directory forwards requests to this cache.
  std::vector<miss*> misses_;  ///< Few: one for each waiting client.
  std::array<departure*, departure_lists> departures_{};
  std::deque<miss> all_misses_;
  std::vector<miss*> spare_misses_;
  std::deque<departure> all_departures_;
  std::vector<departure*> spare_departures_;
  std::vector<std::uint8_t> unused_;  ///< By line: 1 if it was prefetched and not used. Empty: nothing is prefetched.
  std::uint32_t prefetches_max_ = 0;
  std::uint32_t prefetches_coming_ = 0;
  std::vector<miss_observer*> observers_;
  statistics counted_;
  activity_source activity_;
};

}  // namespace tess::machine
