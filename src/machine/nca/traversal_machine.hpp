// traversal_machine: traverses object graphs through the tile's L2: marks, counts and writes back their objects: the
// clocked model of rtl/nca/nca_traversal, register for register.
//
//   An object has been visited if it carries this traversal's mark: an odd number in `parent_src`, which otherwise
//   holds addresses; so marks of earlier traversals never match and nothing needs clearing. The traversal is depth
//   first, with a stack of positions to resume; an object without further pointers is not pushed, so a list needs no
//   stack. To know that, the machine looks for the next pointer before it follows one. Lines are visited when their
//   object is done, and only lines written by a program go to memory.
//
//   The paper calls its order breadth first, but uses a stack; this is the order that a stack gives.
//
// Cost      a cycle for each state, or `state_cycles` for the search of a pointer and the opening of an object, and
//           accesses; one of either at a time.
// Errors    graph_fault in the result. Marks and write-backs before the fault stay; both are harmless. Nothing outside
//           of the partition is ever marked or written back, whatever memory has.
// Threads   one. One graph at a time.
// Source    NEMESYS (MEMSYS 2019), section 3.3.
#pragma once

#include <vector>

#include "machine/nca/traversal_unit.hpp"

namespace tess::machine {

class traversal_machine final : public traversal_unit {
 public:
  explicit traversal_machine(parameters const& made);

  void step() override;

 private:
  enum class state : std::uint8_t {
    idle,
    start,
    // `child`: is it new?
    visit,
    mark,
    mark_wait,
    // What is it? Also for an object of the stack.
    open,
    type,
    type_ask,
    type_wait,
    size,
    measure,
    become,
    // Its next pointer.
    find,
    mask_ask,
    mask_wait,
    locate,
    target,
    // The stack.
    push,
    push_wait,
    pop,
    pop_wait,
    // The lines of an object that is done, then `after`.
    lines,
    write_back,
    // The line register gets another line, then `next` is tried again.
    fetch,
    fetch_wait,
    drain,
    result,
  };

  /// A type, as its record says, and the words of an object.
  struct shape {
    registers::objects::kind_code kind = registers::objects::object;
    std::uint64_t mask_at = 0;
    std::uint64_t words = 0;
    [[nodiscard]] bool is_array() const noexcept { return kind != registers::objects::object; }
  };

  void advance_state(bool taken, bool drained);
  void visit();
  void open();
  void see_type();
  void size();
  void measure();
  void find();
  void found_none();
  void target();
  void pop();
  void begin_lines();
  void write_lines(bool taken);
  void refresh();

  void go(state to) noexcept { state_ = to; }
  void charge(state to) noexcept {
    state_ = to;
    pause_ = state_cycles_ - 1;
  }
  void fail(registers::graph_fault what) noexcept {
    fault_ = what;
    go(state::drain);
  }
  /// The lines of the object `now`, or of `child`.
  void write_then(bool of_child, state after) noexcept {
    lines_of_child_ = of_child;
    after_ = after;
    go(state::lines);
  }
  /// Null: the line must be fetched first; the state is then entered again.
  [[nodiscard]] std::uint64_t const* load(std::uint64_t offset) noexcept;
  /// Is there no place for an object?
  [[nodiscard]] bool wild() const noexcept;
  [[nodiscard]] std::uint64_t line_of(std::uint64_t offset) const noexcept { return offset & ~(line_bytes_ - 1); }
  [[nodiscard]] std::uint32_t lane_of(std::uint64_t offset) const noexcept {
    return static_cast<std::uint32_t>((offset & (line_bytes_ - 1)) / 8);
  }
  [[nodiscard]] bool has_room() const noexcept { return under_way_ < under_way_max_; }

  static constexpr std::uint64_t offset_mask = (std::uint64_t{1} << 40U) - 1;

  std::uint32_t state_cycles_;
  std::uint32_t stack_entries_;
  std::uint64_t line_bytes_;
  std::uint64_t under_way_max_;

  std::vector<traversal_job> queue_;  ///< A ring.
  std::uint32_t queue_head_ = 0;
  std::uint32_t queued_ = 0;

  state state_ = state::idle;
  std::uint32_t pause_ = 0;  ///< Further cycles of this state.
  state next_ = state::idle;
  state after_ = state::idle;
  std::uint64_t mark_ = 0;
  registers::graph_fault fault_ = registers::graph_fault::none;
  std::uint64_t objects_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint32_t depth_ = 0;  ///< Entries of the stack.
  bool first_ = false;       ///< `child` is the root.
  bool back_ = false;        ///< `child` comes from the stack.

  std::uint64_t target_ = 0;  ///< A pointer.
  std::uint64_t child_ = 0;   ///< The same as an offset;
  bool far_ = false;          ///< it has none.
  std::uint32_t header_ = 0;
  std::uint64_t record_at_ = 0;
  shape child_shape_;
  bool aligned_16_ = false;
  std::uint64_t child_bytes_ = 0;

  std::uint64_t object_ = 0;  ///< That whose pointers are followed: its offset.
  shape shape_;
  std::uint64_t position_ = 0;       ///< Index of a word.
  std::uint64_t next_position_ = 0;  ///< After the pointer there, and the rest of its descriptor.
  bool ahead_ = false;               ///< `target` is known: the pointer after it is looked for.
  std::uint64_t mask_ = 0;
  bool mask_valid_ = false;

  bool lines_of_child_ = false;
  std::uint64_t line_at_ = 0;    ///< The next line to write back,
  std::uint64_t line_last_ = 0;  ///< and the last.
  std::uint64_t under_way_ = 0;

  bool has_line_ = false;
  std::uint64_t line_ = 0;    ///< The line in `words_`.
  std::uint32_t marked_ = 0;  ///< By word: it was marked after it was read.
  std::array<std::uint64_t, lanes_max> words_{};
};

}  // namespace tess::machine
