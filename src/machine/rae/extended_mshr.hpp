// extended_mshr: lines that the network interface is fetching, and the requests that wait for each.
//
//   A main entry is a line; its sub-entries are the requests for words of that line, each with a 4-bit operation. The
//   entry's W bit says that one of them writes. Sub-entries are freed with their main entry only. So an entry ends
//   after at most `sub_entries` operations.
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
    waits,    ///< For its turn to request the line: it is new.
    takes,    ///< The L2 looks the line up.
    reads,    ///< The L2 fetches the line.
    answers,  ///< The line has arrived: requests are being answered.
  };

  main_entry(handler happens_, class l2_interface* owner_) : event(happens_), owner(owner_) {}

  class l2_interface* owner;
  step is = step::free;
  std::uint64_t address = 0;
  bool writes = false;  ///< The W bit.
  std::uint32_t joined = 0;
  picoseconds ends = 0;             ///< When the last answer leaves.
  std::vector<sub_entry> requests;  ///< Requests that wait for the line.
};

class extended_mshr {
 public:
  /// `happens` is the handler of every entry; `owner` is available to it.
  extended_mshr(std::uint32_t main_entries, std::uint32_t sub_entries, event::handler happens, l2_interface* owner);

  /// The entry of a line, or null.
  [[nodiscard]] main_entry* find(std::uint64_t line) noexcept;
  /// Allocates an entry for this line; null: there is none.
  [[nodiscard]] main_entry* take(std::uint64_t line);
  void free(main_entry& done) noexcept;

  /// Is there room for one more request?
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
