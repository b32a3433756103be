// graph_copy: copies an object graph within a memory by pointer reversal, with all traversal state in the copies.
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
// Cost      states and accesses (accelerator_memory); nothing is charged by word, mask or element.
// Errors    graph_fault in the outcome. Nothing outside of the buffer and the copy map is ever written.
// Threads   one. One graph at a time.
// Source    NEMESYS (MEMSYS 2019), section 3.4, Algorithm 1; Schorr and Waite (CACM 1967).
#pragma once

#include "machine/nma/copy_map.hpp"
#include "machine/unit/object_types.hpp"

namespace tess::machine {

struct copy_request {
  std::uint64_t root = 0;
  std::uint64_t destination = 0;
  std::uint64_t bytes = 0;          ///< Size of the buffer.
  std::uint64_t first = 0;          ///< Offset of its first block.
  std::uint64_t final_address = 0;  ///< Where the buffer will be.
  std::uint64_t objects = 0;
  registers::nma::map_code map = registers::nma::linear;
  region source;  ///< The requester's partition.
  region target;  ///< The buffer's partition.
};

struct copy_outcome {
  registers::graph_fault error = registers::graph_fault::none;
  std::uint64_t root = 0;   ///< Final address of its copy.
  std::uint64_t bytes = 0;  ///< Used bytes of the buffer.
  std::uint64_t objects = 0;
};

class graph_copy {
 public:
  graph_copy(accelerator_memory& memory, object_types& types, std::uint64_t map_offset, std::uint64_t map_bytes)
      : memory_(memory), types_(types), map_(memory, map_offset, map_bytes) {}

  [[nodiscard]] task<copy_outcome> run(copy_request const& request);

 private:
  struct fault {
    registers::graph_fault what;
  };
  /// The object being copied: the registers of Algorithm 1.
  struct place {
    std::uint64_t src = 0;
    std::uint64_t dst = 0;
    object_type type;
    std::uint64_t words = 0;
    std::uint64_t position = 0;
    std::uint64_t index = 0;  ///< Remaining words of a descriptor.
  };

  [[nodiscard]] task<> copy_all(std::uint64_t root);
  [[nodiscard]] task<> advance(std::uint64_t original);
  [[nodiscard]] task<bool> retreat();
  /// False: it has advanced to a child.
  [[nodiscard]] task<bool> copy_words();
  [[nodiscard]] task<std::uint8_t> mask_of_word();
  [[nodiscard]] task<bool> copy_pointer(std::uint64_t value);
  [[nodiscard]] task<object_type> type_of(std::uint64_t header);
  [[nodiscard]] std::uint64_t allocate(object_type const& type, std::uint64_t bytes);
  void check(std::uint64_t original, std::uint64_t front, std::uint64_t bytes) const;

  [[nodiscard]] std::uint64_t from(std::uint64_t address) const noexcept {
    return request_.source.memory_offset + (address - request_.source.base);
  }
  [[nodiscard]] std::uint64_t to(std::uint64_t address) const noexcept {
    return request_.target.memory_offset + (address - request_.target.base);
  }
  [[nodiscard]] std::uint64_t final_of(std::uint64_t copy) const noexcept {
    return copy - request_.destination + request_.final_address;
  }

  accelerator_memory& memory_;
  object_types& types_;
  copy_map map_;
  copy_request request_;
  line_register original_;
  line_register copy_;
  place now_;
  std::uint64_t mask_ = 0;
  std::uint64_t mask_number_ = 0;  ///< Index of the mask word in the register; none: ~0.
  std::uint64_t used_ = 0;
  std::uint64_t objects_ = 0;
};

}  // namespace tess::machine
