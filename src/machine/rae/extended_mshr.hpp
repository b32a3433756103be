// extended_mshr: lines on their way to the network interface, and the requests that wait for each of them.
//
//   A main entry is a line; its sub-entries are the requests for words of that line, each with an operation of four
//   bits. The entry's W bit says that one of them writes. A sub-entry is used again with its main entry, not before: so
//   an entry ends after `sub_entries` operations at the latest, and who waits for the line waits no longer.
//
// Shapes    entries: [main_entries], each of up to sub_entries requests.
// Cost      find() compares all entries in use; nothing allocates after construction.
// Threads   one.
// Source    RAE, section 3: 64 main entries of 64 sub-entries, an operation of 4 bits, a W bit.
#pragma once

#include <deque>
#include <vector>

#include "machine/kernel/event.hpp"
#include "machine/rae/operation_map.hpp"

namespace tess::machine {

struct sub_entry {
  transaction* access = nullptr;
  event* finished = nullptr;
  interface_operation operation = interface_operation::load;
};

struct main_entry : event {
  enum class step : std::uint8_t {
    free,
    waits,    ///< For its turn to ask: it has begun, or its line is on its way to the core's L2, or to memory.
    takes,    ///< The line from the core's caches.
    reads,    ///< The line from memory.
    answers,  ///< The line is here: its requests are being answered.
  };

  main_entry(handler happens_, class atomics_interface* owner_) : event(happens_), owner(owner_) {}
  /// The line is this entry's alone: neither in the core's caches, nor is what memory has the newest.
  [[nodiscard]] bool owns() const noexcept { return owned && (is == step::reads || is == step::answers); }

  class atomics_interface* owner;
  step is = step::free;
  std::uint64_t address = 0;
  bool writes = false;  ///< The W bit.
  bool owned = true;    ///< False: a copy of what the core's caches have, for loads alone.
  bool closed = false;  ///< No request joins any more: somebody waits for the line.
  bool dirty = false;   ///< Memory has not got what is in `line`.
  std::uint32_t joined = 0;
  picoseconds ends = 0;  ///< When the last answer leaves.
  std::vector<std::byte> line;
  std::vector<sub_entry> requests;  ///< For which the line is not here yet.
  std::vector<event*> claims;       ///< Who waits for the line.
};

class extended_mshr {
 public:
  /// `happens` is that of every entry, as an event; `owner` is for it to find.
  extended_mshr(std::uint32_t main_entries, std::uint32_t sub_entries, std::uint64_t line_bytes, event::handler happens,
                atomics_interface* owner);

  /// The one in use for a line, or null.
  [[nodiscard]] main_entry* find(std::uint64_t line) noexcept;
  /// A free one, now in use for this line; null: there is none.
  [[nodiscard]] main_entry* take(std::uint64_t line);
  void free(main_entry& done) noexcept;

  /// It has room for one more request.
  [[nodiscard]] bool has_room(main_entry const& in) const noexcept { return in.joined < sub_entries_; }
  [[nodiscard]] std::size_t in_use() const noexcept { return used_.size(); }
  [[nodiscard]] std::vector<main_entry*> const& used() const noexcept { return used_; }

 private:
  std::uint32_t sub_entries_;
  std::deque<main_entry> entries_;
  std::vector<main_entry*> spare_;
  std::vector<main_entry*> used_;
};

}  // namespace tess::machine
