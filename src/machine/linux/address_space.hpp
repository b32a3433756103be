// address_space: the mappings of a program's memory: brk, mmap, munmap, mprotect, mremap.
//
//   Mappings grow down from the stack, the heap grows up behind the program. Every address and length from the program
//   is checked against the memory's size; nothing of the host is ever mapped.
//
// Units     bytes. Results are addresses, or negative Linux error numbers as a system call returns them.
// Cost      logarithmic in the number of mappings.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "machine/linux/layout.hpp"
#include "machine/linux/user_memory.hpp"

namespace tess::machine {

class address_space {
 public:
  static constexpr std::uint64_t usual_stack_bytes = std::uint64_t{8} << 20U;
  static constexpr std::uint64_t map_fixed_noreplace = 0x100000;  // of Linux

  // `heap` is the first address behind the program; the stack is at the end of the size_bytes of addresses; both
  // `moved`. There may be less memory: no mapping that may be written is larger, unless the program says that it will
  // not use all of it (MAP_NORESERVE), as Linux has it by default.
  address_space(user_memory& memory, std::uint64_t heap, std::uint64_t size_bytes, std::uint64_t memory_bytes,
                std::uint64_t stack_bytes, layout const& moved);

  // The same mappings as there; the memory has the same size.
  void take_over(address_space const& from) {
    stack_top_ = from.stack_top_;
    heap_begin_ = from.heap_begin_;
    heap_end_ = from.heap_end_;
    mappings_ = from.mappings_;
  }

  struct mapping {
    std::uint64_t end;
    std::uint8_t rights;
  };

  [[nodiscard]] std::uint64_t stack_top() const noexcept { return stack_top_; }
  // By their first address; the stack is one of them, program and heap are not.
  [[nodiscard]] std::map<std::uint64_t, mapping> const& mappings() const noexcept { return mappings_; }
  [[nodiscard]] bool is_mapped(std::uint64_t address) const noexcept {
    auto const [heap_first, behind_heap] = heap();
    return (address >= heap_first && address < behind_heap) || !is_free(address, address + 1);
  }
  // Whole pages: the first address, and the one behind the last.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> heap() const noexcept {
    return {page_down(heap_begin_), page_up(heap_end_)};
  }

  std::int64_t brk(std::uint64_t wanted);
  // `rights` as access_right; `flags` are Linux's MAP_...; contents are zero.
  std::int64_t map(std::uint64_t address, std::uint64_t bytes, std::uint8_t rights, std::uint64_t flags);
  std::int64_t unmap(std::uint64_t address, std::uint64_t bytes);
  std::int64_t protect(std::uint64_t address, std::uint64_t bytes, std::uint8_t rights);
  std::int64_t remap(std::uint64_t address, std::uint64_t old_bytes, std::uint64_t new_bytes, std::uint64_t flags);
  // MADV_DONTNEED: the pages read as zero.
  std::int64_t forget(std::uint64_t address, std::uint64_t bytes);
  // Whole pages that a program may have.
  [[nodiscard]] bool valid(std::uint64_t address, std::uint64_t bytes) const noexcept;

 private:
  [[nodiscard]] bool is_free(std::uint64_t begin, std::uint64_t end) const noexcept;
  [[nodiscard]] std::uint64_t find_gap(std::uint64_t bytes) const noexcept;  // 0: none
  // Splits mappings at begin and end.
  void split(std::uint64_t at);
  void insert(std::uint64_t begin, std::uint64_t end, std::uint8_t rights);

  user_memory& memory_;
  std::uint64_t size_bytes_;
  std::uint64_t memory_bytes_;
  std::uint64_t stack_top_;
  std::uint64_t heap_begin_;
  std::uint64_t heap_end_;                     // as the program set it
  std::map<std::uint64_t, mapping> mappings_;  // by their first address
};

}  // namespace tess::machine
