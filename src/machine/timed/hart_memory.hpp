// hart_memory: the memory of a hart with time: its two L1s, and the policy by which the engine accesses them.
//
//   In front of each L1 is a table from the program's line addresses to L1 lines, so that a hit costs two comparisons.
//   An entry exists only while its line is in the L1 and the program may read it. A hit or a miss is served in place if
//   no event of the machine comes before it (docs/internals/machine.md, 3): then the result cannot differ from that at
//   kernel time. A store to a line of the TLM that no other L1 has goes to the write buffer with its turn, and the hart
//   runs on. The store happens when kernel time, or another access on the tile's bus, has come to this turn. The hart's
//   own L1 has the value at once, as RVWMO allows; operations that it must precede (fences, atomics, misses) are done
//   at kernel time. For everything else, such as a line fetch or an access to another tile, the hart stops. L1s replace
//   the line that was filled longest ago (LRR, an option of LEON3): a hit changes no state.
//
// Units     program addresses outside, global ones inside; cycles of the tile's clock.
// Threads   one.
// Source    RISC-V Unprivileged ISA 20191213, chapter 14 (RVWMO).
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "machine/cache/copy_line.hpp"
#include "machine/cache/stride_prefetcher.hpp"
#include "machine/hart/memory_policy.hpp"
#include "machine/mmu/translation.hpp"
#include "machine/profile/call_profile.hpp"
#include "machine/tile/tile.hpp"
#include "machine/timed/page_rights.hpp"

namespace tess::machine {

class hart_memory {
 public:
  // The memory policy (memory_policy.hpp).
  static constexpr bool timed = true;
  static constexpr bool in_place_atomics = false;

  struct statistics {
    std::uint64_t loads = 0;
    std::uint64_t stores = 0;
    std::uint64_t load_misses = 0;
    std::uint64_t fetch_misses = 0;
    std::uint64_t store_wait_cycles = 0;  ///< For a free entry of the write buffer.
    std::uint64_t tlm_loads = 0;          ///< Lines of the L1-D from the tile-local memory,
    std::uint64_t tlm_fetches = 0;        ///< and of the L1-I.
    std::uint64_t other_stores = 0;       ///< Stores to anything else, without those done in place.
    std::uint64_t stores_in_place = 0;    ///< Stores of `in_place`'s kind, which are not in it,
    std::uint64_t tlm_in_place = 0;       ///< and those of them to the tile-local memory.
    std::uint64_t in_place = 0;           ///< Accesses that missed the L1 and did not stop the hart.
    std::uint64_t itlb_misses = 0;        ///< With [mmu], as all that follow.
    std::uint64_t dtlb_misses = 0;
    std::uint64_t l2_tlb_misses = 0;
    std::uint64_t page_walks = 0;
    std::uint64_t walk_cycles = 0;  ///< Until their last entry was read.
    std::uint64_t page_faults = 0;  ///< Walks that ended at a page without memory, which then got some.
  };

  /// `tables`: of the program, whose addresses are translated; null: they are those of the window.
  hart_memory(machine_description const& description, tile& at, local_window const& window, page_rights const& rights,
              page_tables* tables);
  hart_memory(hart_memory const&) = delete;
  hart_memory& operator=(hart_memory const&) = delete;

  /// Replaces what the hart's posted stores to these bytes of the TLM will write.
  void overlay_posted(std::byte const* at, std::span<std::byte> bytes) const noexcept { buffer_.overlay(at, bytes); }
  /// The run ends before this cycle: no store is posted, and no block begun, from then on.
  void end_at(std::uint64_t cycle) noexcept { ends_at_ = cycle; }
  /// The hart's rank as an event.
  void set_rank(std::uint32_t of_hart) noexcept { buffer_.rank = of_hart; }
  [[nodiscard]] std::byte* fast() noexcept { return reinterpret_cast<std::byte*>(this); }  // NOLINT
  [[nodiscard]] statistics const& counted() const noexcept { return counted_; }
  /// Its stores to the tile-local memory. Nothing is counted for them alone where they are done.
  [[nodiscard]] std::uint64_t tlm_stores() const noexcept {
    return counted_.stores - counted_.other_stores - (counted_.stores_in_place - counted_.tlm_in_place);
  }

  template <class T>
  [[gnu::always_inline]] static bool load(hart& h, inst const* i, std::byte* fast, std::uint64_t address,
                                          T& value) noexcept {
    hart_memory& m = of(fast);
    std::uint64_t const line = address >> m.data_shift_;
    load_entry const& entry = m.loads_[line % load_entries];
    if (((entry.line ^ line) | (address & (sizeof(T) - 1))) != 0 || h.now(i) >= m.hits_until_) [[unlikely]]
      return false;
    ++m.counted_.loads;
    std::memcpy(&value, entry.data + (address & m.data_mask_), sizeof(T));
    return true;
  }
  template <class T>
  static bool load_slowly(hart& h, inst const* i, std::byte* fast, std::uint64_t address, T& value) noexcept {
    return of(fast).load_in_place(h, i, address, std::as_writable_bytes(std::span(&value, 1)));
  }
  // The common case: to the TLM, with no other L1 holding the line and no event before. The rest takes the slow path.
  template <class T>
  [[gnu::always_inline]] static bool store(hart& h, inst const* i, std::byte* fast, std::uint64_t address,
                                           T value) noexcept {
    hart_memory& m = of(fast);
    std::uint64_t const line = address >> m.data_shift_;
    std::uint64_t const page = address >> page_rights::page_shift;
    store_entry const& entry = m.stores_[page % store_entries];
    if (((entry.page ^ page) | (address & (sizeof(T) - 1))) != 0) [[unlikely]]
      return false;
    std::uint64_t const ends = h.now(i);
    std::uint64_t const sharers = entry.sharers[(address & page_mask) >> m.sharer_shift_];
    std::byte* const at = entry.data + (address & page_mask);
    if (!m.alone_until(ends)) return m.post<sizeof(T)>(h, i, address, static_cast<std::uint64_t>(value), at, sharers);
    load_entry const& own = m.loads_[line % load_entries];
    if (sharers != 0 && (sharers != m.buffer_.own_bit || own.line != line)) [[unlikely]]
      return false;
    m.catch_up(ends);
    std::memcpy(at, &value, sizeof(T));
    if (own.line == line) std::memcpy(own.data + (address & m.data_mask_), &value, sizeof(T));
    std::uint64_t const free = m.buffer_store(ends, sizeof(T));
    if (free != ends) [[unlikely]]
      delay(h, i, spent::buffer, free - ends);
    return true;
  }
  template <class T>
  static bool store_slowly(hart& h, inst const* i, std::byte* fast, std::uint64_t address, T value) noexcept {
    return of(fast).store_in_place(h, i, address, std::as_bytes(std::span(&value, 1)));
  }
  static bool fetch(hart& h, inst const* i, std::byte* fast, std::uint64_t address) noexcept {
    hart_memory& m = of(fast);
    std::uint64_t const line = address >> m.code_shift_;
    if (m.fetches_[line % fetch_entries] == line && h.now(i) < m.hits_until_) [[likely]]
      return true;
    return m.fetch_in_place(h, i, address);
  }

  // At kernel time, for a hart stopped with `h.request`. False: try again when `resume` happens.
  [[nodiscard]] bool serve_load(hart& h, event& resume);  ///< Also tells the prefetcher, if there is one.
  [[nodiscard]] bool serve_store(hart& h, event& resume);
  [[nodiscard]] bool serve_fetch(hart& h, event& resume);
  /// The word of an atomic, ready to be modified; then call changed(). Null: as above.
  [[nodiscard]] std::byte* serve_atomic(hart& h, event& resume);
  void changed(hart& h);

  /// Are addresses of the program translated? Then before the operations above, at kernel time:
  [[nodiscard]] bool translates() const noexcept { return mmu_.has_value(); }
  enum class progress : std::uint8_t { done, later, waits };
  /// Translates the address that the hart stopped for, as far as it can be done in this cycle. `later`: call it again
  /// at the hart's time; `waits`: when `resume` happens. After `done`, check() says whether the access is allowed.
  [[nodiscard]] progress translate(hart& h, access_right wanted, event& resume, std::uint64_t kernel_cycle);

  /// A system call of this hart has touched so many pages that had no memory.
  void system_touched(hart& h, std::uint64_t pages) noexcept {
    counted_.page_faults += pages;
    h.wait_until(h.now() + pages * mmu_->parameters.page_fault_cycles);
  }

  /// Before a run: nothing that the tile can observe happens before the cycle `horizon`, nor before the hart's turn in
  /// the kernel's cycle.
  void look_ahead(std::uint64_t horizon, std::uint64_t kernel_cycle) noexcept {
    horizon_ = std::min(horizon, tile_.posted_wakes_from());
    hits_until_ = std::max(std::min(horizon_, tile_.stores_meet_l1s_from()), kernel_cycle + 1);
  }
  // Beyond the horizon a hart may guess that lines stay in its L1s, and go on by hits (docs/internals/machine.md, 3).
  // Its stores to lines that are here are posted, and are taken back with it.
  /// From now on only hits and such stores before this cycle are done, and `by` is told before a line goes; until
  /// guess_no_more().
  void guess(guesser& by, std::uint64_t until) noexcept {
    guesses_ = buffer_.by = &by;
    horizon_ = 0;
    hits_until_ = until;
  }
  void guess_no_more() noexcept {
    guesses_ = buffer_.by = nullptr;
    guessed_.count = 0;
    guessed_.repeats = false;
  }
  /// Is the access that the hart stopped for such a hit or store, and is it allowed? Without translation.
  [[nodiscard]] bool can_guess(hart const& h) noexcept;
  /// Does it, after can_guess(). False: the hart stops for its second line.
  [[nodiscard]] bool guess_access(hart& h, event& resume);
  /// As before all guesses, when this was counted. Stores that have happened since will be repeated without effect.
  void take_back(statistics const& counted) noexcept;
  /// The cycle of the first store of a guess that is still to happen.
  [[nodiscard]] std::optional<std::uint64_t> first_guessed_store() const noexcept;
  /// Nothing is done in place from this cycle on, as if look_ahead() had said so.
  void look_no_farther_than(std::uint64_t cycle) noexcept {
    horizon_ = std::min(horizon_, cycle);
    hits_until_ = std::min(hits_until_, cycle);
  }

  /// All earlier turns on the bus, and the hart's own stores up to now, have happened.
  void catch_up() { tile_.catch_up(tile_.turn_of_hart(buffer_number_)); }

  /// Is the address's home another tile? Then the access goes to the adapter.
  [[nodiscard]] bool is_remote(std::uint64_t address) const noexcept;
  /// Is the home, where atomics are done, another tile? True for cached views of foreign partitions, too, unless a
  /// directory keeps them coherent.
  [[nodiscard]] bool is_foreign(std::uint64_t address) const noexcept;
  /// Is it a register of one of the tile's units?
  [[nodiscard]] bool is_device(std::uint64_t address) const noexcept;
  [[nodiscard]] tile::place place_of(std::uint64_t address) const noexcept { return tile_.place_of(global(address)); }
  [[nodiscard]] std::uint64_t global(std::uint64_t address) const noexcept;
  /// If the access is not allowed, stops the hart with the missing right. True: it is allowed.
  [[nodiscard]] bool check(hart& h, std::uint64_t address, std::size_t bytes, access_right wanted) const noexcept;

  /// A load from a line with events takes as long as one from the L2.
  void pass_load(hart& h);
  /// A store that goes neither to the L2 nor to the TLM uses the write buffer, too.
  void pass_store(hart& h);

  /// Waits until all stores have reached the L2 or TLM.
  void drain(hart& h) const noexcept;
  void forget_code();
  /// The L1s have the lines of these, with the bytes that the tile has now.
  void warm(cache_array const& data, cache_array const& code);
  /// Drops the table entries of these program addresses, whose rights have changed.
  void forget_range(std::uint64_t begin, std::uint64_t end) noexcept;

 private:
  /// An L1 that keeps its table of entries up to date.
  struct watched_l1 final : l1_cache {
    watched_l1(cache_shape const& shape, hart_memory& owner_, bool code_)
        : l1_cache(shape), owner(owner_), code(code_) {}
    void dropped(std::uint64_t address) noexcept override { owner.dropped(address, code); }
    void invalidate(std::uint64_t address, std::size_t bytes) override {
      bool const loses =
          owner.guesses_ != nullptr && (bytes > shape().line_bytes || has(address) || has(address + bytes - 1));
      if (loses) owner.guesses_->loses_line();
      l1_cache::invalidate(address, bytes);
    }
    hart_memory& owner;
    bool code;
  };
  struct load_entry {
    std::uint64_t line = no_entry;
    std::byte* data = nullptr;
  };
  /// A page of the TLM that the program may write.
  struct store_entry {
    std::uint64_t page = no_entry;
    std::byte* data = nullptr;
    std::uint64_t const* sharers = nullptr;  ///< Sharers of its lines, which have the L2's line size.
  };
  static constexpr std::uint64_t no_entry = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::size_t load_entries = 4096;
  static constexpr std::size_t store_entries = 256;
  static constexpr std::size_t fetch_entries = 2048;
  static constexpr std::uint64_t page_mask = (std::uint64_t{1} << page_rights::page_shift) - 1;

  static hart_memory& of(std::byte* fast) noexcept { return *reinterpret_cast<hart_memory*>(fast); }  // NOLINT

  /// `address` is the program's; `ends` the cycle. False: the write buffer is full, or a hart sleeps on a word.
  template <std::size_t bytes>
  [[gnu::always_inline]] bool post(hart& h, inst const* i, std::uint64_t address, std::uint64_t value, std::byte* at,
                                   std::uint64_t sharers) noexcept;
  bool post_of_size(hart& h, inst const* i, std::uint64_t address, std::span<std::byte const> value, std::byte* at,
                    std::uint64_t sharers) noexcept;
  bool load_in_place(hart& h, inst const* i, std::uint64_t address, std::span<std::byte> value) noexcept;
  bool store_in_place(hart& h, inst const* i, std::uint64_t address, std::span<std::byte const> value) noexcept;
  bool fetch_in_place(hart& h, inst const* i, std::uint64_t address) noexcept;
  /// Instruction i takes longer.
  static void delay(hart& h, inst const* i, spent on, std::uint64_t cycles) noexcept {
    h.left -= static_cast<std::int64_t>(cycles);
    if (h.profile != nullptr) h.profile->wait(i, on, cycles);
  }
  /// The same for what the tile's bus has moved; before it the bus had waited so many cycles for others.
  void delay_by_bus(hart& h, inst const* i, std::uint64_t cycles, std::uint64_t bus_before) noexcept {
    if (h.profile == nullptr) return delay(h, i, spent::l2, cycles);
    std::uint64_t const others = std::min(tile_.bus_wait_cycles() - bus_before, cycles);
    delay(h, i, spent::bus, others);
    delay(h, i, spent::l2, cycles - others);
  }
  void dropped(std::uint64_t address, bool code) noexcept;
  /// Like forget_range(), for addresses in the TLM.
  void forget_stores(std::uint64_t begin, std::uint64_t end) noexcept;

  /// No event of the machine comes before the end of this cycle.
  [[nodiscard]] bool alone_until(std::uint64_t cycle) const noexcept { return cycle < horizon_; }
  /// The same for an access in place.
  void catch_up(std::uint64_t cycle) { tile_.catch_up(tile::turn_of(cycle, buffer_number_)); }
  /// An own L1 has filled the line of this global address.
  void filled(std::uint64_t name, std::uint32_t l1) noexcept {
    tile_.filled(name, l1);
    hits_until_ = std::min(hits_until_, tile_.stores_meet_l1s_from());
  }
  /// A store on the bus: returns the cycle at which the hart continues, which is later only if the write buffer is
  /// full.
  std::uint64_t buffer_store(std::uint64_t ends, std::size_t bytes) noexcept {
    ++counted_.stores;
    std::uint64_t const free = std::max(buffer_.done[buffer_.next_done], ends);
    counted_.store_wait_cycles += free - ends;
    buffer_.add_done(tile_.bus(ends, bytes));
    return free;
  }
  /// With translation: may the access be done before kernel time, as its page is in the TLB?
  [[nodiscard]] bool is_translated(std::uint64_t address, bool code) const noexcept {
    if (!mmu_ || address >= sv39::user_end) return true;
    return (code ? mmu_->instructions : mmu_->data).find(address >> sv39::page_shift) != tlb::none;
  }
  [[nodiscard]] progress look_up_page(hart& h, std::uint64_t page, bool code, event& resume,
                                      std::uint64_t kernel_cycle);
  [[nodiscard]] progress walk(hart& h, bool code, event& resume, std::uint64_t kernel_cycle);
  /// An entry of a page table, by its physical address; null: its line is not in the L2. `ready` is when it is here.
  [[nodiscard]] std::byte const* read_entry(std::uint64_t address, std::uint64_t starts, std::uint64_t& ready) noexcept;
  void enter_page(std::uint64_t page, std::uint64_t target, bool code) noexcept;
  [[nodiscard]] bool crosses(std::uint64_t address, std::size_t bytes) const noexcept {
    return (address & data_mask_) + bytes > data_mask_ + 1;
  }
  /// Updates the own L1, which may have the line.
  void keep(std::uint64_t address, std::span<std::byte const> value) noexcept {
    std::uint64_t const line = address >> data_shift_;
    load_entry const& own = loads_[line % load_entries];
    if (own.line == line) {
      copy_word(own.data + (address & data_mask_), value.data(), value.size());
    } else {
      data_.store(global(address), value.data(), value.size());
    }
  }
  /// A store of a guess, with its target: the cycle at which the hart continues; nothing: it cannot be posted.
  [[nodiscard]] std::optional<std::uint64_t> post_guess(std::uint64_t address, std::span<std::byte const> value,
                                                        std::uint64_t ends, l2_private::found_byte to) noexcept;
  /// Where it goes; without a byte it cannot be posted.
  [[nodiscard]] l2_private::found_byte target_of_guess(std::uint64_t address, std::size_t bytes) noexcept;
  /// Stores of guesses that are still to happen.
  [[nodiscard]] std::size_t guessed_left() const noexcept { return std::min(buffer_.posted_count, guessed_.count); }
  bool serve_load_lines(hart& h, event& resume);
  bool load_line(std::uint64_t address, std::uint64_t starts, std::uint64_t& ready) noexcept;
  void enter(std::uint64_t address, std::byte* in_line) noexcept;
  /// Stores to the byte in the TLM or L2; both its addresses are given.
  std::uint64_t put(std::byte* at, std::uint64_t address, std::uint64_t global, std::span<std::byte const> value,
                    std::uint64_t ends) noexcept;

  tile& tile_;
  local_window window_;
  page_rights const& rights_;
  unsigned data_shift_;
  std::uint64_t data_mask_;
  unsigned code_shift_;
  watched_l1 data_;
  watched_l1 code_;
  std::uint32_t data_number_;  ///< The L1's number in its tile.
  std::uint32_t code_number_;
  unsigned sharer_shift_;
  write_buffer buffer_;
  std::uint32_t buffer_number_;   ///< The buffer's number in its tile.
  std::uint64_t horizon_ = 0;     ///< Accesses before this cycle are done in place.
  std::uint64_t hits_until_ = 0;  ///< Hits of an L1, too; later ones stop the hart.
  std::uint64_t ends_at_ = std::numeric_limits<std::uint64_t>::max();  ///< end_at()
  guesser* guesses_ = nullptr;                                         ///< Null: what the hart has done is final.
  /// A store of a guess.
  struct guessed_store {
    std::byte* copy = nullptr;  ///< In the own L1; null: it is not there.
    std::uint64_t before = 0;   ///< What was there.
    std::uint64_t free = 0;     ///< The cycle at which the hart continued.
    std::size_t bytes = 0;
    bool to_tlm = false;
  };
  /// All since the hart began to guess: it does so at one moment of kernel time, so they fit into its buffer.
  struct {
    std::array<guessed_store, write_buffer::entries> all;
    std::size_t count = 0;
    bool repeats = false;           ///< The hart was taken back.
    l2_private::found_byte target;  ///< What can_guess() has found for its store.
    std::size_t happened = 0;       ///< So many of its stores had happened then,
    std::size_t repeated = 0;       ///< and so many of these have been repeated.
  } guessed_;
  /// With directories: the completed part of an access to two lines.
  struct {
    std::uint64_t value = 0;
    std::size_t done = 0;
  } crossing_;
  std::optional<stride_prefetcher> prefetcher_;  ///< With one, loads miss at kernel time only.
  std::optional<translation> mmu_;               ///< With [mmu].
  bool brought_ = false;  ///< The line that the hart stopped for has just arrived: no extra hit time.
  statistics counted_;
  std::array<load_entry, load_entries> loads_{};
  std::array<store_entry, store_entries> stores_{};
  std::array<std::uint64_t, fetch_entries> fetches_{};
};

template <std::size_t bytes>
inline bool hart_memory::post(hart& h, inst const* i, std::uint64_t address, std::uint64_t value, std::byte* at,
                              std::uint64_t sharers) noexcept {
  std::uint64_t const ends = h.now(i);
  // A store that takes a line from another L1, or wakes a sleeper, is done at kernel time.
  if (buffer_.posted_count == write_buffer::entries || guesses_ != nullptr || (sharers & ~buffer_.own_bit) != 0 ||
      tile_.stores_meet_l1s() || ends >= ends_at_)
    return false;
  __builtin_prefetch(at, 1);  // written when the store happens
  // The tables exceed the host's nearest caches: avoid look-ups that are not needed.
  if ((sharers & buffer_.own_bit) != 0) keep(address, std::as_bytes(std::span(&value, 1)).template first<bytes>());
  std::uint64_t const free = buffer_.free_from(ends);
  buffer_.post(ends, value, at, bytes);
  tile_.posted(buffer_number_, buffer_.first_cycle());
  ++counted_.stores;
  counted_.store_wait_cycles += free - ends;
  if (free != ends) delay(h, i, spent::buffer, free - ends);
  return true;
}

}  // namespace tess::machine
