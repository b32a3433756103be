// page_allocator: a memfd or a file, mapped once; best fit, else the largest free extents.
#include "rmem/store/page_allocator.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <system_error>

namespace tess::memd {

namespace {

[[noreturn]] void fail(char const* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace

page_allocator::page_allocator(std::uint64_t size) : size_(rounded(size)), on_disk_(false) {
  file_ = memfd_create("tess-memd", MFD_CLOEXEC);
  if (file_ < 0) fail("memfd_create");
  map();
}

page_allocator::page_allocator(std::uint64_t size, std::filesystem::path const& file)
    : size_(rounded(size)), on_disk_(true), keeps_freed_(true) {
  file_ = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file_ < 0) fail(file.c_str());
  map();
}

void page_allocator::map() {
  struct stat found{};
  if (fstat(file_, &found) != 0 ||
      (static_cast<std::uint64_t>(found.st_size) < size_ && ftruncate(file_, static_cast<off_t>(size_)) != 0)) {
    close(file_);
    fail("the server's memory");
  }
  void* const memory = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file_, 0);
  if (memory == MAP_FAILED) {
    close(file_);
    fail("the server's memory");
  }
  base_ = static_cast<std::byte*>(memory);
  insert({0, size_});
}

page_allocator::~page_allocator() {
  munmap(base_, size_);
  close(file_);
}

page_allocator::allocation page_allocator::allocate(std::uint64_t bytes) {
  std::uint64_t left = rounded(bytes);
  if (left < bytes || left > free_) return {{}, failure::full};
  allocation result;
  while (left != 0) {
    auto fits = by_size_.lower_bound({left, 0});
    if (fits == by_size_.end()) fits = std::prev(by_size_.end());
    extent const part{fits->second, std::min(left, fits->first)};
    cut(by_offset_.find(part.offset), part);
    result.extents.push_back(part);
    left -= part.size;
  }
  if (!on_disk_) return result;
  for (auto const& [offset, size] : result.extents) {
    // On file systems that cannot allocate, this writes zeros.
    if (posix_fallocate(file_, static_cast<off_t>(offset), static_cast<off_t>(size)) == 0) continue;
    free(result.extents);
    return {{}, failure::disk_full};
  }
  return result;
}

bool page_allocator::claim(std::span<extent const> extents) {
  for (auto const& part : extents) {
    if (part.size == 0 || part.offset % page_bytes != 0 || part.size % page_bytes != 0) return false;
    auto found = by_offset_.upper_bound(part.offset);
    if (found == by_offset_.begin()) return false;
    --found;
    if (part.offset - found->first >= found->second || part.size > found->second - (part.offset - found->first))
      return false;
    cut(found, part);
  }
  return true;
}

void page_allocator::free(std::span<extent const> extents) {
  for (auto const& part : extents) {
    if (!keeps_freed_) clear(part);
    insert(part);
  }
}

void page_allocator::clear_free() {
  keeps_freed_ = false;
  for (auto const& [offset, size] : by_offset_) clear({offset, size});
}

void page_allocator::clear(extent which) {
  if (fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(which.offset),
                static_cast<off_t>(which.size)) != 0)
    std::memset(at(which.offset), 0, which.size);
}

void page_allocator::insert(extent which) {
  free_ += which.size;
  auto const after = by_offset_.lower_bound(which.offset);
  if (after != by_offset_.begin()) {
    auto const before = std::prev(after);
    if (before->first + before->second == which.offset) {
      which = {before->first, before->second + which.size};
      erase(before);
    }
  }
  if (after != by_offset_.end() && which.offset + which.size == after->first) {
    which.size += after->second;
    erase(after);
  }
  by_offset_.emplace(which.offset, which.size);
  by_size_.emplace(which.size, which.offset);
}

void page_allocator::erase(std::map<std::uint64_t, std::uint64_t>::iterator which) {
  by_size_.erase({which->second, which->first});
  by_offset_.erase(which);
}

/// Removes `which` from the free extent that contains it.
void page_allocator::cut(std::map<std::uint64_t, std::uint64_t>::iterator from, extent which) {
  extent const whole{from->first, from->second};
  erase(from);
  free_ -= whole.size;
  if (which.offset != whole.offset) insert({whole.offset, which.offset - whole.offset});
  std::uint64_t const end = which.offset + which.size;
  if (end != whole.offset + whole.size) insert({end, whole.offset + whole.size - end});
}

}  // namespace tess::memd
