// segment: the address range of one place: reserved once, committed in chunks, huge pages advised.
//
//   Its size follows from the smallest of the host's memory, its control group's limit, `ulimit -v`, `ulimit -d` and
//   the address space that a sanitizer leaves, so that nobody has to choose it. Commits of all segments together never
//   exceed that limit: running out of memory is an error of the allocation that asked, never a signal later.
//
//   Where many segments share a process, a half of one begins with small pages, because a huge page for each would be
//   most of the process's memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "fabric/fabric.hpp"
#include "fabric/memory_limit.hpp"

namespace tess::detail {

/// Where a segment and the memory behind it are in a file that others have mapped, and keep; `base` null: nowhere.
struct segment_part {
  std::byte* base = nullptr;
  std::byte* behind = nullptr;
  int file = -1;
  std::uint64_t offset = 0, behind_offset = 0;  ///< in the file
};

class segment {
 public:
  /// Memory behind each segment, also in its file, that is not part of the global address space.
  static constexpr std::uint64_t behind_bytes = std::uint64_t{2} << 20;

  /// Reserves address space for one of `places` segments of this process. `shared`: other processes of the user may map
  /// it by file(), which has no name and mode 0600. `behind`: bytes behind it to commit at once; they are zero.
  /// `on_host`: segments of other processes there, too; 0: of this one only. `in`: where a shared one is, of
  /// bytes_of_each().
  explicit segment(unsigned places, bool shared = false, std::uint64_t behind = 0, unsigned on_host = 0,
                   segment_part in = {});
  /// A segment of a process that has one of so many places.
  [[nodiscard]] static std::uint64_t bytes_of_each(unsigned places);
  /// Among so many segments on a host each begins with small pages, which cost less to make.
  [[nodiscard]] static constexpr bool many(unsigned segments) noexcept { return segments > 64; }
  ~segment();
  segment(segment const&) = delete;
  segment& operator=(segment const&) = delete;

  [[nodiscard]] std::byte* base() const noexcept { return base_; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::byte* behind() const noexcept { return behind_; }
  /// -1 unless shared.
  [[nodiscard]] int file() const noexcept { return file_; }

  /// Makes [offset, offset + bytes) usable; false if the range or the machine's memory does not allow it.
  [[nodiscard]] bool commit(std::uint64_t offset, std::uint64_t bytes);
  /// [offset, offset + bytes) may be accessed: a check of addresses that other processes sent.
  [[nodiscard]] bool committed(std::uint64_t offset, std::uint64_t bytes) const noexcept {
    for (half const& h : halves_)
      if (std::uint64_t const end = h.end.load(std::memory_order_relaxed);
          offset >= h.begin && offset <= end && bytes <= end - offset)
        return true;
    return false;
  }
  /// The memory that all segments of this process may still commit.
  [[nodiscard]] memory_room room() const;

 private:
  /// Committed bytes of one half, from its start: both heaps of a segment grow upwards from theirs.
  struct half {
    std::uint64_t begin = 0;
    std::atomic<std::uint64_t> end{0};
    bool huge = false;  ///< huge pages are advised
  };
  bool grow(half& h, std::uint64_t end, std::uint64_t limit);
  bool extend(half& h, std::uint64_t wanted);
  void advise_huge_pages(half& h);
  bool reserve(bool shared);
  bool commit_behind(std::uint64_t bytes);
  void release() noexcept;

  [[nodiscard]] bool fill(std::uint64_t begin, std::uint64_t bytes, bool huge);

  memory_limit limit_;
  unsigned places_;
  int file_ = -1;
  segment_part part_;  ///< `base` null: file and addresses are its own
  std::byte* base_ = nullptr;
  std::byte* behind_ = nullptr;
  std::uint64_t bytes_ = 0;
  bool begins_small_;
  half halves_[2];
  std::mutex mutex_;
};

/// Maps `bytes` of a file (-1: anonymous memory) at a multiple of a huge page; null if there is no room.
[[nodiscard]] std::byte* map_aligned(int file, std::uint64_t bytes, int protection) noexcept;

}  // namespace tess::detail
