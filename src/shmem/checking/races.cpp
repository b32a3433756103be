// races: what each call does to the clocks, and the accesses that they do not order.
#include "shmem/checking/races.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "shmem/call.hpp"
#include "shmem/checking/checks.hpp"
#include "shmem/checking/meetings.hpp"
#include "shmem/checking/report.hpp"
#include "shmem/checking/shadow.hpp"

namespace tess::shmem::checking {

namespace {

/// This PE's call uses what an earlier one with _nbi still needs. Results of two may go to one place that nobody reads.
bool disturbs_own(entry const& e, entry const& now) {
  if (!is_lent(e) || e.epoch == now.epoch) return false;
  if (e.how == use::read) return now.how == use::write || now.how == use::atomic_write;
  return !now.is_borrowed || now.how != use::write;
}

/// Looks for conflicts with what is in the cell, and keeps the access.
void use_cell(location const& at, entry const& now, std::vector<race>& found) {
  cell& c = *cell_of(at, true);
  for (entry const& e : c.entries) {
    auto const both = static_cast<std::uint8_t>(e.mask & now.mask);
    if (both == 0) continue;
    bool const lent = disturbs_own(e, now);
    bool const races = e.pe != now.pe && conflict(e.how, now.how) && !is_before(e, at.pe);
    if (!lent && !races) continue;
    location const common{at.pe, at.in_heap, at.offset / 8 * 8 + static_cast<unsigned>(std::countr_zero(both))};
    race const one{common, static_cast<std::size_t>(std::popcount(both)),   now, e,
                   lent,   races && e.epoch <= done(clock_of(own.pe), e.pe)};
    if (is_news(one)) found.push_back(one);
    // One report for one mistake: what follows is ordered by it.
    if (races && now.how == use::read && e.how == use::write) join(clock_of(own.pe), snapshot_of(e.pe, e.epoch));
  }
  keep(c, now);
}

void use_memory(operation const& o, std::uint16_t site, std::vector<race>& found) {
  number const epoch = line_of(own.pe).epoch;
  for (std::size_t i = 0; i < o.access_count; ++i) {
    access const& a = o.accesses[i];
    entry const now{epoch, static_cast<std::uint16_t>(own.pe), site, 0, a.how, a.is_pending, a.is_borrowed};
    auto const* begin = static_cast<std::byte const*>(a.at);
    location at;
    for (std::size_t block = 0; begin != nullptr && block < a.blocks; ++block, begin += a.step)
      if (a.bytes != 0 && locate(begin, a.bytes, a.pe, at)) use_range(at, a.bytes, now, found);
  }
}

/// What was put before is there.
void complete_puts(operation const& o) {
  number const epoch = line_of(own.pe).epoch;
  number* const mine = clock_of(own.pe);
  for (int pe = 0; pe < own.pes; ++pe)
    if (o.targets == nullptr || pe == own.pe || std::count(o.targets, o.targets + o.target_count, pe) != 0)
      there(mine, own.pe, pe) = epoch;
}

/// A lock's clock is that of its word at PE 0.
bool locate_lock(operation const& o, location& found) {
  return locate(o.word, sizeof(long), 0, found);
}

/// Source and dest of one PE: the same or apart.
void check_overlap(operation const& o) {
  access const& a = o.accesses[0];
  access const& b = o.accesses[1];
  if (o.access_count < 2 || a.pe != b.pe || a.at == b.at || a.blocks != 1 || a.how != use::read || b.how != use::write)
    return;
  auto const source = static_cast<std::byte const*>(a.at);
  auto const dest = static_cast<std::byte const*>(b.at);
  if (source < dest + b.bytes && dest < source + a.bytes)
    fail("source and dest overlap by " +
             std::to_string(std::min(source + a.bytes, dest + b.bytes) - std::max(source, dest)) + " bytes",
         "buffers that are the same or apart");
}

void learn_from_waited(operation const& o, std::uint64_t result) {
  auto const learn = [&](std::size_t i) {
    location word;
    if (locate(static_cast<std::byte const*>(o.ivars) + i * o.item_bytes, o.item_bytes, own.pe, word))
      acquire(word, o.item_bytes, true);
  };
  switch (o.which) {
    case chosen::all:
      for (std::size_t i = 0; i < o.items && (!o.is_test || result != 0); ++i)
        if (o.status == nullptr || o.status[i] == 0) learn(i);
      break;
    case chosen::any:
      if (result < o.items) learn(result);
      break;
    case chosen::some:
      for (std::size_t i = 0; i < result && i < o.items; ++i) learn(o.indices[i]);
      break;
  }
}

/// A collective writes its dest until it ends: only its own PE may then rely on it.
void note_written(operation const& o) {
  operation written = o;
  written.access_count = 0;
  for (std::size_t i = 0; i < o.access_count; ++i)
    if (o.accesses[i].how == use::write) written.add(o.accesses[i]);
  if (written.access_count == 0) return;
  std::vector<race> found;
  {
    locked const all;
    use_memory(written, site_of_call(), found);
    take_snapshot(own.pe);
    ++line_of(own.pe).epoch;
  }
  for (race const& one : found) report_race(one);
}

void note_objects(operation const& o, std::uint64_t result) {
  if (o.freed == nullptr && o.object_bytes == 0) return;
  locked const all;
  if (o.freed != nullptr) forget_object(o.freed);
  if (o.object_bytes != 0) note_object(reinterpret_cast<void const*>(result), o.object_bytes);
}

}  // namespace

void use_range(location at, std::size_t bytes, entry now, std::vector<race>& found) {
  while (bytes != 0) {
    std::size_t const here = bytes_in_cell(at, bytes, now.mask);
    use_cell(at, now, found);
    at.offset += here;
    bytes -= here;
  }
}

void before(operation const& o) {
  check_overlap(o);
  std::vector<race> found;
  {
    locked const all;
    pe_line& mine = line_of(own.pe);
    std::uint16_t const site = site_of_call();
    if (o.what == role::meets && o.completes_puts) complete_puts(o);
    use_memory(o, site, found);
    location word;
    switch (o.what) {
      case role::moves:
        take_snapshot(o.pe);
        if (o.releases && locate(o.word, 1, o.word_pe, word)) release(word);
        break;
      case role::fences:
        mine.fence = mine.epoch;
        break;
      case role::completes:
        complete_puts(o);
        break;
      case role::unlocks:
        complete_puts(o);
        take_snapshot(own.pe);
        if (locate_lock(o, word)) release(word);
        break;
      case role::meets:
        take_snapshot(own.pe);
        break;
      default:
        break;
    }
    ++mine.epoch;
  }
  for (race const& one : found) report_race(one);
  if (o.what == role::meets) come_to_meeting(o);
}

void after(operation const& o, std::uint64_t result) {
  if (o.what == role::meets) {
    leave_meeting(o);
    note_written(o);
    note_objects(o, result);
    return;
  }
  location word;
  bool const locks = o.what == role::locks && (!o.is_test || result == 0);
  bool const learns = o.what == role::moves && o.acquires;
  if (o.what != role::waits && !locks && !learns) return;
  locked const all;
  if (o.what == role::waits) learn_from_waited(o, result);
  if (locks && locate_lock(o, word)) acquire(word, sizeof(long), false);
  if (learns && locate(o.word, 1, o.word_pe, word)) acquire(word, o.bytes, false);
}

}  // namespace tess::shmem::checking
