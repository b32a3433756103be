// page_tables: entries in the tile's memory, and who has which page of it.
#include "machine/mmu/page_tables.hpp"

#include <algorithm>
#include <cstring>

#include "machine/hart/hart.hpp"

namespace tess::machine {
namespace {

/// The bits of a leaf; 0: nothing may be done with the page.
std::uint64_t bits_of(std::uint8_t rights) {
  std::uint64_t bits = 0;
  if ((rights & right_read) != 0) bits |= sv39::read;
  // A page that can be written but not read is reserved.
  if ((rights & right_write) != 0) bits |= sv39::read | sv39::write | sv39::dirty;
  if ((rights & right_execute) != 0) bits |= sv39::execute;
  return bits == 0 ? 0 : bits | sv39::valid | sv39::user | sv39::accessed;
}

}  // namespace

page_tables::page_tables(tile& at, local_window const& window, kernel const& clock, picoseconds tile_clock_ps,
                         std::uint64_t reserved_bytes)
    : tile_(at),
      window_(window),
      clock_(clock),
      cycles_(tile_clock_ps),
      first_(reserved_bytes >> sv39::page_shift),
      end_(window.program_bytes() >> sv39::page_shift),
      next_(first_),
      tables_(end_),
      owner_(end_),
      root_(global_of(*take_table())) {}

std::uint64_t page_tables::entry_at(std::uint64_t physical) const {
  std::uint64_t entry = 0;
  std::memcpy(&entry, tile_.peek(physical), sizeof entry);
  return entry;
}

void page_tables::write_entry(std::uint64_t physical, std::uint64_t entry) {
  tile_.poke(physical, std::as_bytes(std::span(&entry, 1)));
  tile_.snoop(physical, sizeof entry, nullptr, cycles_.count(clock_.now()) + 1);
}

std::optional<std::uint64_t> page_tables::leaf_of(std::uint64_t page) const {
  std::uint64_t table = root_;
  for (unsigned level = sv39::levels - 1; level > 0; --level) {
    std::uint64_t const entry = entry_at(table + sv39::index_of(page, level) * sv39::entry_bytes);
    if (!sv39::is_valid(entry)) return std::nullopt;
    table = sv39::target_of(entry);
  }
  return table + sv39::index_of(page, 0) * sv39::entry_bytes;
}

std::optional<std::uint64_t> page_tables::physical(std::uint64_t address) const {
  if (address >= sv39::user_end) return std::nullopt;
  auto const at = leaf_of(address >> sv39::page_shift);
  std::uint64_t const entry = at ? entry_at(*at) : 0;
  if (entry == 0) return std::nullopt;
  return sv39::target_of(entry) + address % sv39::page_bytes;
}

std::optional<std::uint64_t> page_tables::program_address(std::uint64_t physical) const noexcept {
  auto const local = window_.local(physical);
  if (!local) return std::nullopt;
  std::uint32_t const owner = owner_[*local >> sv39::page_shift];
  if (owner == 0) return std::nullopt;
  return (std::uint64_t{owner - 1} << sv39::page_shift) + *local % sv39::page_bytes;
}

std::optional<std::uint64_t> page_tables::take_frame() noexcept {
  if (!free_.empty()) {
    std::uint64_t const frame = free_.back();
    free_.pop_back();
    return frame;
  }
  if (next_ == tables_) return std::nullopt;
  return next_++;
}

std::optional<std::uint64_t> page_tables::take_table() noexcept {
  if (next_ == tables_) return std::nullopt;
  return --tables_;
}

bool page_tables::provide(std::uint64_t address, std::uint8_t rights) {
  std::uint64_t const page = address >> sv39::page_shift;
  std::uint64_t table = root_;
  for (unsigned level = sv39::levels - 1; level > 0; --level) {
    std::uint64_t const at = table + sv39::index_of(page, level) * sv39::entry_bytes;
    std::uint64_t const entry = entry_at(at);
    if (sv39::is_valid(entry)) {
      table = sv39::target_of(entry);
      continue;
    }
    auto const added = take_table();
    if (!added) {
      exhausted_ = true;
      return false;
    }
    table = global_of(*added);
    write_entry(at, sv39::entry_to(table, sv39::valid));
  }
  std::uint64_t const at = table + sv39::index_of(page, 0) * sv39::entry_bytes;
  if (entry_at(at) != 0) return true;
  auto const frame = take_frame();
  if (!frame) {
    exhausted_ = true;
    return false;
  }
  owner_[*frame] = static_cast<std::uint32_t>(page + 1);
  write_entry(at, sv39::entry_to(global_of(*frame), bits_of(rights)));
  return true;
}

void page_tables::for_each(std::uint64_t first, std::uint64_t end,
                           std::function<void(std::uint64_t at, std::uint64_t entry)> const& visit) {
  for (std::uint64_t page = first; page < end;) {
    std::uint64_t table = root_;
    unsigned level = sv39::levels - 1;
    std::uint64_t entry = 0;
    for (; level > 0; --level) {
      entry = entry_at(table + sv39::index_of(page, level) * sv39::entry_bytes);
      if (!sv39::is_valid(entry)) break;
      table = sv39::target_of(entry);
    }
    if (level > 0) {
      // Nothing below this entry is there.
      std::uint64_t const pages = std::uint64_t{1} << (sv39::index_bits * level);
      page = (page / pages + 1) * pages;
      continue;
    }
    std::uint64_t const last = std::min(end, (page / sv39::entries + 1) * sv39::entries);
    for (; page < last; ++page) {
      std::uint64_t const at = table + sv39::index_of(page, 0) * sv39::entry_bytes;
      entry = entry_at(at);
      if (entry != 0) visit(at, entry);
    }
  }
}

void page_tables::set_rights(std::uint64_t begin, std::uint64_t end, std::uint8_t rights) {
  std::uint64_t const bits = bits_of(rights);
  for_each(begin >> sv39::page_shift, end >> sv39::page_shift, [&](std::uint64_t at, std::uint64_t entry) {
    std::uint64_t const changed = sv39::entry_to(sv39::target_of(entry), bits);
    if (changed != entry) write_entry(at, changed);
  });
}

void page_tables::release(std::uint64_t begin, std::uint64_t end) {
  for_each(begin >> sv39::page_shift, end >> sv39::page_shift, [&](std::uint64_t at, std::uint64_t entry) {
    write_entry(at, 0);
    std::uint64_t const physical = sv39::target_of(entry);
    tile_.discard(physical, sv39::page_bytes);
    std::uint64_t const frame = *window_.local(physical) >> sv39::page_shift;
    owner_[frame] = 0;
    free_.push_back(frame);
  });
}

}  // namespace tess::machine
