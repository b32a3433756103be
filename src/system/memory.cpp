// memory: blocks of classes, and runs of pages.
#include "system/memory.hpp"

namespace tess::system {
namespace {

constexpr std::uint64_t none = ~std::uint64_t{0};

}  // namespace

bool memory_range::manage(std::uint64_t begin, std::uint64_t bytes) {
  std::uint64_t const first = (begin + 63) & ~std::uint64_t{63};
  std::uint64_t const end = begin + bytes;
  std::uint64_t pages = bytes / page_bytes;
  auto const base_with = [&](std::uint64_t count) {
    return (first + count * sizeof(page) + page_bytes - 1) & ~(page_bytes - 1);
  };
  while (pages != 0 && base_with(pages) + pages * page_bytes > end) --pages;
  if (pages == 0) return false;
  pages_ = reinterpret_cast<page*>(first);
  base_ = base_with(pages);
  count_ = free_pages_ = pages;
  next_ = 0;
  for (std::uint64_t k = 0; k < pages; ++k) pages_[k] = {};
  for (auto& one : open_) one = 0;
  return true;
}

std::uint64_t memory_range::find_run(std::uint64_t pages, std::uint64_t begin, std::uint64_t end) const {
  std::uint64_t length = 0;
  for (std::uint64_t k = begin; k < end;) {
    page const& one = pages_[k];
    length = one.is == free_page ? length + 1 : 0;
    k += one.is == run_begin ? one.run : 1;
    if (length == pages) return k - pages;
  }
  return none;
}

std::uint64_t memory_range::find_run(std::uint64_t pages) {
  if (pages > free_pages_) return none;
  std::uint64_t found = find_run(pages, next_, count_);
  if (found == none) found = find_run(pages, 0, count_);
  if (found != none) next_ = found + pages;
  return found;
}

void memory_range::link(std::uint64_t number) {
  page& one = pages_[number];
  std::uint32_t& head = open_[one.size_class];
  one.open = 1;
  one.previous = 0;
  one.next = head;
  if (head != 0) pages_[head - 1].previous = static_cast<std::uint32_t>(number + 1);
  head = static_cast<std::uint32_t>(number + 1);
}

void memory_range::unlink(std::uint64_t number) {
  page& one = pages_[number];
  one.open = 0;
  if (one.next != 0) pages_[one.next - 1].previous = one.previous;
  if (one.previous != 0) {
    pages_[one.previous - 1].next = one.next;
  } else {
    open_[one.size_class] = one.next;
  }
}

void* memory_range::allocate(std::uint64_t bytes) {
  if (bytes == 0 || count_ == 0) return nullptr;
  if (bytes > class_bytes_max) {
    std::uint64_t const pages = (bytes + page_bytes - 1) / page_bytes;
    std::uint64_t const begin = find_run(pages);
    if (begin == none) return nullptr;
    for (std::uint64_t k = begin; k < begin + pages; ++k) pages_[k].is = run_rest;
    pages_[begin].is = run_begin;
    pages_[begin].run = static_cast<std::uint32_t>(pages);
    free_pages_ -= pages;
    return reinterpret_cast<void*>(base_ + begin * page_bytes);
  }
  std::size_t size_class = 0;
  while (bytes_of(size_class) < bytes) ++size_class;
  if (open_[size_class] == 0) {
    std::uint64_t const begin = find_run(1);
    if (begin == none) return nullptr;
    pages_[begin] = {};
    pages_[begin].is = class_page;
    pages_[begin].size_class = static_cast<std::uint8_t>(size_class);
    --free_pages_;
    link(begin);
  }
  std::uint64_t const number = open_[size_class] - 1;
  page& one = pages_[number];
  void* block = one.first;
  if (block != nullptr) {
    one.first = *static_cast<void**>(block);
  } else {
    block = reinterpret_cast<void*>(base_ + number * page_bytes + one.fresh++ * bytes_of(size_class));
  }
  if (++one.used == page_bytes / bytes_of(size_class)) unlink(number);
  return block;
}

bool memory_range::release(void* block) {
  auto const address = reinterpret_cast<std::uint64_t>(block);
  std::uint64_t const number = (address - base_) / page_bytes;
  if (address < base_ || number >= count_) return false;
  page& one = pages_[number];
  std::uint64_t const inside = (address - base_) % page_bytes;
  if (one.is == run_begin && inside == 0) {
    std::uint64_t const pages = one.run;
    for (std::uint64_t k = number; k < number + pages; ++k) pages_[k] = {};
    free_pages_ += pages;
    return true;
  }
  if (one.is != class_page || inside % bytes_of(one.size_class) != 0) return false;
  *static_cast<void**>(block) = one.first;
  one.first = block;
  --one.used;
  if (one.used == 0) {
    if (one.open != 0) unlink(number);
    one = {};
    ++free_pages_;
  } else if (one.open == 0) {
    link(number);
  }
  return true;
}

}  // namespace tess::system
