// graph_traversal: traverses an object graph through the tile's L2: marks, counts and writes back its objects.
//
//   An object has been visited if it carries this traversal's mark: an odd number in `parent_src`, which otherwise
//   holds addresses; so marks of earlier traversals never match and nothing needs clearing. The traversal is depth
//   first, with a stack of positions to resume; an object without further pointers is not pushed, so a list needs no
//   stack. Lines are visited when their object is done, and only lines written by a program go to memory.
//
//   The paper calls its order breadth first, but uses a stack; this is the order that a stack gives.
//
// Units     global addresses; cycles of the tile's clock: one for each state, and those of accesses to L2 and stack,
//           which take the time of a hit in the L2 and in the TLM.
// Errors    graph_fault. Marks and write-backs before the fault stay; both are harmless.
// Threads   one. One graph at a time.
// Source    NEMESYS (MEMSYS 2019), section 3.3.
#pragma once

#include <array>
#include <vector>

#include "machine/cache/acknowledgements.hpp"
#include "machine/unit/completion.hpp"
#include "machine/unit/object_types.hpp"

namespace tess::machine {

struct graph_measured {
  registers::graph_fault error = registers::graph_fault::none;
  std::uint64_t objects = 0;  ///< Including arrays.
  std::uint64_t bytes = 0;    ///< Upper bound on the size of their blocks, one behind the other.
};

class graph_traversal {
 public:
  graph_traversal(kernel& k, machine_description const& description, tile& at, object_types& types);

  [[nodiscard]] task<graph_measured> run(std::uint64_t root);
  /// Marks that the other one left in memory do not match here.
  void take_over(graph_traversal const& from) noexcept { epoch_ = from.epoch_; }

 private:
  struct fault {
    registers::graph_fault what;
  };
  struct place {
    std::uint64_t object = 0;
    object_type type;
    std::uint64_t bytes = 0;     ///< Size of the object, in whole words.
    std::uint64_t position = 0;  ///< Index of a word.
    std::uint64_t next = 0;      ///< The position after the last pointer, and the rest of its descriptor.
  };
  struct stack_entry {
    std::uint64_t object = 0;
    std::uint64_t position = 0;
  };

  [[nodiscard]] task<> walk(std::uint64_t root);
  /// The next pointer from `position` on; the object's end if there is none.
  [[nodiscard]] task<> find_pointer(place& in);
  /// The next pointer that is not null.
  [[nodiscard]] task<> find_target(place& in);
  [[nodiscard]] task<> follow(std::uint64_t object);
  [[nodiscard]] task<bool> is_new(std::uint64_t object);
  [[nodiscard]] task<place> open(std::uint64_t object);
  void count(place const& seen) noexcept;
  [[nodiscard]] task<> write_back(place const& done);
  [[nodiscard]] task<std::uint64_t> load(std::uint64_t address);
  [[nodiscard]] task<> mark(std::uint64_t address);
  [[nodiscard]] task<> use_stack();
  [[nodiscard]] task<> step();
  void check(std::uint64_t object, std::uint64_t front, std::uint64_t bytes) const;

  kernel& kernel_;
  tile& tile_;
  object_types& types_;
  clock_domain clock_;
  region partition_;
  std::uint64_t line_bytes_;
  picoseconds state_ps_;
  std::size_t stack_max_;

  std::uint64_t epoch_ = 1;  ///< Always odd.
  graph_measured measured_;
  place now_;
  std::vector<stack_entry> stack_;
  std::vector<std::byte> line_;
  std::uint64_t line_address_ = 0;  ///< 0: no line is held.
  std::uint64_t mask_ = 0;
  std::uint64_t mask_number_ = 0;
  acknowledgements* acknowledged_ = nullptr;
};

}  // namespace tess::machine
