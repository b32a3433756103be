// graph_traversal: walks an object graph through the tile's L2, marks, counts and writes back what it finds.
//
//   An object is seen when its mark is that of this traversal: an odd number in `parent_src`, where there are otherwise
//   addresses, so what earlier ones left never matches and nothing is cleared. It is depth first, with a stack of where
//   to go on; an object without another pointer to follow is left behind, so a list needs no stack. Lines are looked at
//   when their object is done, and only those that a program has written go to memory.
//
//   The paper calls its order breadth first and gives it a stack; ours is what it does.
//
// Units     global addresses; cycles of the tile's clock: a state of its own, or accesses to L2 and stack, which have
//           the time of a hit in the L2 and in the tile-local memory.
// Errors    graph_fault. What was marked and written back until then stays so; neither is harm.
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
  std::uint64_t objects = 0;  ///< And arrays.
  std::uint64_t bytes = 0;    ///< Their blocks need at most so many, one behind the other.
};

class graph_traversal {
 public:
  graph_traversal(kernel& k, machine_description const& description, tile& at, object_types& types);

  [[nodiscard]] task<graph_measured> run(std::uint64_t root);

 private:
  struct fault {
    registers::graph_fault what;
  };
  struct place {
    std::uint64_t object = 0;
    object_type type;
    std::uint64_t bytes = 0;     ///< Of the object, whole words.
    std::uint64_t position = 0;  ///< Of a word.
    std::uint64_t next = 0;      ///< Behind the pointer that was found last, and the rest of its descriptor.
  };
  struct stack_entry {
    std::uint64_t object = 0;
    std::uint64_t position = 0;
  };

  [[nodiscard]] task<> walk(std::uint64_t root);
  /// The next word that holds a pointer, from `position` on; the object's end if there is none.
  [[nodiscard]] task<> find_pointer(place& in);
  /// The same, and it is not null.
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
  [[nodiscard]] std::uint64_t cycle() const noexcept { return clock_.cycle_from(kernel_.now()); }

  kernel& kernel_;
  tile& tile_;
  object_types& types_;
  clock_domain clock_;
  region partition_;
  std::uint64_t line_bytes_;
  picoseconds state_ps_;
  std::size_t stack_max_;

  std::uint64_t epoch_ = 1;  ///< Odd.
  graph_measured measured_;
  place now_;
  std::vector<stack_entry> stack_;
  std::vector<std::byte> line_;
  std::uint64_t line_address_ = 0;  ///< 0: none is held.
  std::uint64_t mask_ = 0;
  std::uint64_t mask_number_ = 0;
  acknowledgements* acknowledged_ = nullptr;
};

}  // namespace tess::machine
