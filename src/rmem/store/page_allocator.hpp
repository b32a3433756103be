// page_allocator: the server's memory, allocated to regions as extents of whole pages and zeroed when they are freed.
//
//   One mapping covers the whole size; only what regions wrote to has pages. A region may get several extents, so
//   fragmentation refuses nothing that fits. Freed extents become holes, which read as zeros and cost nothing: no
//   client sees what a freed region held. In a file, extents are allocated on the disk before they are handed out, so a
//   full disk is a refusal now and not a SIGBUS later.
//
// Units    offsets and sizes in bytes, multiples of page_bytes.
// Threads  one.
// Cost     allocate and free: for each extent, logarithmic in the number of free extents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace tess::memd {

struct extent {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  bool operator==(extent const&) const = default;
};

class page_allocator {
 public:
  static constexpr std::uint64_t page_bytes = 4096;

  /// In memory; `size` is rounded up to pages. Throws std::system_error if the system has none.
  explicit page_allocator(std::uint64_t size);
  /// In this file, which is created if it does not exist. Its bytes stay until clear_free(): what a journal frees may
  /// have been allocated again since, and is somebody else's.
  page_allocator(std::uint64_t size, std::filesystem::path const& file);
  page_allocator(page_allocator const&) = delete;
  page_allocator& operator=(page_allocator const&) = delete;
  ~page_allocator();

  [[nodiscard]] std::uint64_t size_bytes() const { return size_; }
  [[nodiscard]] std::uint64_t free_bytes() const { return free_; }
  /// In a file that outlives the server; such memory is not lent to clients.
  [[nodiscard]] bool on_disk() const { return on_disk_; }
  [[nodiscard]] int file() const { return file_; }
  [[nodiscard]] std::byte* at(std::uint64_t offset) const { return base_ + offset; }

  enum class failure { none, full, disk_full };
  struct allocation {
    std::vector<extent> extents;
    failure why = failure::none;
  };
  /// Extents of `bytes` in total, rounded up to pages. All or nothing.
  [[nodiscard]] allocation allocate(std::uint64_t bytes);
  /// Allocates exactly these, which were allocated before a restart. False if one of them is not free.
  [[nodiscard]] bool claim(std::span<extent const> extents);
  void free(std::span<extent const> extents);
  /// Clears everything that is free, before the first allocation from a file with old contents, and from now on what is
  /// freed.
  void clear_free();
  /// Makes the bytes zero and gives their memory back to the system where possible.
  void clear(extent which);

  [[nodiscard]] static std::uint64_t rounded(std::uint64_t bytes) {
    return (bytes + page_bytes - 1) / page_bytes * page_bytes;
  }

 private:
  void map();
  void insert(extent which);
  void erase(std::map<std::uint64_t, std::uint64_t>::iterator which);
  void cut(std::map<std::uint64_t, std::uint64_t>::iterator from, extent which);

  std::uint64_t size_;
  std::uint64_t free_ = 0;
  int file_ = -1;
  bool on_disk_;
  bool keeps_freed_ = false;
  std::byte* base_ = nullptr;
  std::map<std::uint64_t, std::uint64_t> by_offset_;           // free extents: offset → size, no two adjacent
  std::set<std::pair<std::uint64_t, std::uint64_t>> by_size_;  // the same as (size, offset)
};

}  // namespace tess::memd
