// copy_machine: copies object graphs within a memory by pointer reversal, with all traversal state in the copies: the
// clocked model of rtl/nma, cycle for cycle.
//
//   Depth first, without a stack: on the way to a child, the position in the parent is saved in the transition words of
//   the parent's copy, and the parent in those of the child's copy; on the way back they are restored. The originals
//   are only read. Copies are laid out consecutively from the start of the buffer, as the runtime's regions have them.
//   A mask's code says for each word: 00 copied, 01 a pointer, 10 zero, 11 the first of the three words of an array
//   descriptor; the elements of an array are an object of their own. Null stays null. Pointers are written as if the
//   buffer already were at its final address.
//
//   Besides the errata of the paper's Algorithm 1 (null was followed; the array case read the wrong word), the state
//   for array elements is not needed here, since an array has a header and a copy of its own.
//
//   Maps from originals to copies are in memory: [originals: entries words][copies: entries words], so that a search
//   reads no copies. A list is searched by a stream. A table has 2^(ceil(log2 n) + 1) slots for n objects, and only its
//   originals are cleared. Look-up and insertion are two operations, as in Algorithm 1, whose map is exchangeable: both
//   probe. (The paper's cost of a hashed map for a graph of one object, 0.4 us, is one such probe.)
//
// Cost      a cycle for each state, or `state_cycles` for those of Algorithm 1, and accesses; one of either at a time.
// Errors    graph_fault in the result. Nothing outside of the buffer and the map is ever written, whatever memory has:
//           what comes back from the copies is checked as originals are.
// Threads   one. One graph at a time.
// Source    NEMESYS (MEMSYS 2019), sections 3.4 and 3.5; Schorr and Waite (CACM 1967).
#pragma once

#include <vector>

#include "machine/nma/line_register.hpp"
#include "machine/nma/nma_unit.hpp"
#include "machine/nma/stream_reader.hpp"

namespace tess::machine {

class copy_machine final : public nma_unit {
 public:
  explicit copy_machine(nma_description const& description);

  void step() override;

 private:
  enum class state : std::uint8_t {
    idle,
    start,
    table,  ///< Does it fit?
    clear,
    // Advance to `child`.
    advance,
    locate,
    header,
    type,
    type_ask,
    type_wait,
    size,
    check,
    room,
    insert,
    insert_original,
    insert_copy,
    parent_word,
    parent_position,
    parent_index,
    array_bytes,
    parent_src,
    parent_dst,
    copy_header,
    stream,
    // A word.
    word,  ///< Is loaded,
    copy,  ///< and stored, while the next one is loaded.
    mask_ask,
    mask_wait,
    descriptor,
    point,
    // The copy of `child`, if there is one.
    find,
    search,
    probe,
    probe_wait,
    probed,
    known,
    known_wait,
    // Back to the parent.
    leave,
    retreat,
    up,
    up_check,
    up_header,
    up_position,
    up_index,
    // A line register gets another line, then `next` is tried again.
    fetch,
    fetch_wait,
    clean,
    drain,
    result,
  };

  void advance_state(bool taken, bool head_full, bool complete, bool found);
  enum class word_kind : std::uint8_t { data, pointer, descriptor, elements };

  void start();
  void read_ahead(bool head_full);
  void see_type();
  void size();
  void check();
  void room();
  void insert();
  void begin_front();
  void begin_copy();
  void load_word();
  void see_word(std::uint64_t value);
  void copy_word();
  void find_child();
  void probed();
  void up_check();
  void stored();
  void arrived();
  void refresh();
  void request_write(std::uint64_t offset, std::uint64_t const* data, std::uint32_t words, std::uint32_t lane = 0);
  void request_read(std::uint64_t offset, std::uint32_t words, std::uint32_t tag);

  void go(state to) noexcept { state_ = to; }
  /// To a state of Algorithm 1.
  void charge(state to) noexcept {
    state_ = to;
    pause_ = state_cycles_ - 1;
  }
  void fail(registers::graph_fault what) noexcept;
  void finish() noexcept;
  /// The word at the address of `by`. Null: the line must be fetched first; the state is then entered again.
  [[nodiscard]] std::uint64_t const* load(line_register& by, std::uint64_t offset) noexcept;
  /// False: the register must be cleaned first; the state is then entered again.
  [[nodiscard]] bool store(std::uint64_t value) noexcept;
  void store_then(std::uint64_t value, std::uint64_t step, state next) noexcept {
    if (!store(value)) return;
    step_copy(step);
    go(next);
  }
  /// The next word of the copy that a state needs is so far away, or so far from a copy.
  void step_copy(std::uint64_t step) noexcept { copy_at_ = copy_at_ + step & offset_mask; }
  void place_copy(std::uint64_t at, std::uint64_t below) noexcept { copy_at_ = at - below & offset_mask; }
  void step_original(std::uint64_t step) noexcept { original_at_ = original_at_ + step & offset_mask; }
  void place_original() noexcept { original_at_ = child_ + job_.source_shift & offset_mask; }

  [[nodiscard]] bool is_array() const noexcept { return kind_ != registers::objects::object; }
  /// Is `child` no place for an object?
  [[nodiscard]] bool wild() const noexcept {
    return child_ % word_bytes != 0 || child_ < job_.source_base + registers::objects::front_bytes ||
           child_ >= job_.source_end;
  }
  [[nodiscard]] std::uint64_t lowest() const noexcept { return job_.begins + registers::objects::front_bytes; }
  [[nodiscard]] std::uint64_t final_copy() const noexcept { return job_.final_shift + object_; }
  [[nodiscard]] bool mask_missing() const noexcept {
    return index_ == 0 && kind_ != registers::objects::pointer_array && !mask_valid_;
  }
  [[nodiscard]] std::uint64_t original_entry() const noexcept { return in.map_offset + slot_ * word_bytes; }
  [[nodiscard]] std::uint64_t copy_entry() const noexcept {
    return in.map_offset + (in.map_entries + slot_) * word_bytes;
  }
  [[nodiscard]] bool has_room() const noexcept { return under_way_ < posted_writes_; }

  static constexpr std::uint64_t offset_mask = (std::uint64_t{1} << 40U) - 1;

  std::uint32_t state_cycles_;
  std::uint32_t lanes_;
  std::uint32_t posted_writes_;
  std::uint32_t single_;  ///< The tag of reads that are no stream's.

  std::vector<nma_job> queue_;  ///< A ring.
  std::uint32_t queue_head_ = 0;
  std::uint32_t queued_ = 0;

  state state_ = state::idle;
  std::uint32_t pause_ = 0;  ///< Further cycles of this state.
  state next_ = state::idle;
  line_register* line_ = nullptr;  ///< The register that gets the line of its address,
  bool fetches_ = false;           ///< with its words.
  nma_job job_;
  registers::graph_fault fault_ = registers::graph_fault::none;
  std::uint64_t used_ = 0;  ///< The end of what the buffer has.
  std::uint64_t objects_ = 0;
  std::uint64_t root_ = 0;

  // The object whose copy may begin or go on.
  std::uint64_t child_ = 0;
  bool back_ = false;
  std::uint32_t header_ = 0;
  std::uint64_t object_ = 0;  ///< Its copy.
  std::uint64_t bytes_ = 0;
  std::uint64_t words_ = 0;
  // Its type.
  std::uint64_t record_at_ = 0;
  registers::objects::kind_code kind_ = registers::objects::object;
  bool aligned_16_ = false;
  std::uint64_t type_bytes_ = 0;
  std::uint64_t mask_at_ = 0;
  std::uint64_t mask_ = 0;
  bool mask_valid_ = false;
  // The object that is being copied: registers of Algorithm 1.
  std::uint64_t src_ = 0;
  std::uint64_t dst_ = 0;       ///< 0: none yet.
  std::uint64_t position_ = 0;  ///< Where the word is that is loaded next.
  std::uint64_t left_ = 0;      ///< Words that are not stored.
  std::uint32_t index_ = 0;     ///< Remaining words of a descriptor.
  std::uint64_t word_ = 0;      ///< The last that was loaded,
  word_kind what_ = word_kind::data;
  // Offsets of the words that are loaded and stored next.
  std::uint64_t original_at_ = 0;
  std::uint64_t copy_at_ = 0;
  // The map.
  std::uint64_t count_ = 0;
  std::uint64_t slot_mask_ = 0;
  std::uint64_t slot_ = 0;
  bool inserts_ = false;
  bool found_ = false;
  std::uint64_t known_at_ = 0;
  // Ranges: the table to clear, the copy of an array.
  std::uint64_t range_at_ = 0;
  std::uint64_t range_left_ = 0;  ///< Words.
  bool out_full_ = false;         ///< The stream's burst in turn is to be written.
  bool held_ = false;             ///< A read was offered and not taken: it stays.
  std::uint32_t under_way_ = 0;   ///< Writes.

  line_register original_;
  line_register copy_;
  stream_reader stream_;
  std::array<std::uint64_t, lanes_max> single_word_{};  ///< Data of a write of one word.
};

}  // namespace tess::machine
