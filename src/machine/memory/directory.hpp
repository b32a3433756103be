// directory: who has which line of a memory, and whose turn it is: MESI, one request for a line at a time.
//
//   It stands beside its memory's port: all that goes to the DDR from outside comes by here, so data need no further
//   way, and a line's home is where its bytes are. A cache asks to read or to write a line; the directory tells those
//   that have it to give it up or to share it, takes what they have written, gives the line, and lets nobody else near
//   it until the cache says that it has come (unblock). So a probe never meets a line on its way, and a cache answers
//   every probe at once. Requests for a line that is taken wait here in the order in which they came; they are as many
//   as the adapters of all tiles may have under way.
//   Clean lines leave caches silently: what the books say of them may be too much, never too little. A line written
//   back by who is no longer its owner is old, and dropped. What a probe brings goes to the memory as well, so memory
//   has every line that is not exclusive somewhere. Transfers (DMA) read and write through the directory, as a cache
//   that keeps nothing.
//
// Units     bytes, picoseconds. A line is known by its cached global address.
// Cost      a hash look-up a request; books of a full map, which take no simulated memory.
// Threads   one.
// Source    D. Sorin, M. Hill, D. Wood, "A Primer on Memory Consistency and Cache Coherence" (2011), chapter 8; the
//           baseline of CNI (IJPP 2012), section 5. Test: tests/machine/coherence.
#pragma once

#include <deque>
#include <unordered_map>
#include <vector>

#include "machine/adapter/transaction.hpp"
#include "machine/cache/overwrite.hpp"
#include "machine/kernel/kernel.hpp"
#include "machine/memory/memory_port.hpp"

namespace tess::machine {

/// How a directory reaches the caches.
class probe_sender {
 public:
  virtual ~probe_sender() = default;
  /// `probe.done` happens when the cache of tile `probe.target` has answered: `right` is then what it has kept, and
  /// `data` what it had written, if `bytes` is not 0.
  virtual void send_probe(transaction& probe) = 0;
};

class directory {
 public:
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};
  struct statistics {
    std::uint64_t requests = 0;       ///< For lines, and lines written back; transfers, too.
    std::uint64_t waited = 0;         ///< Of these, found their line taken.
    picoseconds wait_ps = 0;          ///< Until it was theirs, together.
    picoseconds taken_ps = 0;         ///< In which lines were taken, together.
    std::uint64_t forwards = 0;       ///< Probes of owners,
    std::uint64_t supplied = 0;       ///< and those that brought the line.
    std::uint64_t invalidations = 0;  ///< Probes of sharers.
    std::uint64_t write_backs = 0;    ///< Lines that caches wrote back,
    std::uint64_t stale = 0;          ///< and of these, by who was no longer their owner.
  };
  /// Who has a line, as far as the directory knows: an owner, or sharers, or nobody.
  struct books {
    std::uint32_t owner = nobody;
    std::vector<std::uint32_t> sharers;
  };

  directory(kernel& k, memory_port& memory, probe_sender& caches, picoseconds look_up_ps, std::uint64_t line_bytes)
      : kernel_(k), memory_(memory), caches_(caches), look_up_ps_(look_up_ps), line_bytes_(line_bytes) {}
  directory(directory const&) = delete;
  directory& operator=(directory const&) = delete;

  /// A read (a cache's with the right that it wants, a transfer's with none) or a write (of a line that a cache had, or
  /// of a transfer) of bytes within a line, at `offset` of the memory. `finished` happens, without the calendar, when
  /// it may be answered: `right` is then granted, and `bytes` are 0 if the cache has what it needs.
  void serve(transaction& asked, std::uint64_t offset, event& finished);
  /// A line that was given to a cache is there.
  void unblocked(std::uint64_t address);

  /// Of the line of an address.
  [[nodiscard]] books const& of(std::uint64_t address) const {
    static books const nobodys;
    auto const found = lines_.find(line_of(address));
    return found == lines_.end() ? nobodys : found->second;
  }
  /// The line as its owner has given it up, if that is still on its way here; null: it is not.
  [[nodiscard]] std::byte* in_answer(std::uint64_t address) noexcept;
  /// To all answers on their way here, without time.
  void change_on_way(overwrite const& written) noexcept;
  [[nodiscard]] statistics const& counted() const noexcept { return counted_; }

 private:
  struct visit;
  struct line : books {
    visit* taken_by = nullptr;
    std::deque<visit*> waiting;
  };
  /// A request, from its arrival until its line is free again.
  struct visit : event {
    explicit visit(directory& owner_) : event(nullptr), owner(owner_) {}
    directory& owner;
    transaction* asked = nullptr;
    event* finished = nullptr;
    std::uint64_t offset = 0;
    line* of = nullptr;
    picoseconds since = 0;      ///< When it began to wait, or took its line.
    std::uint32_t missing = 0;  ///< Answers, and the memory's.
    bool held = false;          ///< The cache has the bytes,
    bool supplied = false;      ///< or they are in `asked`, or will be.
  };
  /// What is asked of a cache.
  struct probe : event {
    explicit probe(directory& owner_)
        : event([](event& self) { static_cast<probe&>(self).owner.answered(static_cast<probe&>(self)); }),
          owner(owner_) {}
    directory& owner;
    transaction sent;
    visit* by = nullptr;
  };

  [[nodiscard]] std::uint64_t line_of(std::uint64_t address) const noexcept { return address & ~(line_bytes_ - 1); }
  /// Of the line's first byte in the memory.
  [[nodiscard]] std::uint64_t line_offset(visit const& v) const noexcept {
    return v.offset - v.asked->address % line_bytes_;
  }
  void enter(visit& v);
  void begin(visit& v);
  void take_back(visit& v);
  void send(visit& v, std::uint32_t tile, line_right keep);
  void answered(probe& of);
  void read_memory(visit& v);
  void one_less(visit& v);
  void finish(visit& v);
  void grant(visit& v);
  void free(line& of);

  kernel& kernel_;
  memory_port& memory_;
  probe_sender& caches_;
  picoseconds look_up_ps_;
  std::uint64_t line_bytes_;
  std::unordered_map<std::uint64_t, line> lines_;
  std::deque<visit> all_visits_;
  std::vector<visit*> spare_visits_;
  std::deque<probe> all_probes_;
  std::vector<probe*> spare_probes_;
  event nothing_{[](event&) {}};
  statistics counted_;
};

}  // namespace tess::machine
