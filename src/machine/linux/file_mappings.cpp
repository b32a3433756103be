// file_mappings: views in a map by address; pages are moved one by one.
#include "machine/linux/file_mappings.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <set>
#include <span>

namespace tess::machine {
namespace {

using page_bytes = std::array<std::byte, user_page_bytes>;

// How many there are, up to as many as fit; there may be fewer behind the end.
std::size_t read_at(int host, std::span<std::byte> into, std::uint64_t offset) {
  std::size_t done = 0;
  while (done < into.size()) {
    ssize_t const got = ::pread(host, &into[done], into.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

bool write_at(int host, std::span<std::byte const> from, std::uint64_t offset) {
  for (std::size_t done = 0; done < from.size();) {
    ssize_t const put = ::pwrite(host, &from[done], from.size() - done, static_cast<off_t>(offset + done));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    done += static_cast<std::size_t>(put);
  }
  return true;
}

std::uint64_t size_of(int host) {
  struct stat about{};
  return ::fstat(host, &about) == 0 ? static_cast<std::uint64_t>(about.st_size) : 0;
}

file_locks::file name_of(int host) {
  struct stat about{};
  return ::fstat(host, &about) == 0 ? file_locks::file{about.st_dev, about.st_ino} : file_locks::file{};
}

}  // namespace

void file_mappings::take_over(file_mappings&& from) {
  views_ = std::move(from.views_);
  again_ = std::move(from.again_);
}

void file_mappings::each_descriptor(descriptor_visitor const& visit) {
  std::set<host_file*> visited;
  for (auto& [begin, one] : views_) {
    if (!visited.insert(one.file.get()).second) continue;
    int descriptor = one.file->get();
    visit(descriptor);
    if (descriptor == one.file->get()) continue;
    (void)one.file->release();
    *one.file = host_file{descriptor};
  }
}

file_mappings::view const* file_mappings::at(std::uint64_t address) const {
  auto const behind = views_.upper_bound(address);
  if (behind == views_.begin()) return nullptr;
  view const& before = std::prev(behind)->second;
  return before.end > address ? &before : nullptr;
}

std::optional<std::uint64_t> file_mappings::again(view const& wanted, std::uint64_t bytes) {
  for (auto& [begin, one] : views_) {
    std::uint64_t const size = one.end - begin;
    bool const has_all = wanted.offset >= one.offset && bytes <= size && wanted.offset - one.offset <= size - bytes;
    if (one.of != wanted.of || !has_all) continue;
    std::uint64_t const address = begin + (wanted.offset - one.offset);
    if (wanted.may_write && !one.may_write) {
      one.file = wanted.file;
      one.may_write = true;
    }
    if (protect({address, address + bytes}, wanted.writes) != 0) return {};
    for (std::uint64_t page = address; page < address + bytes; page += user_page_bytes) ++again_[page];
    return address;
  }
  return {};
}

bool file_mappings::would_alias(view const& wanted, std::uint64_t bytes, range except) const {
  return std::ranges::any_of(views_, [&](auto const& entry) {
    auto const& [begin, one] = entry;
    bool const excepted = begin < except.second && one.end > except.first;
    bool const overlaps =
        one.offset < wanted.offset + bytes && wanted.offset < one.offset + (one.end - begin) && one.of == wanted.of;
    return overlaps && !excepted && (one.writes || wanted.writes);
  });
}

std::int64_t file_mappings::protect(range of, bool writes) {
  write_back(of);
  for (auto& [begin, one] : views_) {
    if (!writes || one.writes || one.end <= of.first || begin >= of.second) continue;
    if (!one.may_write) return -EACCES;
    view stored = one;
    stored.writes = true;
    if (would_alias(stored, one.end - begin, {begin, one.end})) return -ENODEV;
    one.writes = true;
  }
  return 0;
}

void file_mappings::split(std::uint64_t at) {
  auto const behind = views_.upper_bound(at);
  if (behind == views_.begin()) return;
  auto const holder = std::prev(behind);
  if (holder->first == at || holder->second.end <= at) return;
  view rest = holder->second;
  rest.offset += at - holder->first;
  holder->second.end = at;
  views_.emplace_hint(behind, at, std::move(rest));
}

std::vector<file_mappings::range> file_mappings::release(range of) {
  std::vector<range> gone;
  std::uint64_t begin = of.first;
  for (auto kept = again_.lower_bound(of.first); kept != again_.end() && kept->first < of.second;) {
    if (begin < kept->first) gone.emplace_back(begin, kept->first);
    begin = kept->first + user_page_bytes;
    kept = --kept->second == 0 ? again_.erase(kept) : std::next(kept);
  }
  if (begin < of.second) gone.emplace_back(begin, of.second);
  for (range const& one : gone) forget(one);
  return gone;
}

void file_mappings::forget(range of) {
  split(of.first);
  split(of.second);
  views_.erase(views_.lower_bound(of.first), views_.lower_bound(of.second));
}

std::vector<file_mappings::range> file_mappings::outside(range of) const {
  std::vector<range> result;
  for (auto const& [begin, one] : views_) {
    if (one.end <= of.first || begin >= of.second) continue;
    if (of.first < begin) result.emplace_back(of.first, begin);
    of.first = one.end;
  }
  if (of.first < of.second) result.push_back(of);
  return result;
}

bool file_mappings::write_back(range of) {
  bool all = true;
  for (auto const& [begin, one] : views_)
    if (begin < of.second && of.first < one.end)
      all = write_back_view(begin, one, {std::max(begin, of.first), std::min(one.end, of.second)}) && all;
  return all;
}

// Pages that may not be read now are skipped: they were written back when they lost the right.
bool file_mappings::write_back_view(std::uint64_t address, view const& of, range bytes) {
  if (!of.writes || stopped_) return true;
  int const host = of.file->get();
  std::uint64_t const file_bytes = size_of(host);
  bool all = true;
  for (std::uint64_t page = page_down(bytes.first); page < bytes.second; page += user_page_bytes) {
    std::uint64_t const offset = of.offset + (page - address);
    if (offset >= file_bytes) break;
    page_bytes stored{};
    page_bytes old{};
    std::size_t const size = std::min<std::uint64_t>(user_page_bytes, file_bytes - offset);
    if (!memory_.read(page, std::span{stored}.first(size))) continue;
    if (read_at(host, std::span{old}.first(size), offset) == size && std::memcmp(&stored, &old, size) == 0) continue;
    all = write_at(host, std::span{stored}.first(size), offset) && all;
  }
  return all;
}

void file_mappings::before_reading(int host, std::uint64_t begin, std::uint64_t end) {
  if (views_.empty()) return;
  file_locks::file const of = name_of(host);
  for (auto const& [address, one] : views_) {
    std::uint64_t const first = std::max(begin, one.offset);
    std::uint64_t const last = std::min(end, one.offset + (one.end - address));
    if (one.of == of && first < last)
      write_back_view(address, one, {address + (first - one.offset), address + (last - one.offset)});
  }
}

void file_mappings::after_writing(int host, std::uint64_t begin, std::uint64_t end) {
  if (views_.empty()) return;
  file_locks::file const of = name_of(host);
  std::uint64_t const file_bytes = size_of(host);
  for (auto const& [address, one] : views_) {
    std::uint64_t const last = std::min(end, one.offset + (one.end - address));
    for (std::uint64_t offset = std::max(begin, one.offset); one.of == of && offset < last;) {
      std::uint64_t const to = address + (offset - one.offset);
      if (offset >= file_bytes && to % user_page_bytes == 0) {
        memory_.clear(to, page_up(to + (last - offset)));
        break;
      }
      page_bytes bytes{};  // zero behind the end of the file
      std::uint64_t const size = std::min(last - offset, user_page_bytes - to % user_page_bytes);
      (void)read_at(one.file->get(), std::span{bytes}.first(size), offset);
      memory_.place(to, std::span{bytes}.first(size));
      offset += size;
    }
  }
}

}  // namespace tess::machine
