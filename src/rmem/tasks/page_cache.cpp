// page_cache: pins, transfers and their ends; which page goes and which is fetched ahead: page_replacement.cpp.
#include "tess/detail/page_cache.hpp"

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
constexpr std::size_t ahead_bytes = std::size_t{1} << 20;

/// What this process may still take, by `ulimit -v` and by what the machine has.
std::size_t free_bytes() {
  auto const page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::size_t room = static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)) * page;
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    std::size_t taken = 0;
    std::ifstream("/proc/self/statm") >> taken;
    room = std::min(room, limit.rlim_cur - std::min<std::size_t>(limit.rlim_cur, taken * page));
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
  // Items do not cross pages, and there is no division to find one.
  std::size_t const items = std::bit_floor(std::max<std::size_t>(1, page / item_bytes));
  item_shift_ = static_cast<unsigned>(std::countr_zero(items));
  page_bytes_ = items * item_bytes;
  table_.resize((of.size + page_bytes_ - 1) / page_bytes_);
  std::size_t const frames = std::max(frames_least, std::min<std::size_t>(wanted / page_bytes_, table_.size()));
  ahead_ = chosen.ahead != cache_options::automatic
               ? chosen.ahead
               : static_cast<unsigned>(std::clamp<std::size_t>(ahead_bytes / page_bytes_, 1, frames / 4));
  memory_bytes_ = frames * page_bytes_;
  void* const memory = mmap(nullptr, memory_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  memory_ = static_cast<std::byte*>(memory);
  static_cast<void>(madvise(memory, memory_bytes_, MADV_HUGEPAGE));  // fewer faults, where the system likes
  frames_ = std::vector<frame>(frames);
  for (std::size_t i = frames; i-- != 0;) {
    frame& x = frames_[i];
    x.cache = this;
    x.memory = memory_ + i * page_bytes_;
    x.ended = [](transfer& t) noexcept {
      auto& landed = static_cast<frame&>(t);
      landed.cache->land(landed);
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
  // Those that were fetched ahead.
  while (under_way_.load(std::memory_order_acquire) != 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
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
    // Gone as soon as it was told.
    waiter* const next = list->next;
    list->arrived(failure);
    list = next;
  }
}

void page_cache::start(frame& x, bool reads) {
  (reads ? x.loading : x.cleaning) = true;
  if (!reads) x.dirty = false;
  x.reads = reads;
  x.at = region_.base + x.page * page_bytes_;
  x.bytes = bytes_of(x.page);
  if (!reads) ++counts_.written;
  under_way_.fetch_add(1, std::memory_order_relaxed);
  client_.start(x);
}

/// By the caller himself, through a mapping. False: it was started, and will land.
bool page_cache::move_now(guard& lock, frame& x, bool reads) {
  (reads ? x.loading : x.cleaning) = true;
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
    x.cleaning = false;
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
void page_cache::land(frame& x) noexcept {
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
      x.cleaning = false;
      x.dirty = x.dirty || failure;
    }
    waiting = std::exchange(x.waiters, nullptr);
    starved = std::exchange(starved_, nullptr);
  }
  wake(waiting, failure);
  wake(starved, {});
  under_way_.fetch_sub(1, std::memory_order_release);
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
      // Who wants it now need not wait for a thread that has not come to it.
      if (x.loading && client_.take_back(x)) {
        under_way_.fetch_sub(1, std::memory_order_relaxed);
        if (move_now(lock, x, true)) continue;
      }
      // What is being written back must not change under it.
      if (x.loading || (writes && x.cleaning)) {
        wait_for(x.waiters, w);
        return attempt::wait;
      }
      take(there - 1, writes, v);
      note(page);
      return attempt::done;
    }
    std::uint32_t const i = victim();
    if (i == none) {
      wait_for(starved_, w);
      return attempt::wait;
    }
    frame& x = frames_[i];
    if (x.cleaning || (x.dirty && !move_now(lock, x, false))) {
      wait_for(x.waiters, w);
      return attempt::wait;
    }
    // Others had their turns while bytes moved.
    if (x.dirty || x.cleaning || !x.idle() || table_[page] != 0) continue;
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
  if (there == 0 || frames_[there - 1].loading || (writes && frames_[there - 1].cleaning)) return false;
  take(there - 1, writes, v);
  note(page);
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

/// What a pin for writing changed is at the server.
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

/// Bytes that move must not change: an item is put in when none do, and no other task writes in the page by a pin.
page_cache::attempt page_cache::write_once(view const& v, item const* changed, waiter& w) {
  guard lock(mutex_);
  frame& x = frames_[v.frame];
  if (x.cleaning || (changed != nullptr && x.writers != 0)) {
    wait_for(x.waiters, w);
    return attempt::wait;
  }
  if (changed != nullptr) std::memcpy(x.memory + changed->offset, changed->from, changed->bytes);
  if (move_now(lock, x, false)) return attempt::done;
  wait_for(x.waiters, w);
  return attempt::started;
}

/// If it fails, the pin is gone.
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
  note(page);
  return true;
}

bool page_cache::try_write(std::uint64_t page, std::size_t offset, void const* from, std::size_t bytes) {
  if (writes_through()) return false;
  guard const lock(mutex_);
  std::uint32_t const there = table_[page];
  if (there == 0 || frames_[there - 1].loading || frames_[there - 1].cleaning) return false;
  std::memcpy(frames_[there - 1].memory + offset, from, bytes);
  frames_[there - 1].dirty = true;
  note(page);
  return true;
}

page_cache::attempt page_cache::flush_once(waiter& w) {
  guard const lock(mutex_);
  frame* waits_for = nullptr;
  for (frame& x : frames_) {
    if (x.dirty && x.writers == 0 && !x.cleaning && !x.loading) start(x, false);
    if (x.cleaning) waits_for = &x;
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

}  // namespace tess::rmem::detail
