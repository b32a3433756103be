// heap: boundary tags, bins, and growth at the top.
#include "runtime/memory/heap.hpp"

#include <algorithm>
#include <bit>

#include "tess/assert.hpp"

namespace tess::detail {

heap::heap(std::byte* base, std::uint64_t begin, std::uint64_t end,
           std::function<bool(std::uint64_t, std::uint64_t)> commit)
    : base_(base),
      begin_(begin),
      end_(end),
      top_(begin),
      left_lines_((end - begin) / line),
      commit_(std::move(commit)) {}

unsigned heap::bin_of(std::uint64_t lines) noexcept {
  // Four bins per power of two: the two bits below the highest choose. lines >= 2.
  unsigned const exponent = static_cast<unsigned>(std::bit_width(lines)) - 1;
  unsigned const fraction = exponent < 2 ? 0 : static_cast<unsigned>(lines >> (exponent - 2)) & 3U;
  return 4 * exponent + fraction;
}

void heap::insert(std::uint64_t offset) noexcept {
  tag& t = at(offset);
  unsigned const b = bin_of(t.lines);
  t.check = 0;
  t.prev = 0;
  t.next = first_[b];
  if (t.next != 0) at(t.next).prev = offset;
  first_[b] = offset;
  occupied_[b / 64] |= std::uint64_t{1} << (b % 64);
}

void heap::remove(std::uint64_t offset) noexcept {
  tag const& t = at(offset);
  unsigned const b = bin_of(t.lines);
  if (t.next != 0) at(t.next).prev = t.prev;
  if (t.prev != 0)
    at(t.prev).next = t.next;
  else if ((first_[b] = t.next) == 0)
    occupied_[b / 64] &= ~(std::uint64_t{1} << (b % 64));
}

void heap::set_left_of_next(std::uint64_t offset) noexcept {
  tag const& t = at(offset);
  std::uint64_t const next = offset + t.lines * line;
  if (next < top_)
    at(next).lines_left = t.lines;
  else
    last_lines_ = t.lines;
}

std::uint64_t heap::take_free(std::uint64_t lines) noexcept {
  // Blocks of the request's own bin may be too small: try its first block, then the larger bins.
  unsigned const own = bin_of(lines);
  std::uint64_t offset = first_[own];
  if (offset == 0 || at(offset).lines < lines) {
    offset = 0;
    for (unsigned word = (own + 1) / 64, bit = (own + 1) % 64; word < occupied_.size() && offset == 0;
         ++word, bit = 0) {
      std::uint64_t const candidates = occupied_[word] >> bit << bit;
      if (candidates != 0) offset = first_[64 * word + static_cast<unsigned>(std::countr_zero(candidates))];
    }
    if (offset == 0) return 0;
  }
  remove(offset);
  tag& t = at(offset);
  if (t.lines >= lines + 2) {
    std::uint64_t const rest = offset + lines * line;
    at(rest).lines = t.lines - lines;
    at(rest).lines_left = lines;
    t.lines = lines;
    set_left_of_next(rest);
    insert(rest);
  }
  return offset;
}

std::uint64_t heap::extend(std::uint64_t lines) {
  if (lines > (end_ - top_) / line || !commit_(top_, lines * line)) return 0;
  std::uint64_t const offset = top_;
  top_ += lines * line;
  at(offset).lines = lines;
  at(offset).lines_left = last_lines_;
  last_lines_ = lines;
  return offset;
}

std::uint64_t heap::allocate(std::uint64_t bytes) {
  if (bytes > end_ - begin_) return 0;
  std::uint64_t const lines = std::max<std::uint64_t>((bytes + line - 1) / line, 1) + 1;
  std::uint64_t offset = take_free(lines);
  if (offset == 0) offset = extend(lines);
  if (offset == 0) return 0;
  at(offset).check = offset ^ magic;
  left_lines_ -= at(offset).lines;
  return offset + line;
}

std::uint64_t heap::bytes_of(std::uint64_t address) const noexcept {
  if (address % line != 0 || address < begin_ + line || address >= top_) return 0;
  tag const& t = at(address - line);
  return t.check == ((address - line) ^ magic) ? (t.lines - 1) * line : 0;
}

bool heap::release(std::uint64_t address) {
  if (bytes_of(address) == 0) return false;
  std::uint64_t offset = address - line;
  left_lines_ += at(offset).lines;
  at(offset).check = 0;
  std::uint64_t const next = offset + at(offset).lines * line;
  if (next < top_ && at(next).check == 0) {
    remove(next);
    at(offset).lines += at(next).lines;
  }
  if (std::uint64_t const left = at(offset).lines_left; left != 0) {
    std::uint64_t const before = offset - left * line;
    if (at(before).check == 0) {
      remove(before);
      at(before).lines += at(offset).lines;
      offset = before;
    }
  }
  set_left_of_next(offset);
  insert(offset);
  return true;
}

}  // namespace tess::detail
