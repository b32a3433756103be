// file_locks: a list; a lock that is replaced in its middle becomes two.
#include "machine/linux/file_locks.hpp"

#include <algorithm>
#include <cerrno>

namespace tess::machine {
namespace {

constexpr std::size_t locks_max = 4096;

}  // namespace

std::optional<file_locks::lock> file_locks::obstacle(lock const& wanted) const {
  auto const found = std::ranges::find_if(locks_, [&](lock const& one) {
    return one.of == wanted.of && one.owner != wanted.owner && one.begin < wanted.end && wanted.begin < one.end &&
           (one.exclusive || wanted.exclusive);
  });
  return found == locks_.end() ? std::nullopt : std::optional(*found);
}

std::int64_t file_locks::set(lock const& wanted) {
  if (obstacle(wanted)) return -EAGAIN;
  if (locks_.size() >= locks_max) return -ENOLCK;
  clear(wanted.of, wanted.owner, wanted.begin, wanted.end);
  locks_.push_back(wanted);
  return 0;
}

void file_locks::clear(file of, std::uint64_t owner, std::uint64_t begin, std::uint64_t end) {
  std::vector<lock> kept;
  for (lock const& one : locks_) {
    if (one.of != of || one.owner != owner || one.end <= begin || end <= one.begin) {
      kept.push_back(one);
      continue;
    }
    lock piece = one;
    piece.end = begin;
    if (one.begin < begin) kept.push_back(piece);
    piece = one;
    piece.begin = end;
    if (end < one.end) kept.push_back(piece);
  }
  locks_ = std::move(kept);
}

void file_locks::forget(std::uint64_t owner) {
  std::erase_if(locks_, [&](lock const& one) { return one.owner == owner; });
}

}  // namespace tess::machine
