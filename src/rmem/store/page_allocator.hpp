// page_allocator: the server's memory, given to regions in pieces of whole pages and zeroed when they come back.
//
//   One mapping of the whole size, of which only what regions wrote to has pages. A region may get several pieces, so
//   fragmentation refuses nothing that fits. Freed pieces become holes, which read as zeros and cost nothing: nobody
//   sees what a freed region held. In a file, pieces are allocated on the disk before they are given away, so that a
//   full disk is a refusal and not a SIGBUS later.
//
// Units    offsets and sizes in bytes, multiples of page_bytes.
// Threads  one.
// Cost     take and give_back: logarithmic in the number of free pieces, for each piece.
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

struct piece {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  bool operator==(piece const&) const = default;
};

class pages {
 public:
  static constexpr std::uint64_t page_bytes = 4096;

  /// In memory; `size` is rounded up to pages. Throws std::system_error if the system gives none.
  explicit pages(std::uint64_t size);
  /// In this file, which is made if it is not there. What it held stays until the pieces are taken.
  pages(std::uint64_t size, std::filesystem::path const& file);
  pages(pages const&) = delete;
  pages& operator=(pages const&) = delete;
  ~pages();

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::uint64_t free() const { return free_; }
  /// In a file that outlives the server; such memory is not lent.
  [[nodiscard]] bool on_disk() const { return on_disk_; }
  [[nodiscard]] int file() const { return file_; }
  [[nodiscard]] std::byte* at(std::uint64_t offset) const { return base_ + offset; }

  enum class refusal { none, full, disk_full };
  struct taken {
    std::vector<piece> pieces;
    refusal why = refusal::none;
  };
  /// Pieces of `bytes` in all, rounded up to pages. All or nothing.
  [[nodiscard]] taken take(std::uint64_t bytes);
  /// Takes exactly these, which were given before a restart. False if one is not free.
  [[nodiscard]] bool take_again(std::span<piece const> pieces);
  void give_back(std::span<piece const> pieces);
  /// Clears all that is free: before the first take, where a file may hold what was there before.
  void clear_free();
  /// Makes the bytes zero, giving their memory back to the system where it can be had.
  void clear(piece which);

  [[nodiscard]] static std::uint64_t rounded(std::uint64_t bytes) {
    return (bytes + page_bytes - 1) / page_bytes * page_bytes;
  }

 private:
  void map();
  void insert(piece which);
  void erase(std::map<std::uint64_t, std::uint64_t>::iterator which);
  void cut(std::map<std::uint64_t, std::uint64_t>::iterator from, piece which);

  std::uint64_t size_;
  std::uint64_t free_ = 0;
  int file_ = -1;
  bool on_disk_;
  std::byte* base_ = nullptr;
  std::map<std::uint64_t, std::uint64_t> by_offset_;           // free pieces: offset → size, none touching another
  std::set<std::pair<std::uint64_t, std::uint64_t>> by_size_;  // the same as (size, offset)
};

}  // namespace tess::memd
