// forwarding_directory: orders the requests for each line of its home, and has its owner answer the requester (MESI).
//
//   A request for a line takes three messages: to the home, from there to the cache that owns the line or to the
//   memory, and with the line to the requester. Whoever must lose the line acknowledges to the requester. The directory
//   notes the new owner or sharer at once and goes on with the next request, of this line or another; whatever follows
//   from the order is sorted out by the caches (line_client). Only two things block a line: an owner that becomes a
//   sharer, until what it had written has come for the memory; and a transfer (DMA) that writes, until all caches have
//   surrendered the line. Shared lines leave caches silently: the recorded sharers may be too many, never too few.
//   Owners tell: the recorded owner always has the line, or it is on its way to it.
//
// Units     picoseconds. A line is identified by its cached global address.
// Cost      a hash look-up per request; a full map, which takes no simulated memory.
// Threads   one.
// Source    D. Sorin, M. Hill, D. Wood, "A Primer on Memory Consistency and Cache Coherence" (2011), chapter 8.4.
// Test      tests/machine/coherence.
#pragma once

#include <deque>
#include <unordered_map>
#include <vector>

#include "machine/memory/directory.hpp"

namespace tess::machine {

/// What a forwarding directory sends to others.
class home_carrier {
 public:
  virtual ~home_carrier() = default;
  /// To the cache of `probe.target`. `probe.done` happens at the tile `answered_at` when the answer is there: `data` is
  /// what the cache had written, if `bytes` is not 0.
  virtual void send_probe(transaction& probe, std::uint32_t answered_at) = 0;
  /// Reads or writes the memory for a request: its answer may leave when `finished` happens. The request may be passed
  /// on. In order with write_line().
  virtual void serve_memory(transaction& request, event& finished) = 0;
  virtual void write_line(std::uint64_t address, std::span<std::byte const> line) = 0;
};

class forwarding_directory final : public directory {
 public:
  forwarding_directory(kernel& k, home_carrier& by, picoseconds look_up_ps, std::uint64_t line_bytes)
      : directory(k, look_up_ps, line_bytes), by_(by) {}

  /// A read (of a cache with the right that it wants, of a transfer with none) or a write (of a line that a cache had,
  /// of zero bytes if it is clean; or of a transfer) of bytes within a line. `finished` is called directly when the
  /// answer may be sent: `right` is then granted, `to_expect` set, and `bytes` is 0 if the cache has the data already;
  /// or when the request may be passed on (`remote_outcome::passed_on`).
  void serve(transaction& request, event& finished);
  /// What an owner has given to a reader has come.
  void was_copied(transaction const& told);

  [[nodiscard]] std::uint32_t owner_of(std::uint64_t address) const override {
    auto const found = lines_.find(line_of(address));
    return found == lines_.end() ? nobody : found->second.owner;
  }

 private:
  struct visit;
  struct sharer {
    std::uint32_t tile = nobody;
    std::uint64_t number = 0;  ///< The number of the request that made it one.
  };
  enum class blocked_by : std::uint8_t { nothing, copy, transfer };
  struct line {
    std::uint32_t owner = nobody;
    std::uint64_t owner_number = 0;
    std::vector<sharer> sharers;
    blocked_by blocked = blocked_by::nothing;
    picoseconds since = 0;      ///< When it was blocked.
    visit* transfer = nullptr;  ///< That blocks it.
    std::uint32_t missing = 0;  ///< Answers for the transfer.
    std::deque<visit*> waiting;
  };
  /// A request, from its arrival until it is answered or passed on.
  struct visit : event {
    explicit visit(forwarding_directory& owner_)
        : event([](event& self) { static_cast<visit&>(self).owner.enter(static_cast<visit&>(self)); }), owner(owner_) {}
    forwarding_directory& owner;
    transaction* request = nullptr;
    event* finished = nullptr;
    line* of = nullptr;
    picoseconds since = 0;  ///< When it began to wait.
  };

  void enter(visit& v);
  void begin(visit& v);
  void read_shared(visit& v);
  void read_exclusive(visit& v);
  void write_transfer(visit& v);
  void take_back(visit& v);
  void forward(visit& v);
  void send(line& of, std::uint64_t address, sharer const& to, transaction const* requester);
  void answered(probe& of) override;
  void end_transfer(line& of);
  void from_memory(visit& v);
  void finish(visit& v);
  void block(line& of, blocked_by what);
  void free(line& of);

  home_carrier& by_;
  std::unordered_map<std::uint64_t, line> lines_;
  pool<visit> visits_;
};

}  // namespace tess::machine
