// heap: the symmetric heap: equal calls in equal order return equal addresses at all PEs.
//
//   What is free and what is in use is written down outside of the heap, so that a remote write beyond an object harms
//   objects only. An allocation takes the smallest free piece that is large enough, the first one of those.
//
// Units     bytes; addresses are offsets in the heap.
// Threads   one at a time; the calls are collective.
// Cost      O(log pieces).
// Source    OpenSHMEM 1.5, section 9.3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace tess::shmem {

class symmetric_heap {
 public:
  /// `begin`: the address of the first byte; alignments are of addresses.
  symmetric_heap(std::byte const* begin, std::size_t bytes) : begin_(reinterpret_cast<std::uintptr_t>(begin)) {
    add_free(0, bytes);
  }

  /// No object will be on both sides; of a heap without objects.
  void divide(std::size_t at);
  /// Nothing: no free piece is large enough. `alignment` is a power of two.
  [[nodiscard]] std::optional<std::size_t> allocate(std::size_t bytes, std::size_t alignment);
  /// False: no object begins there.
  [[nodiscard]] bool release(std::size_t at);
  /// The length of the object that begins there; nothing: none does.
  [[nodiscard]] std::optional<std::size_t> size_of(std::size_t at) const;
  /// Lengthens or shortens the object where it is; false: what follows is in use.
  [[nodiscard]] bool resize(std::size_t at, std::size_t bytes);
  [[nodiscard]] std::size_t objects() const noexcept { return used_.size(); }

 private:
  void add_free(std::size_t at, std::size_t bytes);
  void remove_free(std::map<std::size_t, std::size_t>::iterator piece);

  std::uintptr_t begin_;
  std::map<std::size_t, std::size_t> free_;  ///< length by offset
  std::set<std::pair<std::size_t, std::size_t>> by_length_;
  std::map<std::size_t, std::size_t> used_;
};

}  // namespace tess::shmem
