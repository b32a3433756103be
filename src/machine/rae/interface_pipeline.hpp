// interface_pipeline: the network interface of RAE, clocked: each step is one cycle of rtl/rae, register by register.
//
//   Requests wait in the queue while their packets are decoded. The head's tag is read from the interface cache; in
//   the look-up that follows it is compared, and so are the lines of all main entries. A hit goes to the interface
//   core. A request for a line on its way joins its main entry as a sub-entry. Otherwise a main entry fetches the line.
//   The core does one thing at a time: an operation on a line of the cache, or the operations of an entry whose line
//   has come, and then the line's return to cache or memory, or the release of a claimed line. Look-ups rest while
//   lines change their place, and operations on the cache that were decided before are done first. So what a look-up
//   has seen stays true until its operation is done.
//
//   A request that finds no entry waits at the head of the queue until an entry ends.
//
// Units     cycles; offsets in the node's partition.
// Cost      a step is a few tens of instructions; a look-up compares the lines of all entries in use.
// Threads   one.
// Source    RAE, section 3; docs/machine/rae.md lists the differences.
// Test      tests/machine/rtl compares it with the hardware in each cycle.
#pragma once

#include <array>
#include <vector>

#include "machine/cache/zeroed_array.hpp"
#include "machine/rae/interface_unit.hpp"
#include "machine/rae/operation_map.hpp"

namespace tess::machine {

class interface_pipeline final : public interface_unit {
 public:
  explicit interface_pipeline(interface_parameters const& parameters);

  void step(interface_inputs const& in) override;
  [[nodiscard]] bool writes(std::uint32_t entry) noexcept override { return entries_[entry].writes; }
  [[nodiscard]] std::byte* line_of(std::uint64_t line) noexcept override;
  void each_line(std::uint64_t address, std::uint64_t bytes, std::function<void(std::span<std::byte>)> call) override;

 private:
  static constexpr std::size_t hits_max = 4;
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  /// A request whose operation is known.
  struct request {
    interface_operation operation = interface_operation::load;
    bool wrong = false;
    std::uint8_t size = 0;
    std::uint32_t tag = 0;
    std::uint64_t address = 0;
    std::uint64_t operand = 0;
    std::uint64_t expected = 0;
  };
  struct queued_request {
    request what;
    std::uint64_t decoded = 0;  ///< The first cycle in which its tag may be read.
  };
  struct main_entry {
    bool used = false;
    bool owned = false;    ///< Only this entry has the line.
    bool closed = false;   ///< No more requests may join.
    bool claimed = false;  ///< A claim waits until it ends.
    bool writes = false;   ///< The W bit.
    std::uint64_t line = 0;
    std::vector<request> requests;  ///< The sub-entries.
  };
  struct tag_word {
    std::uint64_t line;
    bool valid;
    bool dirty;
  };
  struct hit {
    request what;
    std::uint32_t index = 0;  ///< Its line's, in the interface cache.
  };
  enum class state : std::uint8_t {
    idle,       ///< Begins what is next.
    hit,        ///< An operation on a line of the cache.
    walk,       ///< Takes the next request of the entry; if there is none, its line is returned.
    step,       ///< An operation on the entry's line.
    replace,    ///< The line that must leave the cache for the entry's goes to memory if it has changed.
    keep,       ///< The entry's line goes into the cache.
    give_back,  ///< The entry's line goes to memory.
    release,    ///< A claimed line leaves the cache.
  };

  [[nodiscard]] std::uint64_t line_of_address(std::uint64_t address) const noexcept { return address & ~line_mask_; }
  [[nodiscard]] std::uint32_t index_of(std::uint64_t line) const noexcept {
    return static_cast<std::uint32_t>(line >> line_shift_) & (parameters_.cache_lines - 1);
  }
  /// Lines of the cache, then those of the entries.
  [[nodiscard]] std::byte* line_at(std::uint32_t index) noexcept { return &lines_[std::size_t{index} << line_shift_]; }
  [[nodiscard]] std::byte* entry_line(std::uint32_t entry) noexcept { return line_at(parameters_.cache_lines + entry); }
  [[nodiscard]] bool in_cache(std::uint64_t line) const noexcept {
    tag_word const& tag = tags_[index_of(line)];
    return tag.valid && tag.line == line;
  }
  [[nodiscard]] std::uint32_t entry_of(std::uint64_t line) const noexcept;
  [[nodiscard]] request mapped(interface_request const& packet) const noexcept;

  void look_up(std::size_t hits_before, bool store_waited);
  void join(std::uint32_t entry);
  void wait();
  void leave_queue();
  void run(interface_inputs const& in, std::size_t hits_before);
  void begin_hit();
  /// False: the previous answer is still there.
  [[nodiscard]] bool carry_out(request const& what, std::byte* line);
  void walk(std::size_t hits_before);
  void release_claim();
  void store(std::uint64_t line, std::byte const* bytes);
  void end_entry();
  void drive() noexcept;

  interface_parameters parameters_;
  std::uint64_t line_mask_;
  unsigned line_shift_;
  std::uint64_t cycle_ = 0;  ///< Steps; only differences matter.

  std::vector<queued_request> queue_;  ///< A ring.
  std::size_t queue_head_ = 0;
  std::size_t queued_ = 0;
  std::uint64_t all_decoded_ = 0;  ///< The cycle in which the last packet will be.
  std::uint32_t look_up_ = 0;      ///< Cycles that are left of the head's look-up; 0: its tag has not been read.
  bool blocked_ = false;           ///< The head waits until an entry ends,
  bool waited_ = false;            ///< and has been counted.

  std::vector<main_entry> entries_;
  std::vector<std::uint32_t> used_;  ///< Entries in use, in no order.
  zeroed_array<tag_word> tags_;
  zeroed_array<std::byte> lines_;
  std::array<hit, hits_max> hits_;  ///< A ring.
  std::size_t hits_head_ = 0;
  std::size_t hits_count_ = 0;

  state state_ = state::idle;
  hit hit_;                        ///< That is done.
  std::uint32_t left_ = 0;         ///< Cycles of the operation.
  bool active_ = false;            ///< An entry has its line:
  std::uint32_t entry_ = 0;        ///< this one,
  std::size_t served_ = 0;         ///< and this many of its requests have been done.
  bool hit_was_last_ = false;      ///< Then lines have precedence.
  bool claim_ = false;             ///< There is a claim:
  bool claim_waits_ = false;       ///< for an entry to end;
  bool claim_takes_ = false;       ///< others will own or write
  std::uint64_t claim_line_ = 0;   ///< this line.
  bool claim_ends_ = false;        ///< Its end waits until memory has taken a line.
  bool claim_ended_ = false;       ///< In this cycle.
  std::vector<std::byte> stored_;  ///< The line that is offered to memory.
};

}  // namespace tess::machine
