// l2_private: hits and misses, write-backs, answers to a directory, and operations on ranges.
#include "machine/cache/l2_private.hpp"

#include <algorithm>
#include <utility>

#include "machine/cache/acknowledgements.hpp"
#include "machine/cache/copy_line.hpp"

namespace tess::machine {

l2_private::l2_private(kernel& k, cache_shape const& shape, line_memory& below)
    : kernel_(k), lines_(shape), below_(below) {}

std::byte* l2_private::look_up(std::uint64_t address, bool for_store) noexcept {
  line_index const line = lines_.find(address);
  if (line == no_line || (for_store && lines_.state(line) == shared)) return nullptr;
  ++counted_.hits;
  lines_.use(line);
  if (for_store) lines_.state(line) = dirty;
  return lines_.at(line, address);
}

std::byte* l2_private::look_up_to_mark(std::uint64_t address) noexcept {
  perform_stores();
  line_index const line = lines_.find(address);
  if (line == no_line) return nullptr;
  ++counted_.hits;
  lines_.use(line);
  if (lines_.state(line) == clean) lines_.state(line) = marked;
  return lines_.at(line, address);
}

l2_private::probed l2_private::probe(std::uint64_t address) noexcept {
  perform_stores();
  line_index const line = lines_.find(address);
  if (line == no_line) return {};
  return {static_cast<state>(lines_.state(line)), lines_.data(line)};
}

std::byte* l2_private::leaving(std::uint64_t address) noexcept {
  departure* const found = departure_of(line_address(address));
  // The page was discarded: memory holds the current bytes, zeros.
  if (found == nullptr || (found->unwanted && !found->again)) return nullptr;
  return found->data.data() + (address - found->address);
}

bool l2_private::wait_for(std::uint64_t address, event& then) {
  std::uint64_t const line = line_address(address);
  if (auto const found = std::ranges::find(misses_, line, &miss::address); found != misses_.end()) {
    (*found)->waiting.push_back(&then);
    return true;
  }
  departure* const found = departure_of(line);
  if (found != nullptr) found->waiting.push_back(&then);
  return found != nullptr;
}

bool l2_private::write_absent(std::uint64_t address, std::span<std::byte const> from) {
  std::uint64_t const line = line_address(address);
  MACHINE_DEBUG_ASSERT(lines_.find(line) == no_line && line_address(address + from.size() - 1) == line);
  if (departure* const found = departure_of(line)) {
    if (found->unwanted && !found->again) std::ranges::fill(found->data, std::byte{});
    found->again = true;
    std::ranges::copy(from, found->data.data() + (address - line));
    return true;
  }
  if (auto const found = std::ranges::find(misses_, line, &miss::address); found != misses_.end())
    (*found)->written.push_back({address - line, {from.begin(), from.end()}});
  return false;
}

l2_private::miss& l2_private::take_miss(std::uint64_t address) {
  if (spare_misses_.empty()) {
    miss& made = all_misses_.emplace_back(*this);
    made.data.resize(shape().line_bytes);
    made.into = made.data;
    spare_misses_.push_back(&made);
  }
  miss& taken = *spare_misses_.back();
  spare_misses_.pop_back();
  taken.address = address;
  taken.begun = kernel_.now();
  misses_.push_back(&taken);
  return taken;
}

void l2_private::bring(std::uint64_t address, event& there, bool for_store) {
  std::uint64_t const line = line_address(address);
  line_index const here = lines_.find(line);
  MACHINE_DEBUG_ASSERT(here == no_line || (for_store && lines_.state(here) == shared));
  if (auto const found = std::ranges::find(misses_, line, &miss::address); found != misses_.end()) {
    ++counted_.merged;
    if (std::exchange((*found)->is_prefetch, false)) {
      ++counted_.prefetches_late;
      --prefetches_coming_;
    }
    (*found)->waiting.push_back(&there);
    return;
  }
  ++counted_.misses;
  miss& begun = take_miss(line);
  begun.waiting.push_back(&there);
  begun.right = for_store || !coherent() ? line_right::exclusive : line_right::shared;
  begun.held = here != no_line;
  begun.dirty = false;
  // The line may be replaced meanwhile; its bytes stay valid while the directory counts this cache as a sharer.
  if (begun.held) copy_line(begun.data.data(), lines_.data(here).data(), begun.data.size());
  begin(begun);
  for (miss_observer* const one : observers_) one->missed(line, for_store);
}

void l2_private::begin(miss& begun) {
  if (departure* const leaving = departure_of(begun.address)) {
    leaving->fetch_after = &begun;
  } else {
    below_.fetch(begun, begun);
  }
}

bool l2_private::fetch_ahead(std::uint64_t address) {
  std::uint64_t const line = line_address(address);
  bool const known = lines_.find(line) != no_line || departure_of(line) != nullptr ||
                     std::ranges::find(misses_, line, &miss::address) != misses_.end();
  if (known) return false;
  miss& begun = take_miss(line);
  begun.right = coherent() ? line_right::shared : line_right::exclusive;
  begun.held = false;
  begun.dirty = false;
  below_.fetch(begun, begun);
  return true;
}

void l2_private::prefetch(std::uint64_t address) {
  std::uint64_t const line = line_address(address);
  bool const comes = std::ranges::find(misses_, line, &miss::address) != misses_.end();
  if (comes || lines_.find(line) != no_line) return;
  if (prefetches_coming_ == prefetches_max_) {
    ++counted_.prefetches_dropped;
    return;
  }
  ++counted_.prefetches;
  ++prefetches_coming_;
  miss& begun = take_miss(line);
  begun.is_prefetch = true;
  begun.right = coherent() ? line_right::shared : line_right::exclusive;
  begun.held = begun.dirty = false;
  begin(begun);
}

void l2_private::loaded(std::uint64_t address) noexcept {
  line_index const line = lines_.find(address);
  if (line != no_line && std::exchange(unused_[line], 0) != 0) ++counted_.prefetches_useful;
}

void l2_private::miss::arrived() {
  owner.perform_stores();
  owner.activity_.record("L2", "miss", begun, owner.kernel_.now());
  cache_array& lines = owner.lines_;
  line_index into = lines.find(address);  // a shared line that is to be written
  if (into == no_line) {
    into = lines.victim(address, [&](line_index line) { return lines.type(line) == cache_array::cacheable; });
    owner.vacate(into);
    lines.assign(into, address);
    lines.metadata(into) = 0;
    copy_line(lines.data(into).data(), data.data(), data.size());
  }
  for (patch const& one : written) std::ranges::copy(one.data, lines.at(into, address + one.offset));
  written.clear();
  lines.state(into) = right == line_right::shared ? shared : dirty ? l2_private::dirty : clean;
  lines.use(into);
  if (std::exchange(is_prefetch, false)) {
    owner.unused_[into] = 1;
    --owner.prefetches_coming_;
  }
  std::erase(owner.misses_, this);
  owner.spare_misses_.push_back(this);
  // The waiters may miss again and take this record.
  kernel& clock = owner.kernel_;
  if (waiting.size() == 1) {
    event& only = *waiting.front();
    waiting.clear();
    return clock.notify(only);
  }
  std::vector<event*> const waiters = std::exchange(waiting, {});
  for (event* const one : waiters) clock.notify(*one);
}

void l2_private::vacate(line_index line) {
  perform_stores();
  std::uint8_t const was = lines_.state(line);
  if (was == invalid) return;
  if (was == marked) ++counted_.marker_write_backs;
  if (was == dirty || was == marked || (was == clean && answers_)) send_back(line, false, nullptr);
  back_invalidate(line);
  lines_.state(line) = invalid;
}

void l2_private::back_invalidate(line_index line) {
  if (stores_ != nullptr) stores_->lose(lines_.data(line));
  ++counted_.back_invalidations;
  if (!unused_.empty() && std::exchange(unused_[line], 0) != 0) {
    bool const stored_to = lines_.state(line) == dirty || lines_.state(line) == marked;
    ++(stored_to ? counted_.prefetches_useful : counted_.prefetches_useless);
  }
  std::uint64_t const address = lines_.address_of(line);
  for (std::size_t i = 0; i < l1s_.size(); ++i) {
    if (!sharers_known_ || (lines_.metadata(line) >> i & 1U) != 0) l1s_[i]->invalidate(address, shape().line_bytes);
  }
  if (coherent()) watching_->invalidate(address, shape().line_bytes);
}

void l2_private::send_back(line_index line, bool kept, event* done) {
  std::uint64_t const address = lines_.address_of(line);
  bool const is_clean = !kept && lines_.state(line) == clean;
  if (!is_clean) ++counted_.write_backs;
  if (departure* const first = departure_of(address)) {
    // Two write-backs of one line in flight could arrive in the wrong order.
    first->again = true;
    first->kept = kept;
    first->data.assign(lines_.data(line).begin(), lines_.data(line).end());
    if (done != nullptr) first->waiting.push_back(done);
    return;
  }
  if (spare_departures_.empty()) spare_departures_.push_back(&all_departures_.emplace_back(*this));
  departure& leaving = *spare_departures_.back();
  spare_departures_.pop_back();
  leaving.address = address;
  leaving.kept = kept;
  leaving.clean = is_clean;
  leaving.data.assign(lines_.data(line).begin(), lines_.data(line).end());
  if (done != nullptr) leaving.waiting.push_back(done);
  leaving.next_like = std::exchange(departures_like(address), &leaving);
  if (is_clean) return below_.give_up(address, leaving);
  below_.write_back(address, leaving.data, kept, leaving);
}

void l2_private::departure::acknowledged() {
  if (std::exchange(unwanted, false)) owner.below_.clear(address);
  if (std::exchange(again, false)) return owner.below_.write_back(address, data, kept, *this);
  departure** link = &owner.departures_like(address);
  while (*link != this) link = &(*link)->next_like;
  *link = next_like;
  miss* const held = std::exchange(fetch_after, nullptr);
  std::vector<event*> const waiters = std::exchange(waiting, {});
  owner.spare_departures_.push_back(this);
  kernel& clock = owner.kernel_;
  if (held != nullptr) owner.below_.fetch(*held, *held);
  for (event* const one : waiters) clock.notify(*one);
}

void l2_private::write_back_line(std::uint64_t address, event& done) {
  perform_stores();
  std::uint64_t const line = line_address(address);
  line_index const found = lines_.find(line);
  if (found != no_line && lines_.state(found) == dirty) {
    lines_.state(found) = clean;
    send_back(found, true, &done);
  } else if (departure* const leaving = departure_of(line)) {
    leaving->waiting.push_back(&done);
  } else {
    kernel_.after(0, done);
  }
}

void l2_private::drop_line(std::uint64_t address) {
  perform_stores();
  line_index const found = lines_.find(address);
  if (found == no_line) return;
  if (answers_ && lines_.state(found) == clean) send_back(found, false, nullptr);
  lines_.state(found) = invalid;
  back_invalidate(found);
}

void l2_private::forget(std::uint64_t address, std::uint64_t bytes) {
  perform_stores();
  auto const inside = [&](std::uint64_t line) { return line - address < bytes; };
  // A directory may have taken the departing line and granted it to another cache already.
  for (std::size_t list = 0; list < departure_lists && !coherent(); ++list) {
    for (departure* leaving = departures_[list]; leaving != nullptr; leaving = leaving->next_like) {
      if (!inside(leaving->address)) continue;
      leaving->unwanted = true;
      leaving->again = false;
    }
  }
  if (bytes < shape().size_bytes()) {
    for (std::uint64_t line = address; line < address + bytes; line += shape().line_bytes) drop_line(line);
    return;
  }
  // Scanning all lines is cheaper than searching for every address.
  for (line_index line = 0; line < lines_.lines(); ++line) {
    std::uint64_t const at = lines_.address_of(line);
    if (lines_.state(line) == invalid || lines_.type(line) != cache_array::cacheable || !inside(at)) continue;
    lines_.state(line) = invalid;
    back_invalidate(line);
  }
}

// Answers to the directory (MESI): `shared` is S, `clean` E, `dirty` M. A line may have left silently. A line on its
// way to memory still counts as present, with its bytes.
//
// Source    D. Sorin, M. Hill, D. Wood, "A Primer on Memory Consistency and Cache Coherence" (2011), chapter 8.
l2_private::surrendered l2_private::surrender(std::uint64_t address, line_right keep, std::span<std::byte> into) {
  std::uint64_t const line = line_address(address);
  line_index const here = lines_.find(line);
  departure* const leaving = departure_of(line);
  // Another cache will own the line: the directory would not take what is to be sent once more.
  if (leaving != nullptr && answers_) leaving->again = false;
  if (here == no_line) {
    // The write-back will arrive when another cache owns the line; the directory ignores it then.
    if (leaving == nullptr) return {};
    copy_line(into.data(), leaving->data.data(), leaving->data.size());
    return {.dirty = !leaving->clean, .held = true};
  }
  surrendered given{.kept = keep, .held = true};
  copy_line(into.data(), lines_.data(here).data(), into.size());
  // A line that was written back and kept may not have reached memory yet.
  given.dirty = lines_.state(here) == dirty || (lines_.state(here) == clean && leaving != nullptr);
  if (keep == line_right::none) {
    lines_.state(here) = invalid;
    back_invalidate(here);
  } else {
    lines_.state(here) = shared;
  }
  return given;
}

void l2_private::change_on_way(overwrite const& written) noexcept {
  // Spare records hold nothing.
  for (departure& leaving : all_departures_) written.apply(leaving.address, leaving.data);
  for (miss& coming : all_misses_) written.apply(coming.address, coming.data);
}

void l2_private::change_here(overwrite const& written) {
  auto const change = [&](line_index line) {
    std::uint64_t const at = lines_.address_of(line);
    if (at + shape().line_bytes <= written.address || at >= written.address + written.bytes) return;
    written.apply(at, lines_.data(line));
    back_invalidate(line);
  };
  if (written.bytes >= shape().size_bytes()) {
    // Scanning all lines is cheaper than searching for every address.
    for (line_index line = 0; line < lines_.lines(); ++line) {
      if (lines_.state(line) != invalid && lines_.type(line) == cache_array::cacheable) change(line);
    }
    return;
  }
  for (std::uint64_t at = line_address(written.address); at < written.address + written.bytes;
       at += shape().line_bytes) {
    if (line_index const line = lines_.find(at); line != no_line) change(line);
  }
}

// Ranges, line by line; memory is awaited once, at the end.
task<> l2_private::write_back(std::uint64_t address, std::size_t bytes, picoseconds line_ps) {
  acknowledgements done;
  for (std::uint64_t line = line_address(address); line < address + bytes; line += shape().line_bytes) {
    if (line_ps > 0) co_await kernel_.delay(line_ps);
    if (!leaves(line)) continue;
    done.expect();
    write_back_line(line, done);
  }
  co_await done;
}

task<> l2_private::invalidate(std::uint64_t address, std::size_t bytes, picoseconds line_ps) {
  acknowledgements done;
  for (std::uint64_t line = line_address(address); line < address + bytes; line += shape().line_bytes) {
    if (line_ps > 0) co_await kernel_.delay(line_ps);
    // The directory relies on dirty bytes here: nothing is dropped then.
    bool const inside = !coherent() && line >= address && line + shape().line_bytes <= address + bytes;
    if (!inside && leaves(line)) {
      done.expect();
      write_back_line(line, done);
    }
    drop_line(line);
  }
  co_await done;
}

task<> l2_private::flush(std::uint64_t address, std::size_t bytes, picoseconds line_ps) {
  co_await write_back(address, bytes, line_ps);
  // Bytes written meanwhile are a race of the program; they are not lost.
  acknowledgements done;
  for (std::uint64_t line = line_address(address); line < address + bytes; line += shape().line_bytes) {
    if (probe(line).line_state == dirty) {
      done.expect();
      write_back_line(line, done);
    }
    drop_line(line);
  }
  co_await done;
}

}  // namespace tess::machine
