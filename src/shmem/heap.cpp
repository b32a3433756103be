// heap: best fit over pieces that are kept by address and by length.
#include "shmem/heap.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace tess::shmem {

namespace {

constexpr std::size_t granule = 16;

constexpr std::size_t rounded(std::size_t bytes, std::size_t to) {
  return (bytes + to - 1) / to * to;
}

}  // namespace

void symmetric_heap::add_free(std::size_t at, std::size_t bytes) {
  if (bytes == 0) return;
  auto const next = free_.lower_bound(at);
  if (next != free_.end() && next->first == at + bytes) {
    bytes += next->second;
    remove_free(next);
  }
  auto const after = free_.lower_bound(at);
  if (after != free_.begin()) {
    auto const before = std::prev(after);
    if (before->first + before->second == at) {
      at = before->first;
      bytes += before->second;
      remove_free(before);
    }
  }
  free_.emplace(at, bytes);
  by_length_.emplace(bytes, at);
}

void symmetric_heap::remove_free(std::map<std::size_t, std::size_t>::iterator piece) {
  by_length_.erase({piece->second, piece->first});
  free_.erase(piece);
}

void symmetric_heap::divide(std::size_t at) {
  std::size_t const bytes = free_.begin()->second;
  std::size_t const first = at / granule * granule;
  if (first < granule || first + granule > bytes) return;
  remove_free(free_.begin());
  // What lies between is never free, so that nothing is joined across it.
  add_free(0, first - granule);
  add_free(first, bytes - first);
}

std::optional<std::size_t> symmetric_heap::allocate(std::size_t bytes, std::size_t alignment) {
  alignment = std::max(alignment, granule);
  if (bytes > SIZE_MAX / 2) return std::nullopt;
  std::size_t const wanted = rounded(std::max<std::size_t>(bytes, 1), granule);
  for (auto fit = by_length_.lower_bound({wanted, 0}); fit != by_length_.end(); ++fit) {
    auto const [length, begin] = *fit;
    std::size_t const at = rounded(begin_ + begin, alignment) - begin_;
    if (at - begin > length || length - (at - begin) < wanted) continue;
    remove_free(free_.find(begin));
    add_free(begin, at - begin);
    add_free(at + wanted, begin + length - at - wanted);
    used_.emplace(at, wanted);
    return at;
  }
  return std::nullopt;
}

bool symmetric_heap::release(std::size_t at) {
  auto const object = used_.find(at);
  if (object == used_.end()) return false;
  std::size_t const length = object->second;
  used_.erase(object);
  add_free(at, length);
  return true;
}

std::optional<std::size_t> symmetric_heap::size_of(std::size_t at) const {
  auto const object = used_.find(at);
  if (object == used_.end()) return std::nullopt;
  return object->second;
}

bool symmetric_heap::resize(std::size_t at, std::size_t bytes) {
  auto const object = used_.find(at);
  if (object == used_.end() || bytes > SIZE_MAX / 2) return false;
  std::size_t const wanted = rounded(std::max<std::size_t>(bytes, 1), granule);
  std::size_t const have = object->second;
  if (wanted > have) {
    auto const next = free_.find(at + have);
    if (next == free_.end() || next->second < wanted - have) return false;
    std::size_t const left = next->second - (wanted - have);
    remove_free(next);
    add_free(at + wanted, left);
  } else {
    add_free(at + wanted, have - wanted);
  }
  object->second = wanted;
  return true;
}

}  // namespace tess::shmem
