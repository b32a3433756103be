// page_replacement: which page makes room, and which will be wanted next. All with the cache's mutex held.
//
//   The pages stand in one list, from the next to go to the last. FIFO leaves them where they are; LRU moves one to the
//   end when it is used; CLOCK looks at them in turn and gives those that were used since the last look another round.
#include <algorithm>
#include <cstdlib>

#include "tess/detail/page_cache.hpp"

namespace tess::rmem::detail {

namespace {
/// Steps of more pages than this make no stream: two random accesses are seldom as near.
constexpr std::int64_t step_max = 64;
/// So many equal steps make one.
constexpr std::uint32_t steps_enough = 2;
}  // namespace

void page_cache::append(std::uint32_t i) {
  frame& x = frames_[i];
  x.older = newest_;
  x.newer = none;
  (newest_ == none ? oldest_ : frames_[newest_].newer) = i;
  newest_ = i;
}

void page_cache::unlink(std::uint32_t i) {
  frame const& x = frames_[i];
  (x.older == none ? oldest_ : frames_[x.older].newer) = x.newer;
  (x.newer == none ? newest_ : frames_[x.newer].older) = x.older;
}

/// A frame without a page, or the page to go, which may have to be written back first; none: all are in use.
std::uint32_t page_cache::victim() {
  if (!unused_.empty()) return unused_.back();
  std::uint32_t next = oldest_;
  // CLOCK passes each page at most twice.
  for (std::size_t looks = 2 * frames_.size(); looks != 0 && next != none; --looks) {
    std::uint32_t const i = next;
    frame& x = frames_[i];
    next = x.newer;
    if (!x.idle()) continue;
    if (replaces_ == replacement::clock && x.referenced) {
      x.referenced = false;
      unlink(i);
      append(i);
      if (next == none) next = oldest_;
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
  // One that was fetched ahead has a round to be used in.
  x.referenced = true;
  x.loading = true;
  table_[page] = i + 1;
  append(i);
  clean_ahead();
}

/// A stream has left this page: it goes first, so that a scan takes few frames, which stay in the processor's cache,
/// and drives nothing out that is used again.
void page_cache::let_go(std::uint64_t page) {
  if (table_[page] == 0) return;
  std::uint32_t const i = table_[page] - 1;
  frame& x = frames_[i];
  if (!x.idle() || x.dirty || x.cleaning || oldest_ == i) return;
  unlink(i);
  x.referenced = false;
  x.older = none;
  x.newer = oldest_;
  frames_[oldest_].older = i;
  oldest_ = i;
}

void page_cache::passed(std::uint64_t page) {
  guard const lock(mutex_);
  let_go(page);
}

void page_cache::evict(std::uint32_t i) {
  frame& x = frames_[i];
  table_[x.page] = 0;
  x.page = no_page;
  unlink(i);
  unused_.push_back(i);
}

void page_cache::forget(std::uint64_t offset, std::uint64_t bytes) {
  if (bytes == 0) return;
  guard const lock(mutex_);
  for (std::uint64_t page = offset / page_bytes_; page <= (offset + bytes - 1) / page_bytes_; ++page) {
    std::uint32_t const there = table_[page];
    if (there == 0) continue;
    frame const& x = frames_[there - 1];
    if (x.idle() && !x.cleaning && !x.dirty) evict(there - 1);
  }
}

/// What goes next is written back before it must.
void page_cache::clean_ahead() {
  std::uint32_t i = oldest_;
  for (unsigned looks = 0; looks <= ahead_ && i != none && 2 * looks < frames_.size(); ++looks, i = frames_[i].newer) {
    frame& x = frames_[i];
    if (x.dirty && x.idle() && !x.cleaning) start(x, false);
  }
}

void page_cache::fetch_one(std::uint64_t page, bool& full) {
  if (full || table_[page] != 0) return;
  // Through a mapping, who wants it copies it into the caches of his own processor, and that is quicker than to wait
  // for another's.
  full = client_.is_mapped(region_.base + page * page_bytes_);
  if (full) return;
  std::uint32_t const i = victim();
  full = i == none || frames_[i].cleaning;
  if (full) return;
  if (frames_[i].dirty) {
    start(frames_[i], false);
    full = true;
    return;
  }
  assign(i, page);
  ++counts_.fetched_ahead;
  start(frames_[i], true);
}

void page_cache::fetch(std::uint64_t first, std::uint64_t count) {
  if (ahead_ == 0) return;
  guard const lock(mutex_);
  bool full = false;
  for (std::uint64_t page = first; page < std::min<std::uint64_t>(first + count, table_.size()); ++page)
    fetch_one(page, full);
}

/// A page is used: it moves in the order, and may go on with a stream.
void page_cache::note(std::uint64_t page) {
  ++counts_.pins;
  std::uint32_t const i = table_[page] - 1;
  frames_[i].referenced = true;
  if (replaces_ == replacement::lru && newest_ != i) {
    unlink(i);
    append(i);
  }
  if (ahead_ == 0) return;
  ++now_;
  auto const distance = [page](stream const& s) { return static_cast<std::int64_t>(page - s.last); };
  stream* near = nullptr;
  for (stream& s : streams_) {
    if (s.last == no_page) continue;
    if (s.last == page) {
      s.used = now_;
      return;
    }
    if (s.step != 0 && distance(s) == s.step) {
      near = &s;
      break;
    }
    // One access alone may be the first of a stream.
    if (s.step == 0 && std::abs(distance(s)) <= step_max &&
        (near == nullptr || std::abs(distance(s)) < std::abs(distance(*near))))
      near = &s;
  }
  if (near == nullptr) {
    auto const oldest = std::ranges::min_element(streams_, {}, &stream::used);
    *oldest = {.last = page, .used = now_};
    return;
  }
  stream& s = *near;
  if (distance(s) == s.step) {
    ++s.steps;
    if (s.steps > steps_enough) let_go(s.last);
    s.fetched = std::max<std::int64_t>(0, s.fetched - 1);
  } else {
    s.step = distance(s);
    s.steps = 1;
    s.fetched = 0;
  }
  s.last = page;
  s.used = now_;
  // Several at once: who moves them is woken less often.
  if (s.steps < steps_enough || 2 * s.fetched > static_cast<std::int64_t>(ahead_)) return;
  bool full = false;
  while (s.fetched < static_cast<std::int64_t>(ahead_)) {
    std::uint64_t const next = page + static_cast<std::uint64_t>((s.fetched + 1) * s.step);
    if (next >= table_.size()) break;
    fetch_one(next, full);
    if (full) break;
    ++s.fetched;
  }
}

}  // namespace tess::rmem::detail
