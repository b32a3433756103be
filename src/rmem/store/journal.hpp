// journal: the files of a server that keeps its regions: PATH has their bytes, PATH.record the log of all changes.
//
//   Each change is one append before it is acknowledged, with checksums over itself and its sequence number. A kill
//   leaves at most one incomplete change at the end, which was never acknowledged; anything else that does not fit
//   is damage and refused. The log is compacted from time to time and at every start: a short one is written beside it
//   and takes its place by rename(2). Space is always allocated ahead, so that changes that free space can still be
//   written on a full disk. The first page of PATH says which log belongs to it. A running server locks both files.
//
// Threads  one.
// Errors   the constructor: std::runtime_error says which file, what is wrong, and what to do. append(): false on a
//          full disk.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "rmem/store/change.hpp"
#include "rmem/wire/sockets.hpp"

namespace tess::memd {

class journal {
 public:
  /// Locks and reads both files; `changes` gets the contents of the log, nothing if it is new. Writes nothing yet.
  journal(std::filesystem::path bytes, std::uint64_t size, std::uint8_t server, std::vector<change>& changes);

  /// The first page of PATH, which belongs to no region.
  static constexpr extent header{0, page_allocator::page_bytes};

  /// Replaces the log, safely against a loss of power. Throws if it cannot be written.
  void compact(std::span<change const> changes);
  /// Continues after the last change that was read. Throws if the file cannot be truncated there.
  void resume();
  [[nodiscard]] bool append(change const& c);
  /// Has grown so much that it should be compacted.
  [[nodiscard]] bool is_long() const { return end_ > 2 * compact_end_ + slack_bytes; }
  void postpone_compaction() { compact_end_ = end_; }
  /// Writes to the disk itself; false: the disk failed.
  [[nodiscard]] bool sync();
  [[noreturn]] void fail(std::string const& what) const;

 private:
  static constexpr std::uint64_t slack_bytes = std::uint64_t{1} << 20;

  void read(std::uint64_t size, std::vector<change>& changes);
  void check_header() const;
  void write_header();
  [[nodiscard]] bool reserve(std::uint64_t end, bool frees);

  std::filesystem::path bytes_path_;
  std::filesystem::path path_;
  std::uint8_t server_;
  std::uint64_t size_;
  std::uint64_t identity_ = 0;
  rmem::descriptor bytes_;
  rmem::descriptor file_;
  std::uint64_t end_ = 0;
  std::uint64_t compact_end_ = 0;
  std::uint64_t reserved_ = 0;
  std::uint64_t count_ = 0;
  bool broken_ = false;
};

}  // namespace tess::memd
