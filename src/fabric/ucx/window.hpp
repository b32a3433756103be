// window: the segment of another process of this host, mapped into this one.
//
//   The owner says where its file is: /proc/<pid>/fd/<number>, which the system opens for the same user only. The
//   file's inode and the host's boot identify the file: in another container the same path may be another file.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tess::detail {

/// Where a segment's file can be found; sent as plain bytes.
struct segment_place {
  char boot[48] = {};  ///< of the host, see /proc/sys/kernel/random/boot_id
  char host[72] = {};
  std::uint64_t bytes = 0;
  std::uint64_t inode = 0;
  std::int32_t process = 0;
  std::int32_t file = -1;
};

[[nodiscard]] segment_place describe_segment(int file, std::uint64_t bytes);
[[nodiscard]] bool same_host(segment_place const& a, segment_place const& b) noexcept;

/// A file of another process of this user, if it still has this inode and is of this type (S_IFREG, S_IFIFO); else -1.
[[nodiscard]] int open_described(std::int32_t process, std::int32_t file, std::uint64_t inode, unsigned type) noexcept;
/// The file there, of at least `bytes`, if its process is one of this host and user; -1 otherwise.
[[nodiscard]] int open_file_of(segment_place const& where, std::uint64_t bytes) noexcept;
/// The same for a segment and the memory behind it.
[[nodiscard]] int open_segment(segment_place const& where) noexcept;

/// Address space for the windows of this process: reserved once, since each of many calls for each of many windows
/// would count.
class window_space {
 public:
  window_space() = default;
  ~window_space() { release(); }
  window_space(window_space const&) = delete;
  window_space& operator=(window_space const&) = delete;

  /// Address space that a window of a segment of so many bytes takes.
  [[nodiscard]] static std::uint64_t bytes_for(std::uint64_t segment_bytes) noexcept;
  /// For all windows together. Without enough address space there are none.
  void reserve(std::uint64_t bytes) noexcept;
  /// Also the memory behind the segment. Null if it cannot be mapped: then there is no window.
  [[nodiscard]] std::byte* map(int file, std::uint64_t segment_bytes, bool huge_pages) noexcept;
  void release() noexcept;

 private:
  std::byte* memory_ = nullptr;
  std::uint64_t bytes_ = 0;
  std::uint64_t used_ = 0;
};

}  // namespace tess::detail
