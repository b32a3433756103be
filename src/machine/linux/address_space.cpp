// address_space: mappings in a map by address; they never overlap.
#include "machine/linux/address_space.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <vector>

#include "machine/hart/hart.hpp"

namespace tess::machine {
namespace {

constexpr std::uint64_t lowest_mapping = 0x10000;

}  // namespace

address_space::address_space(user_memory& memory, std::uint64_t heap, std::uint64_t size_bytes,
                             std::uint64_t memory_bytes, std::uint64_t stack_bytes, layout const& moved)
    : memory_(memory),
      size_bytes_(size_bytes),
      memory_bytes_(memory_bytes),
      stack_top_(size_bytes - user_page_bytes - moved.mappings),
      heap_begin_(page_up(heap) + moved.heap),
      heap_end_(heap_begin_) {
  // A heap that begins within a page has the rest of it; brk() gives whole pages.
  if (page_down(heap_begin_) != heap_begin_)
    memory_.set_rights(page_down(heap_begin_), page_up(heap_begin_), right_read | right_write);
  // The last page of memory stays unmapped.
  insert(stack_top() - stack_bytes, stack_top(), right_read | right_write);
}

bool address_space::valid(std::uint64_t address, std::uint64_t bytes) const noexcept {
  return address % user_page_bytes == 0 && bytes != 0 && bytes <= size_bytes_ && address >= lowest_mapping &&
         address <= size_bytes_ - page_up(bytes);
}

bool address_space::is_free(std::uint64_t begin, std::uint64_t end) const noexcept {
  auto next = mappings_.lower_bound(begin);
  if (next != mappings_.end() && next->first < end) return false;
  return next == mappings_.begin() || std::prev(next)->second.end <= begin;
}

void address_space::insert(std::uint64_t begin, std::uint64_t end, std::uint8_t rights) {
  mappings_[begin] = {end, rights};
  memory_.set_rights(begin, end, rights);
}

void address_space::split(std::uint64_t at) {
  auto next = mappings_.upper_bound(at);
  if (next == mappings_.begin()) return;
  auto const holder = std::prev(next);
  if (holder->first == at || holder->second.end <= at) return;
  mappings_.emplace_hint(next, at, holder->second);
  holder->second.end = at;
}

std::uint64_t address_space::find_gap(std::uint64_t bytes) const noexcept {
  std::uint64_t end = stack_top_;
  std::uint64_t const floor = page_up(heap_end_) + user_page_bytes;  // a page between the heap and what is above it
  for (auto above = mappings_.rbegin(); above != mappings_.rend(); ++above) {
    if (above->second.end + bytes <= end && end - bytes >= floor) return end - bytes;
    end = std::min(end, above->first);
  }
  return end >= floor + bytes ? end - bytes : 0;
}

std::int64_t address_space::brk(std::uint64_t wanted) {
  if (wanted >= heap_begin_ && wanted < size_bytes_) {
    std::uint64_t const old_end = page_up(heap_end_);
    std::uint64_t const new_end = page_up(wanted);
    bool const fits =
        new_end <= old_end || (is_free(old_end, new_end) && new_end - page_down(heap_begin_) <= memory_bytes_);
    if (fits && new_end > old_end) memory_.set_rights(old_end, new_end, right_read | right_write);
    if (fits && new_end < old_end) {
      memory_.set_rights(new_end, old_end, 0);
      memory_.clear(new_end, old_end);
    }
    if (fits) heap_end_ = wanted;
  }
  return static_cast<std::int64_t>(heap_end_);
}

std::int64_t address_space::map(std::uint64_t address, std::uint64_t bytes, std::uint8_t rights, std::uint64_t flags) {
  if (bytes == 0) return -EINVAL;
  if (bytes > size_bytes_) return -ENOMEM;
  bytes = page_up(bytes);
  if ((rights & right_write) != 0 && (flags & MAP_NORESERVE) == 0 && bytes > memory_bytes_) return -ENOMEM;
  bool const fixed = (flags & (MAP_FIXED | map_fixed_noreplace)) != 0;
  if (fixed) {
    if (address % user_page_bytes != 0) return -EINVAL;
    if (!valid(address, bytes)) return -ENOMEM;
    if ((flags & map_fixed_noreplace) != 0 && !is_free(address, address + bytes)) return -EEXIST;
    unmap(address, bytes);
  } else {
    address = page_down(address);
    bool const as_hinted = valid(address, bytes) && address > page_up(heap_end_) && is_free(address, address + bytes);
    if (!as_hinted) address = find_gap(bytes);
    if (address == 0) return -ENOMEM;
  }
  insert(address, address + bytes, rights);
  return static_cast<std::int64_t>(address);
}

std::int64_t address_space::unmap(std::uint64_t address, std::uint64_t bytes) {
  if (!valid(address, bytes)) return -EINVAL;
  std::uint64_t const end = address + page_up(bytes);
  split(address);
  split(end);
  mappings_.erase(mappings_.lower_bound(address), mappings_.lower_bound(end));
  memory_.set_rights(address, end, 0);
  memory_.clear(address, end);
  return 0;
}

std::int64_t address_space::protect(std::uint64_t address, std::uint64_t bytes, std::uint8_t rights) {
  if (address % user_page_bytes != 0) return -EINVAL;
  if (bytes == 0) return 0;
  if (!valid(address, bytes)) return -ENOMEM;
  if ((rights & right_write) != 0 && bytes > memory_bytes_) return -ENOMEM;
  std::uint64_t const end = address + page_up(bytes);
  split(address);
  split(end);
  for (auto k = mappings_.lower_bound(address); k != mappings_.end() && k->first < end; ++k) k->second.rights = rights;
  memory_.set_rights(address, end, rights);
  return 0;
}

std::int64_t address_space::remap(std::uint64_t address, std::uint64_t old_bytes, std::uint64_t new_bytes,
                                  std::uint64_t flags) {
  if (!valid(address, old_bytes) || new_bytes == 0 || new_bytes > size_bytes_) return -EINVAL;
  old_bytes = page_up(old_bytes);
  new_bytes = page_up(new_bytes);
  auto const holder = mappings_.upper_bound(address);
  if (holder == mappings_.begin() || std::prev(holder)->second.end < address + old_bytes) return -EFAULT;
  std::uint8_t const rights = std::prev(holder)->second.rights;
  if (new_bytes < old_bytes) unmap(address + new_bytes, old_bytes - new_bytes);
  if (new_bytes <= old_bytes) return static_cast<std::int64_t>(address);
  if (valid(address, new_bytes) && is_free(address + old_bytes, address + new_bytes)) {
    insert(address + old_bytes, address + new_bytes, rights);
    return static_cast<std::int64_t>(address);
  }
  if ((flags & MREMAP_MAYMOVE) == 0) return -ENOMEM;
  std::int64_t const moved = map(0, new_bytes, rights, 0);
  if (moved < 0) return moved;
  std::vector<std::byte> page(user_page_bytes);
  for (std::uint64_t k = 0; k < old_bytes; k += page.size())
    if (memory_.read(address + k, page)) memory_.place(static_cast<std::uint64_t>(moved) + k, page);
  unmap(address, old_bytes);
  return moved;
}

std::int64_t address_space::forget(std::uint64_t address, std::uint64_t bytes) {
  if (address % user_page_bytes != 0) return -EINVAL;
  if (bytes == 0) return 0;
  if (!valid(address, bytes)) return -ENOMEM;
  memory_.clear(address, address + page_up(bytes));
  return 0;
}

}  // namespace tess::machine
