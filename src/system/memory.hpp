// memory: the kernel's allocator: size classes in pages of 4 KiB, and runs of pages, over ranges of the tile's memory.
//
//   A page serves blocks of one class and is free again with its last block. Larger blocks are runs of pages, the next
//   that fit behind the last one. Each range begins with a record for each of its pages.
//
// Units     bytes.
// Threads   one at a time: callers turn interrupts off.
// Cost      a block of a class: constant. A run, and a class's new page: linear in the pages of the range.
// Source    size classes of pages: Evans, "A Scalable Concurrent malloc(3) Implementation" (BSDCan 2006).
#pragma once

#include <cstddef>
#include <cstdint>

namespace tess::system {

class memory_range {
 public:
  static constexpr std::uint64_t page_bytes = 4096;
  static constexpr std::uint64_t class_bytes_max = 2048;

  /// Takes over the range; false: it is too small. Earlier blocks are forgotten.
  bool manage(std::uint64_t begin, std::uint64_t bytes);
  /// Null: there is no room. Blocks are aligned to 64 bytes.
  [[nodiscard]] void* allocate(std::uint64_t bytes);
  /// False: it is no block of this range.
  bool release(void* block);
  [[nodiscard]] std::uint64_t free_pages() const { return free_pages_; }

 private:
  enum kind : std::uint8_t { free_page, class_page, run_begin, run_rest };
  struct page {
    kind is;
    std::uint8_t size_class;
    std::uint16_t used;   // blocks
    std::uint16_t fresh;  // blocks that have been given out at least once
    std::uint16_t open;   // 1: in its class's list
    std::uint32_t run;    // pages
    std::uint32_t next;   // in its class's list, plus 1
    std::uint32_t previous;
    void* first;  // a list of its free blocks
  };
  static constexpr std::size_t classes = 6;  // 64 to 2048
  static constexpr std::uint64_t bytes_of(std::size_t size_class) { return std::uint64_t{64} << size_class; }

  [[nodiscard]] std::uint64_t find_run(std::uint64_t pages);
  [[nodiscard]] std::uint64_t find_run(std::uint64_t pages, std::uint64_t begin, std::uint64_t end) const;
  void link(std::uint64_t number);
  void unlink(std::uint64_t number);

  page* pages_ = nullptr;
  std::uint64_t base_ = 0;  // of page 0
  std::uint64_t count_ = 0;
  std::uint64_t free_pages_ = 0;
  std::uint64_t next_ = 0;         // behind the last run that was found: the search continues there
  std::uint32_t open_[classes]{};  // a page with free blocks, plus 1
};

}  // namespace tess::system
