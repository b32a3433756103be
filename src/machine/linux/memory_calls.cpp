// memory_calls: the calls of a program on its mappings: of memory alone (address_space), or of a file (file_mappings).
#include <sys/mman.h>

#include <cerrno>
#include <cstdio>

#include "machine/linux/program.hpp"

namespace tess::machine {
namespace {

std::uint8_t rights_of(std::uint64_t protection) {
  std::uint8_t rights = 0;
  if ((protection & PROT_READ) != 0) rights |= right_read;
  if ((protection & PROT_WRITE) != 0) rights |= right_write | right_read;
  if ((protection & PROT_EXEC) != 0) rights |= right_execute | right_read;
  return rights;
}

}  // namespace

std::int64_t program::refuse_alias() {
  if (!std::exchange(has_refused_alias_, true))
    std::fputs(
        "machine: the program wants to have bytes of a file at two addresses, and to store to them (MAP_SHARED); "
        "memory of a machine has one address: ENODEV\n",
        stderr);
  return -ENODEV;
}

// Anonymous memory, and copies of files, which are read at once.
std::int64_t program::map(call_arguments const& a) {
  file_mappings& shared = files_.mappings();
  bool const of_file = (a[3] & MAP_ANONYMOUS) == 0;
  bool const fixed = (a[3] & (MAP_FIXED | address_space::map_fixed_noreplace)) != 0;
  std::uint64_t const bytes = page_up(a[1]);
  file_mappings::view wanted;
  if (of_file && (a[3] & MAP_TYPE) != MAP_PRIVATE && bytes != 0) {
    if (auto const failed = files_.view_of(a, wanted); failed != 0) return failed;
    if (wanted.file != nullptr && !fixed) {
      if (auto const there = shared.again(wanted, bytes)) {
        space_.protect(*there, bytes, rights_of(a[2]) | (shared.at(*there)->writes ? right_write : 0) | right_read);
        return static_cast<std::int64_t>(*there);
      }
    }
    if (wanted.file != nullptr && shared.would_alias(wanted, bytes)) return refuse_alias();
  }
  if (fixed && shared.are_several({a[0], a[0] + bytes})) return refuse_alias();
  if (fixed) shared.write_back({a[0], a[0] + bytes});
  std::int64_t const where = space_.map(a[0], a[1], rights_of(a[2]), a[3]);
  if (where < 0) return where;
  auto const at = static_cast<std::uint64_t>(where);
  shared.forget({at, at + bytes});
  if (!of_file) return where;
  memory_.set_rights(at, at + bytes, right_read | right_write);
  std::int64_t const got = files_.pread64({a[4], at, bytes, a[5], 0, 0});
  if (got < 0) {
    space_.unmap(at, a[1]);
    return got;
  }
  memory_.set_rights(at, at + bytes, rights_of(a[2]));
  wanted.end = at + bytes;
  if (wanted.file != nullptr) shared.add(at, std::move(wanted));
  return where;
}

std::int64_t program::unmap(call_arguments const& a) {
  file_mappings& shared = files_.mappings();
  if (shared.empty() || !space_.valid(a[0], a[1])) return space_.unmap(a[0], a[1]);
  shared.write_back({a[0], a[0] + page_up(a[1])});
  for (auto const& [begin, end] : shared.release({a[0], a[0] + page_up(a[1])}))
    if (auto const failed = space_.unmap(begin, end - begin); failed != 0) return failed;
  return 0;
}

std::int64_t program::remap(call_arguments const& a) {
  file_mappings& shared = files_.mappings();
  std::uint64_t const old_bytes = page_up(a[1]);
  std::uint64_t const bytes = page_up(a[2]);
  file_mappings::view const* const known = shared.at(a[0]);
  if (known == nullptr) return space_.remap(a[0], a[1], a[2], a[3]);
  if (old_bytes > known->end - a[0]) return -EFAULT;
  if (shared.are_several({a[0], a[0] + old_bytes})) return refuse_alias();
  file_mappings::view moved = *known;
  std::uint64_t const begin = shared.begin_of(a[0]);
  moved.offset += a[0] - begin;
  if (bytes > old_bytes && shared.would_alias(moved, bytes, {begin, known->end})) return refuse_alias();
  shared.write_back({a[0], a[0] + old_bytes});
  std::int64_t const where = space_.remap(a[0], a[1], a[2], a[3]);
  if (where < 0) return where;
  shared.forget({a[0], a[0] + old_bytes});
  moved.end = static_cast<std::uint64_t>(where) + bytes;
  int const host = moved.file->get();
  std::uint64_t const offset = moved.offset;
  shared.add(static_cast<std::uint64_t>(where), std::move(moved));
  shared.after_writing(host, offset + old_bytes, offset + bytes);
  return where;
}

std::int64_t program::protect(call_arguments const& a) {
  bool const writes = (a[2] & PROT_WRITE) != 0;
  std::int64_t const failed = files_.mappings().protect({a[0], a[0] + page_up(a[1])}, writes);
  if (failed == -ENODEV) return refuse_alias();
  return failed != 0 ? failed : space_.protect(a[0], a[1], rights_of(a[2]));
}

// Pages of files keep what they have: nothing of it is lost when they are read again.
std::int64_t program::advise(call_arguments const& a) {
  if (a[2] != MADV_DONTNEED) return 0;
  if (files_.mappings().empty()) return space_.forget(a[0], a[1]);
  for (auto const& [begin, end] : files_.mappings().outside({a[0], a[0] + page_up(a[1])}))
    if (auto const failed = space_.forget(begin, end - begin); failed != 0) return failed;
  return 0;
}

std::int64_t program::sync(call_arguments const& a) {
  if (a[0] % user_page_bytes != 0) return -EINVAL;
  return files_.mappings().write_back({a[0], a[0] + page_up(a[1])}) ? 0 : -EIO;
}

}  // namespace tess::machine
