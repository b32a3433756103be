// shadow: the table of cells.
#include "shmem/checking/shadow.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace tess::shmem::checking {

namespace {

constexpr std::size_t ways = 4;
constexpr std::uint64_t buckets = std::uint64_t{1} << 18U;

std::uint64_t key_of(location const& l) {
  return (static_cast<std::uint64_t>(l.pe + 1) << 48U) | (std::uint64_t{l.in_heap} << 47U) | l.offset / 8;
}

cell* bucket_of(std::uint64_t key) {
  constexpr std::uint64_t together = 64;
  std::uint64_t mixed = key / together * 0x9e3779b97f4a7c15U;
  mixed ^= mixed >> 29U;
  return reinterpret_cast<cell*>(cells()) + (mixed * together + key % together) % buckets * ways;
}

bool is_plain_write(entry const& e) {
  return e.mask != 0 && e.how == use::write;
}

void forget(entry const& e) {
  if (is_plain_write(e)) join(lost_clock(), snapshot_of(e.pe, e.epoch));
}

void forget(cell& c) {
  for (entry const& e : c.entries) forget(e);
  if (c.clock != 0) {
    join(lost_clock(), clock_at(c.clock - 1));
    if (c.clock > 1) free_clock(c.clock - 1);
  }
}

/// Whoever conflicts with `b` conflicts with `a`, too.
bool covers(use a, use b) {
  if (a == use::write || a == b) return true;
  return b == use::atomic_read;
}

}  // namespace

bool locate(void const* at, std::size_t bytes, int pe, location& found) {
  auto const address = static_cast<std::byte const*>(at);
  auto const in_heap = static_cast<std::size_t>(address - own.heap);
  auto const in_data = static_cast<std::size_t>(address - own.data);
  if (in_heap < own.heap_bytes && bytes <= own.heap_bytes - in_heap)
    found = {pe, true, in_heap};
  else if (in_data < own.data_bytes && bytes <= own.data_bytes - in_data)
    found = {pe, false, in_data};
  else
    return false;
  return true;
}

cell* cell_of(location const& l, bool makes) {
  std::uint64_t const key = key_of(l);
  cell* const bucket = bucket_of(key);
  cell* free = nullptr;
  for (std::size_t i = 0; i < ways; ++i) {
    if (bucket[i].key == key) return &bucket[i];
    if (bucket[i].key == 0 && free == nullptr) free = &bucket[i];
  }
  if (!makes) return nullptr;
  if (free == nullptr) {
    free = &bucket[bucket->turn++ % ways];
    forget(*free);
  }
  std::uint32_t const turn = free->turn;
  *free = {};
  free->key = key;
  free->turn = turn;
  return free;
}

std::size_t bytes_in_cell(location const& l, std::size_t bytes, std::uint8_t& mask) {
  std::size_t const first = l.offset % 8;
  std::size_t const count = std::min(bytes, 8 - first);
  mask = static_cast<std::uint8_t>(((1U << count) - 1U) << first);
  return count;
}

bool is_before(entry const& e, int memory_of) {
  number* const clock = clock_of(own.pe);
  return e.epoch <= (e.is_pending ? there(clock, e.pe, memory_of) : done(clock, e.pe));
}

bool is_lent(entry const& e) {
  return e.is_borrowed && e.pe == own.pe && e.epoch > there(clock_of(own.pe), own.pe, own.pe);
}

bool conflict(use a, use b) {
  auto const reads = [](use u) { return u == use::read || u == use::atomic_read; };
  auto const atomic = [](use u) { return u == use::atomic_read || u == use::atomic_write; };
  return !(reads(a) && reads(b)) && !(atomic(a) && atomic(b));
}

void keep(cell& c, entry const& now) {
  auto const memory_of = static_cast<int>((c.key >> 48U) - 1);
  for (entry& e : c.entries) {
    if (e.mask == 0 || (e.mask & ~now.mask) != 0 || !covers(now.how, e.how) || is_lent(e)) continue;
    bool const is_older = e.pe == now.pe ? now.is_pending || !e.is_pending : is_before(e, memory_of);
    if (is_older) e.mask = 0;
  }
  auto place = std::ranges::find(c.entries, 0, &entry::mask);
  if (place == std::end(c.entries)) {
    // Reads go first: nobody learns anything of them.
    place = std::ranges::find(c.entries, use::read, &entry::how);
    if (place == std::end(c.entries)) place = &c.entries[c.turn++ % std::size(c.entries)];
    forget(*place);
  }
  *place = now;
}

void acquire(location const& l, std::size_t bytes, bool has_waited) {
  number* const mine = clock_of(own.pe);
  cell* const c = cell_of(l, false);
  join(mine, lost_clock());
  if (c == nullptr) return;
  if (c->clock != 0) join(mine, clock_at(c->clock - 1));
  std::uint8_t mask = 0;
  bytes_in_cell(l, bytes, mask);
  for (entry& e : c->entries) {
    if ((e.mask & mask) == 0 || e.how == use::read || e.how == use::atomic_read) continue;
    if (has_waited && e.how == use::write && e.pe != own.pe) join(mine, snapshot_of(e.pe, e.epoch));
    // What was waited for has arrived, and so has an atomic whose word an atomic has seen.
    if (!e.is_borrowed && (has_waited || e.how == use::atomic_write)) e.is_pending = false;
  }
}

void release(location const& l) {
  cell& c = *cell_of(l, true);
  if (c.clock == 0) c.clock = make_clock() + 1;
  join(clock_at(c.clock - 1), snapshot_of(own.pe, line_of(own.pe).epoch));
}

}  // namespace tess::shmem::checking
