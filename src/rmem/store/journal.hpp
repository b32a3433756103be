// journal: the files of a server that keeps its regions: PATH has their bytes, PATH.record what is known of them.
//
//   The record is a log of changes, each written by one append before it is acknowledged, each with checksums over
//   itself and its number in the row. A kill leaves at most one change cut short at the end, which nobody was told of;
//   anything else that does not fit is damage, and refused. From time to time, and at every start, the log is written
//   anew as short as it can be, beside the old one, and takes its place by rename(2).
//   Some room is always allocated ahead, so that what makes room on a full disk can still be written down.
//   The first page of PATH says which record belongs to it. Both are locked while a server has them.
//
// Threads  one.
// Errors   open(): std::runtime_error says which file, what is wrong, and what to do. add(): false on a full disk.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "rmem/store/change.hpp"
#include "rmem/wire/sockets.hpp"

namespace tess::memd {

class record {
 public:
  /// Locks and reads both files; `changes` is what the record says, nothing if they are new. Neither is changed yet.
  record(std::filesystem::path bytes, std::uint64_t size, std::uint8_t server, std::vector<change>& changes);

  /// The first page of PATH, which is no region's.
  static constexpr piece header{0, pages::page_bytes};

  /// Takes the place of what is recorded, also after a loss of power. Throws if it cannot be written.
  void rewrite(std::span<change const> changes);
  /// Goes on at the end of what was read. Throws if the file cannot even be cut there.
  void resume();
  [[nodiscard]] bool add(change const& c);
  /// So much of it says nothing any more, perhaps, that it should be written anew.
  [[nodiscard]] bool is_long() const { return end_ > 2 * short_end_ + spare_bytes; }
  void put_off_rewriting() { short_end_ = end_; }
  /// Onto the disk itself; false: it does not take it.
  [[nodiscard]] bool sync();
  [[noreturn]] void fail(std::string const& what) const;

 private:
  static constexpr std::uint64_t spare_bytes = std::uint64_t{1} << 20;

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
  std::uint64_t short_end_ = 0;
  std::uint64_t reserved_ = 0;
  std::uint64_t count_ = 0;
  bool broken_ = false;
};

}  // namespace tess::memd
