// file_mappings: pages of a program that are bytes of a file (MAP_SHARED).
//
//   The pages and the file of the host are two copies, which system calls keep equal: before one reads the file, or
//   ends a mapping, what was stored to the pages is written back; after one has written to the file, the pages get it.
//   Bytes of a file that may be stored to have one address: mapped again, they are given where they are already, and
//   stay until they are unmapped as often. Other programs of the host, and copies on other tiles, share nothing.
//
// Units     bytes; addresses are multiples of pages.
// Cost      by mapping: of the pages that a call concerns, which are compared with the file.
// Threads   none.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "machine/linux/file_access.hpp"
#include "machine/linux/file_locks.hpp"
#include "machine/linux/user_memory.hpp"

namespace tess::machine {

class file_mappings {
 public:
  using range = std::pair<std::uint64_t, std::uint64_t>;  // the first, and the one behind the last

  struct view {
    std::uint64_t end = 0;            // of the addresses
    std::uint64_t offset = 0;         // in the file, of the first
    std::shared_ptr<host_file> file;  // of its own: it outlives the program's descriptor
    file_locks::file of;
    bool may_write = false;  // the descriptor was open for writing
    bool writes = false;     // pages could be stored to
  };

  explicit file_mappings(user_memory& memory) : memory_(memory) {}
  void take_over(file_mappings&& from);
  [[nodiscard]] bool empty() const noexcept { return views_.empty(); }
  void each_descriptor(descriptor_visitor const& visit);
  // Files have already, or must not get, what would be written to them.
  void stop_writing(bool stops) noexcept { stopped_ = stops; }

  // Mappings.
  // The view that has this address; null: none.
  [[nodiscard]] view const* at(std::uint64_t address) const;
  // Its first one.
  [[nodiscard]] std::uint64_t begin_of(std::uint64_t address) const {
    return std::prev(views_.upper_bound(address))->first;
  }
  // Where the bytes that `wanted` has from its offset on are mapped already; there they are once more now.
  std::optional<std::uint64_t> again(view const& wanted, std::uint64_t bytes);
  // Have some of them another address, where either of both could be stored to? Those in `except` do not count.
  [[nodiscard]] bool would_alias(view const& wanted, std::uint64_t bytes, range except = {0, 0}) const;
  // These pages are to have other rights. 0, EACCES, or ENODEV: then there would be aliases.
  std::int64_t protect(range of, bool writes);
  void add(std::uint64_t address, view added) { views_[address] = std::move(added); }
  // Which of these pages cease to exist: all but those that were mapped more than once.
  [[nodiscard]] std::vector<range> release(range of);
  // They are gone.
  void forget(range of);
  // What does not belong to a file.
  [[nodiscard]] std::vector<range> outside(range of) const;
  [[nodiscard]] bool are_several(range of) const {
    return again_.lower_bound(of.first) != again_.lower_bound(of.second);
  }

  // Contents. False: the host could not write all.
  bool write_back(range of);
  bool write_back_all() { return write_back({0, ~std::uint64_t{0}}); }
  // The bytes [begin, end) of this file: from the pages, to the pages.
  void before_reading(int host, std::uint64_t begin = 0, std::uint64_t end = to_the_end);
  void after_writing(int host, std::uint64_t begin = 0, std::uint64_t end = to_the_end);

 private:
  static constexpr std::uint64_t to_the_end = ~std::uint64_t{0} >> 1U;
  void split(std::uint64_t at);
  bool write_back_view(std::uint64_t address, view const& of, range bytes);

  user_memory& memory_;
  std::map<std::uint64_t, view> views_;           // by their first address; they do not overlap
  std::map<std::uint64_t, std::uint32_t> again_;  // by page: how often it was mapped beyond the first time
  bool stopped_ = false;
};

}  // namespace tess::machine
