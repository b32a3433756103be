// area: where everything lies, and arithmetic of clocks.
#include "shmem/checking/area.hpp"

#include <sched.h>

#include <algorithm>
#include <cstring>

#include "shmem/waiting.hpp"

namespace tess::shmem::checking {

namespace {

constexpr std::size_t begin_of_area = std::size_t{1} << 20U;  // behind the control block
static_assert(sizeof(detail::shmem_job::control) <= begin_of_area);
constexpr std::size_t clock_bytes_max = std::size_t{64} << 20U;
constexpr int columns_max = 32;

struct layout {
  std::size_t pes = 0;
  std::size_t columns = 0;
  std::size_t words = 0;
  std::size_t snapshots = 0;
  std::size_t meeting_bytes = 0;
  std::byte *heads, *lines, *sets, *clocks, *kept, *sites, *meetings, *pool, *cells;
} all;

std::size_t bytes_of_clock() {
  return all.words * sizeof(number);
}
number* kept(int pe, number epoch) {
  std::size_t const at = static_cast<std::size_t>(pe) * all.snapshots + epoch % all.snapshots;
  return reinterpret_cast<number*>(all.kept + at * (sizeof(number) + bytes_of_clock()));
}

}  // namespace

void open_area() {
  constexpr std::size_t kept_bytes = std::size_t{1} << 20U;
  all.pes = static_cast<std::size_t>(own.pes);
  all.columns = own.pes <= columns_max ? all.pes : 1;
  all.words = all.pes * (1 + all.columns);
  all.snapshots = std::clamp<std::size_t>(kept_bytes / bytes_of_clock(), 8, 4096);
  all.meeting_bytes = sizeof(meeting) + bytes_of_clock();
  std::byte* at = reinterpret_cast<std::byte*>(own.control) + begin_of_area;
  auto const take = [&at](std::size_t bytes) {
    constexpr std::size_t page = 4096;
    std::byte* const taken = at;
    at += (bytes + page - 1) / page * page;
    return taken;
  };
  all.heads = take(sizeof(header));
  all.lines = take(all.pes * sizeof(pe_line));
  all.sets = take(sets_max * sizeof(pe_set));
  all.clocks = take((all.pes + 1) * bytes_of_clock());
  all.kept = take(all.pes * all.snapshots * (sizeof(number) + bytes_of_clock()));
  all.sites = take(all.pes * sites_max() * sizeof(site));
  all.meetings = take(sets_max * meetings_kept * all.meeting_bytes);
  all.pool = take(clock_bytes_max);
  all.cells = at;
}

header& head() {
  return *reinterpret_cast<header*>(all.heads);
}
pe_line& line_of(int pe) {
  return reinterpret_cast<pe_line*>(all.lines)[pe];
}
std::size_t sites_max() {
  constexpr std::size_t of_a_pe = std::size_t{1} << 15U;
  constexpr std::size_t of_all = std::size_t{1} << 22U;
  return std::min(of_a_pe, of_all / all.pes);
}
site& site_at(int pe, std::size_t index) {
  return reinterpret_cast<site*>(all.sites)[static_cast<std::size_t>(pe) * sites_max() + index];
}
pe_set& set_at(std::size_t index) {
  return reinterpret_cast<pe_set*>(all.sets)[index];
}
meeting& meeting_at(std::size_t set, number which) {
  return *reinterpret_cast<meeting*>(all.meetings + (set * meetings_kept + which % meetings_kept) * all.meeting_bytes);
}
number* clock_of_meeting(meeting& m) {
  return reinterpret_cast<number*>(&m + 1);
}
std::byte* cells() {
  return all.cells;
}

std::size_t clock_words() {
  return all.words;
}
number* clock_of(int pe) {
  return reinterpret_cast<number*>(all.clocks) + static_cast<std::size_t>(pe) * all.words;
}
number* lost_clock() {
  return clock_of(own.pes);
}
number& done(number* clock, int pe) {
  return clock[pe];
}
number& there(number* clock, int pe, int target) {
  auto const row = static_cast<std::size_t>(pe) * all.columns;
  return clock[all.pes + row + (all.columns == 1 ? 0 : static_cast<std::size_t>(target))];
}
void join(number* into, number const* from) {
  for (std::size_t i = 0; i < all.words; ++i) into[i] = std::max(into[i], from[i]);
}

void take_snapshot(int target) {
  pe_line& mine = line_of(own.pe);
  number* const copy = kept(own.pe, mine.epoch);
  *copy = mine.epoch;
  number* const clock = copy + 1;
  std::memcpy(clock, clock_of(own.pe), bytes_of_clock());
  done(clock, own.pe) = mine.epoch;
  number& row = there(clock, own.pe, target);
  row = std::max(row, mine.fence);
}

number const* snapshot_of(int pe, number epoch) {
  number* const copy = kept(pe, epoch);
  return *copy == epoch ? copy + 1 : clock_of(pe);
}

std::uint32_t make_clock() {
  header& h = head();
  auto index = static_cast<std::uint32_t>(h.free_clock);
  if (index != 0) {
    h.free_clock = *clock_at(index);
  } else {
    if ((h.clocks_used + 2) * bytes_of_clock() > clock_bytes_max) return 0;
    index = static_cast<std::uint32_t>(++h.clocks_used);
  }
  std::memcpy(clock_at(index), lost_clock(), bytes_of_clock());
  return index;
}
void free_clock(std::uint32_t index) {
  *clock_at(index) = head().free_clock;
  head().free_clock = index;
}
number* clock_at(std::uint32_t index) {
  return reinterpret_cast<number*>(all.pool) + index * all.words;
}

locked::locked() {
  std::uint32_t free = 0;
  for (int tries = 0; !head().lock.compare_exchange_weak(free, 1, std::memory_order_acquire); ++tries, free = 0) {
    constexpr int spun = 100;
    if (tries < spun)
      pause_processor();
    else
      sched_yield();
  }
}
locked::~locked() {
  head().lock.store(0, std::memory_order_release);
}

}  // namespace tess::shmem::checking
