// page_cache: pins and transfers first, then which page is replaced and which are prefetched.
#include "tess/detail/remote_memory/page_cache.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <new>
#include <thread>
#include <utility>

namespace tess::rmem::detail {

namespace {

constexpr std::size_t page_bytes_usual = 128 * 1024;
constexpr std::size_t page_bytes_least = 4096;
constexpr std::size_t frames_usual = 16;
constexpr std::size_t frames_least = 4;
constexpr std::size_t prefetch_bytes = std::size_t{1} << 20;

/// What this process may still allocate: limited by `ulimit -v` and by the free memory of the machine.
std::size_t free_bytes() {
  auto const page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::size_t room = static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)) * page;
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    std::size_t mapped = 0;
    std::ifstream("/proc/self/statm") >> mapped;
    room = std::min(room, limit.rlim_cur - std::min<std::size_t>(limit.rlim_cur, mapped * page));
  }
  return room;
}

}  // namespace

page_cache::page_cache(client& with, region const& of, std::size_t item_bytes, cache_options const& chosen)
    : client_(with), region_(of), replaces_(chosen.replaces), writes_(chosen.writes) {
  with.prepare();
  std::size_t const wanted = chosen.bytes != 0 ? chosen.bytes : std::min<std::size_t>(of.size, free_bytes() / 4);
  std::size_t page = chosen.page_bytes;
  if (page == 0) page = std::clamp(std::bit_floor(wanted / frames_usual), page_bytes_least, page_bytes_usual);
  // Items do not cross pages, and finding one needs no division.
  std::size_t const items = std::bit_floor(std::max<std::size_t>(1, page / item_bytes));
  item_shift_ = static_cast<unsigned>(std::countr_zero(items));
  page_bytes_ = items * item_bytes;
  table_.resize((of.size + page_bytes_ - 1) / page_bytes_);
  std::size_t const frames = std::max(frames_least, std::min<std::size_t>(wanted / page_bytes_, table_.size()));
  prefetch_pages_ = chosen.prefetch_pages != cache_options::automatic
                        ? chosen.prefetch_pages
                        : static_cast<unsigned>(std::clamp<std::size_t>(prefetch_bytes / page_bytes_, 1, frames / 4));
  memory_bytes_ = frames * page_bytes_;
  void* const memory = mmap(nullptr, memory_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  memory_ = static_cast<std::byte*>(memory);
  static_cast<void>(madvise(memory, memory_bytes_, MADV_HUGEPAGE));  // fewer page faults, if the system agrees
  frames_ = std::vector<frame>(frames);
  order_ = page_order(frames);
  for (std::size_t i = frames; i-- != 0;) {
    frame& x = frames_[i];
    x.cache = this;
    x.memory = memory_ + i * page_bytes_;
    x.ended = [](transfer& t) noexcept {
      auto& done = static_cast<frame&>(t);
      done.cache->complete(done);
    };
    unused_.push_back(static_cast<std::uint32_t>(i));
  }
}

page_cache::~page_cache() {
  try {
    flush_blocking();
  } catch (std::exception const& failure) {
    std::fprintf(stderr, "tess: changes of a remote array are lost: %s\n", failure.what());
  }
  // Prefetched pages may still be in flight.
  while (in_flight_.load(std::memory_order_acquire) != 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
  munmap(memory_, memory_bytes_);
}

cache_counts page_cache::counts() {
  guard const lock(mutex_);
  return counts_;
}

std::size_t page_cache::bytes_of(std::uint64_t page) const noexcept {
  return std::min<std::uint64_t>(page_bytes_, region_.size - page * page_bytes_);
}

void page_cache::wait_for(waiter*& list, waiter& w) {
  w.expect();
  w.next = std::exchange(list, &w);
}

void page_cache::wake(waiter* list, std::exception_ptr const& failure) noexcept {
  while (list != nullptr) {
    // The waiter may be destroyed as soon as it is told.
    waiter* const next = list->next;
    list->complete(failure);
    list = next;
  }
}

void page_cache::start(frame& x, bool reads) {
  (reads ? x.loading : x.writing_back) = true;
  if (!reads) x.dirty = false;
  x.reads = reads;
  x.at = region_.base + x.page * page_bytes_;
  x.bytes = bytes_of(x.page);
  if (!reads) ++counts_.written;
  in_flight_.fetch_add(1, std::memory_order_relaxed);
  client_.start(x);
}

/// The caller moves the page itself, through a mapping. False: a transfer was started instead.
bool page_cache::move_now(guard& lock, frame& x, bool reads) {
  (reads ? x.loading : x.writing_back) = true;
  address const at = region_.base + x.page * page_bytes_;
  std::size_t const bytes = bytes_of(x.page);
  lock.unlock();
  bool const moved = client_.move_mapped(reads, at, x.memory, bytes);
  lock.lock();
  if (!moved) {
    start(x, reads);
    return false;
  }
  if (reads) {
    x.loading = false;
  } else {
    x.writing_back = false;
    x.dirty = false;
    ++counts_.written;
  }
  waiter* const waiting = std::exchange(x.waiters, nullptr);
  waiter* const starved = std::exchange(starved_, nullptr);
  if (waiting != nullptr || starved != nullptr) {
    lock.unlock();
    wake(waiting, {});
    wake(starved, {});
    lock.lock();
  }
  return true;
}

/// On a thread of the client.
void page_cache::complete(frame& x) noexcept {
  waiter* waiting = nullptr;
  waiter* starved = nullptr;
  std::exception_ptr failure;
  {
    guard const lock(mutex_);
    failure = std::exchange(x.failure, {});
    if (x.loading) {
      x.loading = false;
      if (failure) evict(static_cast<std::uint32_t>(&x - frames_.data()));
    } else {
      x.writing_back = false;
      x.dirty = x.dirty || failure;
    }
    waiting = std::exchange(x.waiters, nullptr);
    starved = std::exchange(starved_, nullptr);
  }
  wake(waiting, failure);
  wake(starved, {});
  in_flight_.fetch_sub(1, std::memory_order_release);
}

void page_cache::take(std::uint32_t i, bool writes, view& v) {
  frame& x = frames_[i];
  ++x.pins;
  x.writers += writes ? 1 : 0;
  v = {.bytes = x.memory, .size = bytes_of(x.page), .frame = i, .writes = writes};
}

page_cache::attempt page_cache::try_once(std::uint64_t page, bool writes, view& v, waiter& w) {
  guard lock(mutex_);
  for (bool asked = false;;) {
    if (std::uint32_t const there = table_[page]; there != 0) {
      frame& x = frames_[there - 1];
      // The transfer has not begun yet: moving the page here is faster than waiting for it.
      if (x.loading && client_.cancel(x)) {
        in_flight_.fetch_sub(1, std::memory_order_relaxed);
        if (move_now(lock, x, true)) continue;
      }
      // A page must not change while it is written back.
      if (x.loading || (writes && x.writing_back)) {
        wait_for(x.waiters, w);
        return attempt::wait;
      }
      take(there - 1, writes, v);
      record_use(page);
      return attempt::done;
    }
    std::uint32_t const i = victim();
    if (i == none) {
      wait_for(starved_, w);
      return attempt::wait;
    }
    frame& x = frames_[i];
    if (x.writing_back || (x.dirty && !move_now(lock, x, false))) {
      wait_for(x.waiters, w);
      return attempt::wait;
    }
    // Others may have used the lock while bytes moved.
    if (x.dirty || x.writing_back || !x.idle() || table_[page] != 0) continue;
    assign(i, page);
    if (!std::exchange(asked, true)) ++counts_.misses;
    if (!move_now(lock, x, true)) {
      wait_for(x.waiters, w);
      return attempt::wait;
    }
  }
}

bool page_cache::try_pin(std::uint64_t page, bool writes, view& v) {
  guard const lock(mutex_);
  std::uint32_t const there = table_[page];
  if (there == 0 || frames_[there - 1].loading || (writes && frames_[there - 1].writing_back)) return false;
  take(there - 1, writes, v);
  record_use(page);
  return true;
}

task<page_cache::view> page_cache::pin(std::uint64_t page, bool writes) {
  for (view v;;) {
    waiter w;
    if (try_once(page, writes, v, w) == attempt::done) co_return v;
    co_await w.done();
    w.check();
  }
}

page_cache::view page_cache::pin_blocking(std::uint64_t page, bool writes) {
  for (view v;;) {
    waiter w;
    if (try_once(page, writes, v, w) == attempt::done) return v;
    w.block();
    w.check();
  }
}

void page_cache::unpin(view const& v) noexcept {
  waiter* waiting = nullptr;
  waiter* starved = nullptr;
  {
    guard const lock(mutex_);
    frame& x = frames_[v.frame];
    --x.pins;
    if (v.writes) {
      if (--x.writers == 0) waiting = std::exchange(x.waiters, nullptr);
      x.dirty = true;
    }
    if (x.pins == 0) starved = std::exchange(starved_, nullptr);
  }
  wake(waiting, {});
  wake(starved, {});
}

/// The changes of a pin for writing are at the server.
void page_cache::written(view& v) {
  waiter* waiting = nullptr;
  {
    guard const lock(mutex_);
    frame& x = frames_[v.frame];
    if (--x.writers == 0) waiting = std::exchange(x.waiters, nullptr);
  }
  v.writes = false;
  wake(waiting, {});
}

/// Bytes must not change while they move: an item is stored when none move and no other task has a pin for writing.
page_cache::attempt page_cache::write_once(view const& v, item const* changed, waiter& w) {
  guard lock(mutex_);
  frame& x = frames_[v.frame];
  if (x.writing_back || (changed != nullptr && x.writers != 0)) {
    wait_for(x.waiters, w);
    return attempt::wait;
  }
  if (changed != nullptr) std::memcpy(x.memory + changed->offset, changed->from, changed->bytes);
  if (move_now(lock, x, false)) return attempt::done;
  wait_for(x.waiters, w);
  return attempt::started;
}

/// If this throws, the page was unpinned.
task<void> page_cache::write_page(view v, item const* changed) {
  for (attempt a = attempt::wait; a == attempt::wait;) {
    waiter w;
    a = write_once(v, changed, w);
    if (a == attempt::done) break;
    co_await w.done();
    try {
      w.check();
    } catch (...) {
      unpin(v);
      throw;
    }
  }
}

task<void> page_cache::release(view v) {
  if (v.writes && writes_through()) {
    co_await write_page(v, nullptr);
    written(v);
  }
  unpin(v);
}

task<void> page_cache::write_through(std::uint64_t page, item changed) {
  view const v = co_await pin(page, false);
  co_await write_page(v, &changed);
  unpin(v);
}

void page_cache::release_blocking(view v) {
  for (bool is_written = !v.writes || !writes_through(); !is_written;) {
    waiter w;
    attempt const a = write_once(v, nullptr, w);
    if (a != attempt::done) {
      w.block();
      try {
        w.check();
      } catch (...) {
        unpin(v);
        throw;
      }
    }
    is_written = a != attempt::wait;
    if (is_written) written(v);
  }
  unpin(v);
}

bool page_cache::try_read(std::uint64_t page, std::size_t offset, void* to, std::size_t bytes) {
  guard const lock(mutex_);
  std::uint32_t const there = table_[page];
  if (there == 0 || frames_[there - 1].loading) return false;
  std::memcpy(to, frames_[there - 1].memory + offset, bytes);
  record_use(page);
  return true;
}

bool page_cache::try_write(std::uint64_t page, std::size_t offset, void const* from, std::size_t bytes) {
  if (writes_through()) return false;
  guard const lock(mutex_);
  std::uint32_t const there = table_[page];
  if (there == 0 || frames_[there - 1].loading || frames_[there - 1].writing_back) return false;
  std::memcpy(frames_[there - 1].memory + offset, from, bytes);
  frames_[there - 1].dirty = true;
  record_use(page);
  return true;
}

page_cache::attempt page_cache::flush_once(waiter& w) {
  guard const lock(mutex_);
  frame* waits_for = nullptr;
  for (frame& x : frames_) {
    if (x.dirty && x.writers == 0 && !x.writing_back && !x.loading) start(x, false);
    if (x.writing_back) waits_for = &x;
  }
  if (waits_for == nullptr) return attempt::done;
  wait_for(waits_for->waiters, w);
  return attempt::wait;
}

task<void> page_cache::flush() {
  for (;;) {
    waiter w;
    if (flush_once(w) == attempt::done) co_return;
    co_await w.done();
    w.check();
  }
}

void page_cache::flush_blocking() {
  for (;;) {
    waiter w;
    if (flush_once(w) == attempt::done) return;
    w.block();
    w.check();
  }
}

/// A frame without a page, or the one to replace, which may have to be written back first; none: all are in use.
std::uint32_t page_cache::victim() {
  if (!unused_.empty()) return unused_.back();
  std::uint32_t next = order_.first();
  // CLOCK passes each page at most twice.
  for (std::size_t looks = 2 * frames_.size(); looks != 0 && next != none; --looks) {
    std::uint32_t const i = next;
    frame& x = frames_[i];
    next = order_.next(i);
    if (!x.idle()) continue;
    if (replaces_ == replacement::clock && x.referenced) {
      x.referenced = false;
      order_.remove(i);
      order_.append(i);
      if (next == none) next = order_.first();
      continue;
    }
    return i;
  }
  return none;
}

void page_cache::assign(std::uint32_t i, std::uint64_t page) {
  if (frames_[i].page != no_page) evict(i);
  std::erase(unused_, i);
  frame& x = frames_[i];
  x.page = page;
  // A prefetched page gets one round of CLOCK in which to be used.
  x.referenced = true;
  x.loading = true;
  table_[page] = i + 1;
  order_.append(i);
  write_back_early();
}

/// A stream has left this page. It is replaced first, so that a scan takes few frames, which stay in the processor's
/// cache, and replaces no page that is used again.
void page_cache::replace_first(std::uint64_t page) {
  if (table_[page] == 0) return;
  std::uint32_t const i = table_[page] - 1;
  frame& x = frames_[i];
  if (!x.idle() || x.dirty || x.writing_back || order_.first() == i) return;
  order_.remove(i);
  order_.prepend(i);
  x.referenced = false;
}

void page_cache::passed(std::uint64_t page) {
  guard const lock(mutex_);
  replace_first(page);
}

void page_cache::evict(std::uint32_t i) {
  frame& x = frames_[i];
  table_[x.page] = 0;
  x.page = no_page;
  order_.remove(i);
  unused_.push_back(i);
}

void page_cache::invalidate(std::uint64_t offset, std::uint64_t bytes) {
  if (bytes == 0) return;
  guard const lock(mutex_);
  for (std::uint64_t page = offset / page_bytes_; page <= (offset + bytes - 1) / page_bytes_; ++page) {
    std::uint32_t const there = table_[page];
    if (there == 0) continue;
    frame const& x = frames_[there - 1];
    if (x.idle() && !x.writing_back && !x.dirty) evict(there - 1);
  }
}

/// Writes back the pages that will be replaced next.
void page_cache::write_back_early() {
  std::uint32_t i = order_.first();
  for (unsigned looks = 0; looks <= prefetch_pages_ && i != none && 2 * looks < frames_.size();
       ++looks, i = order_.next(i)) {
    frame& x = frames_[i];
    if (x.dirty && x.idle() && !x.writing_back) start(x, false);
  }
}

/// False: no frame can be had for it without waiting, or it is not worth it.
bool page_cache::prefetch_page(std::uint64_t page) {
  if (table_[page] != 0) return true;
  // Through a mapping, the task that needs a page copies it into the caches of its own processor, which is faster than
  // waiting for another one.
  if (client_.is_mapped(region_.base + page * page_bytes_)) return false;
  std::uint32_t const i = victim();
  if (i == none || frames_[i].writing_back) return false;
  if (frames_[i].dirty) {
    start(frames_[i], false);
    return false;
  }
  assign(i, page);
  ++counts_.prefetched;
  start(frames_[i], true);
  return true;
}

void page_cache::prefetch(std::uint64_t first, std::uint64_t count) {
  if (prefetch_pages_ == 0) return;
  guard const lock(mutex_);
  std::uint64_t const end = std::min<std::uint64_t>(first + count, table_.size());
  for (std::uint64_t page = first; page < end && prefetch_page(page); ++page) continue;
}

/// A page is used: it moves in the order, and may continue a stream, whose next pages are prefetched.
void page_cache::record_use(std::uint64_t page) {
  ++counts_.pins;
  std::uint32_t const i = table_[page] - 1;
  frames_[i].referenced = true;
  if (replaces_ == replacement::lru && order_.last() != i) {
    order_.remove(i);
    order_.append(i);
  }
  if (prefetch_pages_ == 0) return;
  auto const [s, left] = streams_.record(page);
  if (left != no_page) replace_first(left);
  auto const most = static_cast<std::int64_t>(prefetch_pages_);
  // Several at once, so that the thread that moves them is woken less often.
  if (s == nullptr || !s->is_established() || 2 * s->prefetched > most) return;
  while (s->prefetched < most) {
    std::uint64_t const next = page + static_cast<std::uint64_t>((s->prefetched + 1) * s->step);
    if (next >= table_.size() || !prefetch_page(next)) break;
    ++s->prefetched;
  }
}

}  // namespace tess::rmem::detail
