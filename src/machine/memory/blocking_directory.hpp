// blocking_directory: serves the requests for a line one after another, and passes all data.
//
//   It sits beside its memory's port: every access to the DDR from outside passes it, so data needs no extra hop, and a
//   line's home is where its bytes are. A cache requests a line for reading or writing. The directory probes the caches
//   that have it to surrender or share it, collects written data, grants the line, and blocks other requests for it
//   until the cache reports its arrival (unblock). So a probe never meets a line in flight, and a cache answers every
//   probe at once. Requests for a blocked line wait here in order of arrival; the adapters limit their number. Clean
//   lines leave caches silently: the recorded sharers may be too many, never too few. A write-back from a cache that no
//   longer owns the line is stale and is dropped. Data from a probe is also written to memory, so memory has every line
//   that is not exclusive. Transfers (DMA) read and write through the directory, as a cache that keeps nothing.
//
// Units     bytes, picoseconds. A line is identified by its cached global address.
// Cost      a hash look-up per request; a full map, which takes no simulated memory.
// Threads   one.
// Source    D. Sorin, M. Hill, D. Wood, "A Primer on Memory Consistency and Cache Coherence" (2011), chapter 8; the
//           baseline of CNI (IJPP 2012), section 5.
// Test      tests/machine/coherence.
#pragma once

#include <deque>
#include <unordered_map>
#include <vector>

#include "machine/memory/directory.hpp"
#include "machine/memory/memory_port.hpp"

namespace tess::machine {

/// The directory's access to the caches.
class probe_sender {
 public:
  virtual ~probe_sender() = default;
  /// `probe.done` happens when the cache of tile `probe.target` has answered: `right` is what it has kept, and `data`
  /// what it had written, if `bytes` is not 0.
  virtual void send_probe(transaction& probe) = 0;
};

class blocking_directory final : public directory {
 public:
  /// The caches that have a line, as far as the directory knows: an owner, sharers, or none.
  struct books {
    std::uint32_t owner = nobody;
    std::vector<std::uint32_t> sharers;
  };

  blocking_directory(kernel& k, memory_port& memory, probe_sender& caches, picoseconds look_up_ps,
                     std::uint64_t line_bytes)
      : directory(k, look_up_ps, line_bytes), memory_(memory), caches_(caches) {}

  /// A read (of a cache with the right that it wants, of a transfer with none) or a write (of a line that a cache had,
  /// or of a transfer) of bytes within a line, at `offset` of the memory. `finished` is called directly when the answer
  /// may be sent: `right` is then granted, and `bytes` is 0 if the cache has the data already.
  void serve(transaction& request, std::uint64_t offset, event& finished);
  /// A granted line has arrived.
  void unblocked(std::uint64_t address);

  /// The record of an address's line.
  [[nodiscard]] books const& of(std::uint64_t address) const {
    static books const nobodys;
    auto const found = lines_.find(line_of(address));
    return found == lines_.end() ? nobodys : found->second;
  }
  [[nodiscard]] std::uint32_t owner_of(std::uint64_t address) const override { return of(address).owner; }

 private:
  struct visit;
  struct line : books {
    visit* taken_by = nullptr;
    std::deque<visit*> waiting;
  };
  /// A request, from its arrival until its line is unblocked.
  struct visit : event {
    explicit visit(blocking_directory& owner_) : event(nullptr), owner(owner_) {}
    blocking_directory& owner;
    transaction* request = nullptr;
    event* finished = nullptr;
    std::uint64_t offset = 0;
    line* of = nullptr;
    picoseconds since = 0;      ///< When it began to wait, or blocked its line.
    std::uint32_t missing = 0;  ///< Outstanding answers, including the memory's.
    bool held = false;          ///< The cache has the bytes,
    bool supplied = false;      ///< or they are, or will be, in the request.
  };

  /// Offset of the line's first byte in the memory.
  [[nodiscard]] std::uint64_t line_offset(visit const& v) const noexcept {
    return v.offset - v.request->address % line_bytes_;
  }
  void enter(visit& v);
  void begin(visit& v);
  void take_back(visit& v);
  void send(visit& v, std::uint32_t tile, line_right keep);
  void answered(probe& of) override;
  void read_memory(visit& v);
  void one_less(visit& v);
  void finish(visit& v);
  void grant(visit& v);
  void free(line& of);

  memory_port& memory_;
  probe_sender& caches_;
  std::unordered_map<std::uint64_t, line> lines_;
  pool<visit> visits_;
  event nothing_{[](event&) {}};
};

}  // namespace tess::machine
